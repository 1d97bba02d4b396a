/**
 * `deno task lab`: JupyterLab on `notebooks/` with both kernels, from the project's own Python environment.
 *
 * Guarantees: it listens on this machine only and wants a token; nobody's own Jupyter settings are read or changed; it
 * offers our two kernels and no other; what a cell shows runs no script in its page; it ends, with its kernels, when this
 * command does.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "../../core/mod.ts";
import { policyText } from "../../kernel/mod.ts";
import { root } from "../files.ts";
import type { Invocation } from "../main.ts";
import { type Command, numberValue } from "../options.ts";
import { pagePolicy } from "./page_policy.ts";
import { factsOf, POLICY_FILE, readPolicy } from "./rules.ts";
import { SPECS_FOLDER, writeSpecs } from "./specs.ts";

export const labCommand: Command = {
  name: "lab",
  does: "start JupyterLab on notebooks/",
  options: {
    port: { type: "string" },
    "no-browser": { type: "boolean" },
    specs: { type: "boolean" },
    policy: { type: "boolean" },
  },
  help: `deno task lab [options]

Starts JupyterLab on notebooks/, on this machine only, with the kernels SPADE (Deno's, which may
do all that you may) and SPADE (policy) (the same behind ${POLICY_FILE}). Ctrl-C ends all.

  --port N      where it listens (default: the first free one from 8888)
  --no-browser  open none (what happens anyway where there is no display)
  --specs       only write the kernelspecs, and say how another Jupyter or VS Code finds them
  --policy      only say what a notebook on SPADE (policy) may touch`,
};

const USER_SETTINGS = path.join(SPECS_FOLDER, "config", "lab", "user-settings");
const PAGE_SETTINGS = path.join(SPECS_FOLDER, "page");
const FIRST_PORT = 8888;
const PORTS = 100;
const END_MS = 10_000;
const LAST_LINES = 15;

/** Jupyter ends with this program, however that ends (Linux: by the parent-death signal). */
const START = `
import ctypes, os, runpy, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
sys.argv[0] = "jupyter-lab"
runpy.run_module("jupyterlab", run_name="__main__", alter_sys=True)
`;

