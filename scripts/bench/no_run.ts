/** A manifest that says nothing: what is measured is the store. */
import type { Manifest } from "../../lib/store/mod.ts";

export const manifest: Manifest = {
  format: 1,
  toolkit: { version: "bench", commit: null, diffHash: null },
  versions: {},
  hardware: { os: "", architecture: "", cpu: "", cores: 2, memoryMb: 0, accelerators: [] },
  model: { id: "none", revision: null, hash: null },
  corpus: null,
  prompts: { version: "none", hash: "" },
  config: {},
  seeds: {},
  engine: { name: "none", version: "", flags: [] },
  sandbox: { level: "none", layers: {} },
  selection: "none",
  startedAt: "",
  command: [],
};
