/**
 * A stub that stands for an inference server and its trainer, for `capacity.ts`: fixed service times, a fixed number of
 * slots, first come first served. It computes nothing, so what a run loses against it is the loop's own.
 *
 * A request that arrives takes the slot that is free first; when it is answered follows from that alone, however late
 * this process hears its timers. `GET /log` gives what was served since the last look, and what that took.
 *
 *   deno run -A scripts/bench/stub_server.ts JSON
 */
import * as fs from "node:fs";
import { Random, seedOf } from "../../lib/core/mod.ts";
import { endToken, loadTokenizer } from "../../lib/engine/text/mod.ts";

/** Milliseconds of service by kind of request, and what the programs do. */
export interface StubOptions {
  slots: number;
  turnMs: number;
  hintMs: number;
  designerMs: number;
  brokenShare: number;
  /** Loop turns that take 200 ms of CPU, in one play's third step; 0: none. */
  heavyTurns: number;
  /** How the program that hangs does it, from its second step on; "no": none does. */
  hang: "no" | "busy" | "asleep";
}

/** One request served: when it came, when its slot was free for it, when it was done (ms of the wall clock). */
export interface Served {
  kind: "designer" | "hint" | "turn";
  came: number;
  began: number;
  ended: number;
}

/** Longest replies by kind of request: how the stub tells them apart. */
export const tokens = { designer: 2000, hint: 64, agent: 40 };

if (import.meta.main) serve(JSON.parse(Deno.args[0]));

/** A game of 6 to 10 turns that pays at its end; number `index` of a set. Gates play seeds up to 19 and see no fault. */
export function programOf(
  index: number,
  fault: "none" | "heavy" | "busy" | "asleep",
  heavyTurns: number,
) {
  const then = {
    none: "pass",
    heavy: `for _ in range(${heavyTurns}):\n                pass`,
    busy: "while True:\n                pass",
    asleep: "time.sleep(10**6)",
  }[fault];
  return `import random
import time
from spade_env import boxed


class Crates${index}Env:
    KINDS = 12
    NEED = 2
    SALT = ${index}

    def __init__(self, max_turns=12):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self.seed = seed
        self.rng = random.Random(seed * 64 + self.SALT)
        self.limit = self.rng.randint(6, 10)
        self.turn = 0
        self.hits = 0
        self.note = ""
        self.deal()
        return self.show(), self.info()

    def info(self):
        return {"actions": [str(i) for i in range(self.KINDS)]}

    def deal(self):
        self.shown = [self.rng.randrange(self.KINDS) for _ in range(4)]
        self.goal = sum(self.shown) % self.KINDS

    def show(self):
        crates = " ".join(str(x) for x in self.shown)
        return f"{self.note}crates {crates}, turn {self.turn} of {self.limit}, found {self.hits}"

    def step(self, action):
        self.turn += 1
        if self.seed > 19 and self.turn == 3:
            ${then}
        guess = boxed(action)
        hit = guess == str(self.goal)
        self.note = "yes. " if hit else f"no, {self.goal}. "
        self.hits += hit
        self.deal()
        over = self.turn >= self.limit
        won = over and self.hits >= self.NEED
        return self.show(), float(won), over, False, self.info()
`;
}