/** Runs JupyterLab until it is stopped. `display`: a browser can be opened. */
export async function lab(
  { values, signal }: Invocation,
  { display, isRoot }: { display: boolean; isRoot: boolean },
): Promise<number> {
  if (values.policy === true) {
    console.log(policyText(factsOf(readPolicy(), { file: POLICY_FILE })));
    return 0;
  }
  await writeSpecs();
  if (values.specs === true) {
    console.log(specsText());
    return 0;
  }
  const environment = path.join(root, ".spade", "lab");
  const python = path.join(environment, "bin", "python");
  if (!fs.existsSync(python)) {
    throw new UsageError("Cannot find JupyterLab (.spade/lab): run `deno task setup lab` first");
  }
  const port = freePort(numberValue("port", values.port));
  const token = crypto.getRandomValues(new Uint8Array(24)).toHex();
  await Deno.mkdir(path.join(root, "notebooks"), { recursive: true });
  setUp();
  const headers = { "Content-Security-Policy": await pagePolicy(environment, port) };
  const url = `http://127.0.0.1:${port}/lab?token=${token}`;
  const server = new Deno.Command(python, {
    args: [
      "-I",
      "-c",
      START,
      ...settings(port, { browser: display && !values["no-browser"], isRoot }),
      `--ServerApp.tornado_settings=${JSON.stringify({ headers })}`,
    ],
    cwd: path.join(root, "notebooks"),
    env: { ...folders(), JUPYTER_TOKEN: token },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const log = path.join(SPECS_FOLDER, "lab.log");
  const { ready, said } = follow(server.stderr, log);
  const ended = server.status;
  const stop = () => {
    server.kill("SIGTERM");
    setTimeout(() => server.kill("SIGKILL"), END_MS);
  };
  signal.addEventListener("abort", stop);
  if (await Promise.race([ready, ended.then(() => false)])) {
    console.log(
      `JupyterLab on notebooks/: ${url}\nIts log: ${path.relative(root, log)}. Ctrl-C ends it.`,
    );
  }
  const { code } = await ended;
  if (signal.aborted) return 130;
  console.error(`error: JupyterLab ended (exit ${code}); its last words:\n${await said}`);
  return 1;
}

function settings(port: number, { browser, isRoot }: { browser: boolean; isRoot: boolean }) {
  return [
    "--ServerApp.ip=127.0.0.1",
    `--ServerApp.port=${port}`,
    "--ServerApp.port_retries=0",
    `--ServerApp.root_dir=${path.join(root, "notebooks")}`,
    `--ServerApp.open_browser=${browser ? "True" : "False"}`,
    `--ServerApp.allow_root=${isRoot ? "True" : "False"}`,
    "--KernelSpecManager.ensure_native_kernel=False",
    "--KernelSpecManager.allowed_kernelspecs={'spade','spade-policy'}",
    "--MultiKernelManager.default_kernel_name=spade",
    // nothing is asked of the internet
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.news_url=None",
    "--LabApp.extension_manager=readonly",
    `--LabApp.app_settings_dir=${PAGE_SETTINGS}`,
  ];
}

/** Folders of Jupyter below .spade, so that nobody's own are touched. */
function folders(): Record<string, string> {
  const below = (name: string) => path.join(SPECS_FOLDER, name);
  return {
    JUPYTER_PATH: SPECS_FOLDER,
    JUPYTER_CONFIG_DIR: below("config"),
    JUPYTER_DATA_DIR: below("data"),
    JUPYTER_RUNTIME_DIR: below("runtime"),
    JUPYTER_NO_CONFIG: "1",
    JUPYTERLAB_SETTINGS_DIR: USER_SETTINGS,
  };
}

/** Answers a question that JupyterLab would ask at its first start, and lets no output be a script. */
function setUp(): void {
  const news = path.join(USER_SETTINGS, "@jupyterlab", "apputils-extension");
  fs.mkdirSync(news, { recursive: true });
  const file = path.join(news, "notification.jupyterlab-settings");
  if (!fs.existsSync(file)) {
    fs.writeFileSync(file, '{ "fetchNews": "false", "checkForUpdates": false }\n');
  }
  fs.mkdirSync(PAGE_SETTINGS, { recursive: true });
  fs.writeFileSync(
    path.join(PAGE_SETTINGS, "page_config.json"),
    '{ "disabledExtensions": ["@jupyterlab/javascript-extension"] }\n',
  );
}

function freePort(asked: number | undefined): number {
  const last = asked ?? FIRST_PORT + PORTS - 1;
  if (last < 1 || last > 65_535) throw new UsageError(`Cannot use --port ${asked}: no such port`);
  for (let port = asked ?? FIRST_PORT; port <= last; port++) {
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
    }
  }
  throw new UsageError(
    asked === undefined
      ? `Cannot start JupyterLab: no port from ${FIRST_PORT} to ${last} is free`
      : `Cannot use --port ${asked}: it is taken`,
  );
}

/** Writes the server's log to a file; `ready` once it listens, `said` its last lines when it has ended. */
function follow(stream: ReadableStream<Uint8Array>, file: string) {
  const { promise: ready, resolve } = Promise.withResolvers<boolean>();
  const said = (async () => {
    let lines: string[] = [];
    fs.writeFileSync(file, "", { mode: 0o600 });
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      fs.appendFileSync(file, text);
      lines = [...lines, ...text.split("\n")].filter((line) => line !== "").slice(-LAST_LINES);
      if (/ is running at/.test(text)) resolve(true);
    }
    return lines.join("\n");
  })();
  return { ready, said };
}

function specsText(): string {
  const kernels = path.join(SPECS_FOLDER, "kernels");
  return `Wrote ${kernels}/spade and /spade-policy.

Another Jupyter, for one start:  JUPYTER_PATH=${SPECS_FOLDER} jupyter lab
Another Jupyter, for good:       jupyter kernelspec install --user ${kernels}/spade
                                 jupyter kernelspec install --user ${kernels}/spade-policy
VS Code: install them for good as above, or start it with that JUPYTER_PATH; then Select Kernel,
Jupyter Kernel…, SPADE. They hold this folder's path: run this again after moving it.`;
}
