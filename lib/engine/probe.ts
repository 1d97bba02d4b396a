/**
 * What answers at an address, found out by asking: which protocols a server speaks and what it says of itself. Nothing
 * is trained; with `isDeep` a session is opened, a model made, one datum looked at and one token sampled.
 * @module
 */
import { z } from "zod";
import { EngineError } from "../core/mod.ts";
import { type Profile, type ProfileName, profiles } from "./profiles.ts";
import { capabilitiesReply, configReply } from "./replies.ts";
import { API } from "./session.ts";
import { TinkerTrainer } from "./tinker.ts";
import { Wire } from "./wire.ts";

/** What one look found; `why` where it found nothing. */
export interface Finding {
  /** What was looked for, such as `is vLLM`. */
  what: string;
  /** Whether it is there. */
  found: boolean;
  /** What the server said of it, or why it was not found. */
  detail: string;
}

/** What is asked, and how long an answer may take. */
export interface ProbeOptions {
  /** What is known of the server; with `isDeep` it says how a model is asked for. @default what the server says of itself, else `tinker` */
  profile?: ProfileName;
  /** Sent as `X-API-Key` and as a bearer token. */
  apiKey?: string;
  /** Also open a session, look at one datum and sample one token. @default false */
  isDeep?: boolean;
  /** For one question. @default 10_000 */
  deadlineMs?: number;
  /** Ends the asking with its reason. */
  signal?: AbortSignal;
  /** Makes the requests; for tests and proxies. @default the global one */
  fetch?: typeof fetch;
}

const models = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const version = z.looseObject({ version: z.string() });
const modelInfo = z.looseObject({ model_path: z.string() });

/**
 * Asks everything an adapter of ours could need, in the order of the adapters.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // A server that answers everything with 404.
 * const answer = () => Promise.resolve(new Response("no such page", { status: 404 }));
 * const findings = await probeEngine("http://127.0.0.1:8000", { fetch: answer });
 * assert.ok(findings.every(({ found }) => !found));
 * assert.equal(findings[0].what, "trains over the Tinker protocol");
 * ```
 */
export async function probeEngine(url: string, options: ProbeOptions = {}): Promise<Finding[]> {
  const { apiKey, deadlineMs = 10_000, signal, isDeep = false } = options;
  const headers: Record<string, string> = apiKey
    ? { "x-api-key": apiKey, authorization: `Bearer ${apiKey}` }
    : {};
  const base = url.replace(/\/$/, "").replace(/\/v1$/, "");
  const wire = new Wire({ url: base, headers, retries: 0, fetch: options.fetch });
  const findings: Finding[] = [];
  const ask = async (what: string, look: () => Promise<string>): Promise<boolean> => {
    try {
      findings.push({ what, found: true, detail: await look() });
      return true;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof EngineError)) throw error;
      findings.push({ what, found: false, detail: error.message });
      return false;
    }
  };
  const call = (action: string) => ({ action, deadlineMs, signal });
  const trains = await ask("trains over the Tinker protocol", async () => {
    const able = await wire.get(
      API + "get_server_capabilities",
      capabilitiesReply,
      call("ask for models"),
    );
    const names = able.supported_models.map(({ model_name, max_context_length }) =>
      model_name + (max_context_length === undefined ? "" : ` (${max_context_length} tokens)`)
    );
    const own = able.spade_engine ? `our ${able.spade_engine} engine ${able.spade_version}, ` : "";
    return `${own}models ${names.join(", ") || "none"}`;
  });
  if (trains) {
    await ask("limits of a training call", async () => {
      const config = await wire.post(
        API + "client/config",
        { sdk_version: "0.24.0" },
        configReply,
        call("ask for limits"),
      );
      const { fwdbwd_max_chunk_len: data, fwdbwd_max_chunk_bytes_count: bytes } = config;
      return `${data ?? "1024 (assumed)"} data, ${bytes ?? "5000000 (assumed)"} bytes`;
    });
  }
  await ask("samples from ids over /v1/completions", async () => {
    const given = await wire.get("/v1/models", models, call("ask for models"));
    const [first] = given.data;
    if (first === undefined) throw new EngineError("Cannot sample: it lists no models");
    return `models ${given.data.map(({ id }) => id).join(", ")}`;
  });
  await ask(
    "is vLLM",
    async () => (await wire.get("/version", version, call("ask for its version"))).version,
  );
  await ask(
    "is SGLang (/generate)",
    async () =>
      (await wire.get("/get_model_info", modelInfo, call("ask for its model"))).model_path,
  );
  if (trains && isDeep) {
    await ask("makes a model and looks at one datum", async () => {
      const profile: Profile | undefined = options.profile && profiles[options.profile];
      await using trainer = await TinkerTrainer.connect(wire, {
        profile: options.profile,
        loraRank: profile?.training === "adapters" ? 4 : 0,
        shortDeadlineMs: deadlineMs,
        deadlineMs,
        signal,
      });
      const [logps] = await trainer.forward([{ input: [1, 2], target: [2, 3] }], { signal });
      const params = { maxTokens: 1, temperature: 1, stopIds: [] };
      const { base } = trainer.samplers();
      const { ids } = await base.sample({ prompt: [1, 2], params, seed: 1 }, { signal });
      const encoding = trainer.encoding === "proto" ? "protocol buffers" : "JSON";
      return `${encoding}; log-probability ${logps[1].toFixed(3)}, sampled id ${ids[0]}`;
    });
  }
  return findings;
}
