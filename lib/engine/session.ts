/**
 * A session on a Tinker server and one fully trained model in it.
 * @module
 */
import { EngineError, type TrainerCapabilities } from "../core/mod.ts";
import { submit } from "./futures.ts";
import { modelBody, type Profile, type ProfileName, profiles } from "./profiles.ts";
import * as replies from "./replies.ts";
import type { Wire } from "./wire.ts";

/** Path of the protocol's routes. */
export const API = "/api/v1/";
/** Tinker's own limits, where a server names none. */
const CHUNK = { data: 1024, bytes: 5_000_000 };

/** A session, its model, and what is known of the server. */
export interface Session {
  /** What the server can do. */
  capabilities: TrainerCapabilities;
  /** The server's name for the session. */
  sessionId: string;
  /** The server's name for the trained model. */
  modelId: string;
  /** What is known of such servers. */
  profile: Profile;
  /** Rank of the trained adapters; 0: all weights train. */
  rank: number;
  /** Most data and bytes in one training call. */
  chunk: { data: number; bytes: number };
}

/** What is asked of a server. */
export interface SessionOptions {
  /** What the server calls the base model. @default the first supported one */
  baseModel?: string;
  /** What is known of the server. @default what it says of itself, else `tinker` */
  profile?: ProfileName;
  /** Rank of trained adapters; 0: all weights train. @default 0 */
  loraRank?: number;
  /** For the short calls (session, state). @default 60_000 */
  shortDeadlineMs?: number;
  /** Ends the opening with its reason. */
  signal?: AbortSignal;
}

/** Reads what the server can do, opens a session and creates the model. */
export async function openSession(wire: Wire, options: SessionOptions): Promise<Session> {
  const { signal } = options;
  const call = (action: string) => ({
    action,
    deadlineMs: options.shortDeadlineMs ?? 60_000,
    signal,
  });
  const version = { sdk_version: "0.24.0" }; // the last one of the JSON era
  const config = await wire.post(
    API + "client/config",
    version,
    replies.configReply,
    call("read the engine's settings"),
  );
  const able = await wire.get(
    API + "get_server_capabilities",
    replies.capabilitiesReply,
    call("read the engine's capabilities"),
  );
  const names = able.supported_models.map(({ model_name }) => model_name);
  const name = options.baseModel ?? names[0];
  const model = able.supported_models.find((item) => item.model_name === name);
  if (!model) {
    throw new EngineError(
      `Cannot train ${name}: the engine does not hold that model, only ${
        names.join(", ") || "none"
      }`,
    );
  }
  const session = { tags: [], user_metadata: {}, ...version, type: "create_session" };
  const { session_id } = await wire.post(
    API + "create_session",
    session,
    replies.sessionReply,
    call("open a session"),
  );
  const own = able.spade_engine !== undefined;
  const profile = profiles[options.profile ?? (own ? "embedded" : "tinker")];
  const rank = options.loraRank ?? 0;
  const opened = {
    sessionId: session_id,
    capabilities: { model: model.model_name },
    profile,
    rank,
  };
  const modelId = await createModel(wire, opened, 1, call("create the model"));
  const capabilities = {
    engine: able.spade_engine ?? profile.name,
    engineVersion: able.spade_version ?? "unknown",
    model: model.model_name,
    maxContext: model.max_context_length ?? Infinity,
    adamPerCall: profile.adam === "all",
    batchIds: own,
    // a second model on one server: adapters share it, all weights seldom do
    reference: own || rank > 0,
    rowExact: able.spade_row_exact,
  };
  const chunk = {
    data: config.fwdbwd_max_chunk_len ?? CHUNK.data,
    bytes: config.fwdbwd_max_chunk_bytes_count ?? CHUNK.bytes,
  };

  return { ...opened, capabilities, modelId, chunk };
}

/** Creates the session's model number `seq` on the starting weights. Returns its id. */
export async function createModel(
  wire: Wire,
  session: Pick<Session, "sessionId" | "profile" | "rank"> & { capabilities: { model: string } },
  seq: number,
  call: { action: string; deadlineMs: number; signal?: AbortSignal },
): Promise<string> {
  const body = {
    session_id: session.sessionId,
    model_seq_id: seq,
    base_model: session.capabilities.model,
    ...modelBody(session.profile, session.rank, seq),
  };
  return (await submit(wire, API + "create_model", () => body, replies.createdReply, call))
    .model_id;
}

/** Opens sampling session number `seq` on the starting weights or on published ones. Returns its id. */
export async function createSamplingSession(
  wire: Wire,
  session: Pick<Session, "sessionId" | "capabilities">,
  seq: number,
  weights: { path?: string },
  call: { action: string; deadlineMs: number; signal?: AbortSignal },
): Promise<string> {
  const body = {
    session_id: session.sessionId,
    sampling_session_seq_id: seq,
    ...weights.path === undefined
      ? { base_model: session.capabilities.model }
      : { model_path: weights.path },
  };
  const schema = replies.samplingSessionReply;
  return (await wire.post(API + "create_sampling_session", body, schema, call)).sampling_session_id;
}
