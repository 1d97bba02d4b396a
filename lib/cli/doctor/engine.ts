import { runProgram } from "../setup/mod.ts";
import type { Finding } from "./finding.ts";

/** What the engine's environment says about itself. */
export interface EngineFacts {
  torch: string;
  transformers: string;
  cuda: boolean;
  threads: number;
}

/** What {@link askEngine} answers when there is no environment. */
export const NOT_SET_UP = "not set up";

const ASK = `
import json, importlib.metadata as m, fastapi, httptools, safetensors, tokenizers, torch, uvicorn, uvloop
print(json.dumps({"torch": torch.__version__, "transformers": m.version("transformers"),
  "cuda": torch.cuda.is_available(), "threads": torch.get_num_threads()}))
`;

/** Starts the engine's Python and imports what the engine imports. */
export async function askEngine(root: string): Promise<EngineFacts | string> {
  try {
    const python = `${root}/.spade/engine/bin/python`;
    const answer = await runProgram(python, ["-I", "-c", ASK], { cwd: root });
    const line = answer.output.trim().split("\n").at(-1) ?? "";
    return answer.code === 0 ? JSON.parse(line) as EngineFacts : line;
  } catch {
    return NOT_SET_UP;
  }
}

export function findEngine(facts: EngineFacts | string): Finding {
  if (typeof facts !== "string") {
    const { torch, transformers, threads } = facts;
    const found = `torch ${torch}, transformers ${transformers}, ${threads} threads`;
    return { name: "Engine", mark: "good", found };
  }
  if (facts === NOT_SET_UP) {
    return {
      name: "Engine",
      mark: "limited",
      found: facts,
      hint: "train sets it up, or task setup",
    };
  }
  const hint = "remove .spade/engine and run: npx -y deno@2.9.6 task setup";
  return { name: "Engine", mark: "missing", found: `does not import: ${facts}`, hint };
}

const MODEL_FILES = ["config.json", "model.safetensors", "tokenizer.json"];

/** The nano policy's folder. */
export async function findModel(root: string): Promise<Finding> {
  const absent: string[] = [];
  let bytes = 0;
  for (const file of MODEL_FILES) {
    const size = await Deno.stat(`${root}/data/nano/${file}`).then((info) => info.size, () => -1);
    if (size < 0) absent.push(file);
    else bytes += size;
  }
  const name = "Nano policy";
  if (absent.length === 0) {
    return { name, mark: "good", found: `data/nano, ${(bytes / 1e6).toFixed(1)} MB` };
  }
  const hint = "restore it (git checkout -- data/nano) or: npx -y deno@2.9.6 task nano:pretrain";
  return { name, mark: "missing", found: `data/nano lacks ${absent.join(", ")}`, hint };
}