function serve(options: StubOptions): void {
  const tokenizer = loadTokenizer(JSON.parse(fs.readFileSync("data/nano/tokenizer.json", "utf8")));
  const end = tokenizer.specials[endToken];
  const service = {
    designer: options.designerMs,
    hint: options.hintMs,
    turn: options.turnMs,
  };
  const free = new Array<number>(options.slots).fill(0);
  const now = () => performance.timeOrigin + performance.now();
  let log: Served[] = [];
  let designs = 0, version = 0, requests = 0;
  const futures = new Map<string, unknown>();

  const take = (kind: Served["kind"]): number => {
    const came = now();
    let slot = 0;
    for (let i = 1; i < free.length; i++) if (free[i] < free[slot]) slot = i;
    const began = Math.max(came, free[slot]);
    const ended = free[slot] = began + service[kind];
    log.push({ kind, came, began, ended });
    return ended;
  };

  /** Every program is another; the first two accepted ones may be faulty. */
  const design = (seed: number): string => {
    if (new Random(seedOf("broken", seed)).next() < options.brokenShare) return "class Broken(:";
    const index = designs++;
    const fault = index === 0 && options.heavyTurns > 0
      ? "heavy" as const
      : index === 1 && options.hang !== "no"
      ? options.hang
      : "none" as const;
    return programOf(index, fault, options.heavyTurns);
  };

  const reply = (kind: Served["kind"], seed: number): number[] => {
    const random = new Random(seed);
    const text = kind === "designer"
      ? design(seed)
      : kind === "hint"
      ? "add the crates and keep the remainder"
      : `\\boxed{${random.integer(12)}}`;
    return [...tokenizer.encode(text), end];
  };

  // deno-lint-ignore no-explicit-any
  const completions = async (body: any): Promise<unknown> => {
    const kind = body.max_tokens === tokens.designer
      ? "designer" as const
      : body.max_tokens === tokens.hint
      ? "hint" as const
      : "turn" as const;
    const prompts: number[][] = body.prompt;
    const done = Math.max(...prompts.map(() => take(kind)));
    const choices = prompts.map((prompt, index) => {
      const token_ids = reply(kind, body.seed[index]);
      return {
        index,
        token_ids,
        logprobs: { token_logprobs: token_ids.map(() => -0.5) },
        finish_reason: "stop",
        ...body.return_token_ids ? { prompt_token_ids: prompt } : {},
      };
    });
    await new Promise((resolve) => setTimeout(resolve, done - now()));
    return { weights_version: version, choices };
  };

  // deno-lint-ignore no-explicit-any
  const later = (value: (body: any) => unknown) => (body: unknown) => {
    const request_id = `r${++requests}`;
    futures.set(request_id, value(body));
    return { request_id };
  };
  const learned = (
    { data }: { data: { loss_fn_inputs: { target_tokens: { data: number[] } } }[] },
  ) => ({
    loss_fn_outputs: data.map((datum) => ({
      logprobs: { data: datum.loss_fn_inputs.target_tokens.data.map(() => -0.5) },
    })),
    metrics: { "loss:sum": 0 },
  });

  // deno-lint-ignore no-explicit-any
  const routes: Record<string, (body: any) => unknown> = {
    config: () => ({ fwdbwd_max_chunk_bytes_count: 50_000_000 }),
    get_server_capabilities: () => ({
      supported_models: [{ model_name: "stub", max_context_length: 32768 }],
      ...{ spade_engine: "embedded", spade_version: "stub", spade_row_exact: true },
    }),
    create_session: () => ({ session_id: "s" }),
    session_heartbeat: () => ({}),
    create_model: later(() => ({ model_id: "m" })),
    get_info: () => ({ spade_steps: version, spade_weights_version: version }),
    forward: later((body) => learned(body.forward_input)),
    forward_backward: later((body) => learned(body.forward_backward_input)),
    optim_step: later(() => ({ metrics: { grad_norm: 1 } })),
    save_weights: later((body) => ({ path: `tinker://m/weights/${body.path}` })),
    save_weights_for_sampler: later(() => ({
      ...{ spade_weights_version: ++version, sampling_session_id: `sampler-${version}` },
    })),
    unload_model: () => ({ request_id: "gone" }),
    retrieve_future: ({ request_id }) => {
      const value = futures.get(request_id);
      futures.delete(request_id);
      return value;
    },
    completions,
    log: () => {
      const given = log;
      log = [];
      return given;
    },
  };

  Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen: ({ port }) => console.log(JSON.stringify({ port })),
  }, async (request) => {
    const route = new URL(request.url).pathname.split("/").at(-1)!;
    const body = request.method === "POST" ? await request.json() : {};
    const handler = routes[route];
    return handler
      ? Response.json(await handler(body))
      : Response.json({ detail: `there is no ${route}` }, { status: 404 });
  });
}
