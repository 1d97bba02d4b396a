/** The files of `data/prompts`, as text modules: unit tests may not read. */
import type { PromptFiles } from "../../lib/designer/mod.ts";
import agent from "../../data/prompts/agent.md" with { type: "text" };
import agentTools from "../../data/prompts/agent-tools.md" with { type: "text" };
import gameCorpus from "../../data/prompts/game-corpus.md" with { type: "text" };
import gameMultiturn from "../../data/prompts/game-multiturn.md" with { type: "text" };
import gameSingle from "../../data/prompts/game-single.md" with { type: "text" };
import hint from "../../data/prompts/hint.md" with { type: "text" };
import hintTools from "../../data/prompts/hint-tools.md" with { type: "text" };
import observation from "../../data/prompts/observation.md" with { type: "text" };
import repair from "../../data/prompts/repair.md" with { type: "text" };
import screen from "../../data/prompts/screen.md" with { type: "text" };
import toolUse from "../../data/prompts/tool-use.md" with { type: "text" };
import actions from "../../data/prompts/parts/actions.md" with { type: "text" };
import example from "../../data/prompts/parts/example.md" with { type: "text" };
import fairness from "../../data/prompts/parts/fairness.md" with { type: "text" };
import form from "../../data/prompts/parts/form.md" with { type: "text" };
import interfacePart from "../../data/prompts/parts/interface.md" with { type: "text" };
import material from "../../data/prompts/parts/material.md" with { type: "text" };
import memory from "../../data/prompts/parts/memory.md" with { type: "text" };
import task from "../../data/prompts/parts/task.md" with { type: "text" };

export const promptFiles: PromptFiles = {
  agent,
  "agent-tools": agentTools,
  "game-corpus": gameCorpus,
  "game-multiturn": gameMultiturn,
  "game-single": gameSingle,
  hint,
  "hint-tools": hintTools,
  observation,
  repair,
  screen,
  "tool-use": toolUse,
  "parts/actions": actions,
  "parts/example": example,
  "parts/fairness": fairness,
  "parts/form": form,
  "parts/interface": interfacePart,
  "parts/material": material,
  "parts/memory": memory,
  "parts/task": task,
};
