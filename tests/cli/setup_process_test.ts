/** Set-up from end to end with a stand-in for Python that keeps a log of how it was called; no network. */
import assert from "node:assert/strict";
import {
  createDisplay,
  ENVIRONMENTS,
  lockFiles,
  parseLock,
  pendingEnvironments,
  setUp,
  type SetupError,
  type SetupOptions,
  type SetupReport,
  type Wishes,
} from "../../lib/cli/setup/mod.ts";

const FAKE = `#!/bin/sh
case "$2 $3" in
  "-m venv")
    echo "venv $5" >> calls
    rm -rf "$5"; mkdir -p "$5/bin" "$5/lib/python3.11/site-packages/pip-23.2.dist-info"
    cp "$0" "$5/bin/python" ;;
  *diskFree*) echo probe >> calls; cat facts ;;
  *runpy*)
    for last; do :; done
    echo "pip $last" >> calls
    echo "Collecting a==1 (from -r $last (line 1))"
    echo "  Downloading a-1-py3-none-any.whl (2.0 MB)"
    if [ -e slow ]; then exec sleep 30; fi
    case "$last" in *torch-cpu*) if [ -e no-cpu ]; then
      echo "ERROR: No matching distribution found for torch==1+cpu" >&2; exit 1; fi ;; esac
    echo "Successfully installed a-1" ;;
  *importlib*) echo import >> calls ;;
esac
`;

const FACTS = {
  version: [3, 11, 7],
  implementation: "cpython",
  executable: "/usr/bin/python3.11",
  bits: 64,
  freeThreaded: false,
  venv: true,
  ensurepip: true,
  platform: "linux",
  machine: "x86_64",
  nvidia: false,
  diskFree: 1e11,
};

interface Place {
  root: string;
  run(options?: Partial<SetupOptions>): Promise<SetupReport>;
  calls(): Promise<string[]>;
  touch(name: string, text?: string): Promise<void>;
}

async function withPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "spade setup " });
  try {
    for (const path of ENVIRONMENTS.flatMap(lockFiles)) {
      await Deno.mkdir(`${root}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      await Deno.writeTextFile(`${root}/${path}`, `a==1 \\\n    --hash=sha256:${"0".repeat(64)}\n`);
    }
    await Deno.writeTextFile(`${root}/python`, FAKE, { mode: 0o755 });
    const place: Place = {
      root,
      run: (options = {}) => {
        const clock = () => performance.now() / 1000;
        const display = createDisplay({ write: () => {}, terminal: false, clock });
        const wishes = { python: `${root}/python` };
        return setUp({ root, display, clock, wishes, ...options });
      },
      calls: async () => {
        const text = await Deno.readTextFile(`${root}/calls`).catch(() => "");
        return text.split("\n").filter((line) => line !== "");
      },
      touch: (name, text = "") => Deno.writeTextFile(`${root}/${name}`, text),
    };
    await place.touch("facts", JSON.stringify(FACTS));
    await work(place);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** The error a set-up ends with. */
async function failure(promise: Promise<unknown>): Promise<SetupError> {
  const error = await promise.then(() => undefined, (error) => error);
  assert.equal(error?.name, "SetupError", `expected a SetupError, got ${error}`);
  return error;
}

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    if (await what()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("not within 10 s");
}

Deno.test("setUp() makes both environments, then starts no Python", () =>
  withPlace(async (place) => {
    const first = await place.run();
    assert.deepEqual(first.made.map(({ name }) => name), ["sandbox", "engine"]);
    assert.equal(first.downloadMB, 6);
    const calls = await place.calls();
    assert.equal(calls.filter((call) => call.startsWith("venv")).length, 2);
    const locks = calls.filter((call) => call.startsWith("pip")).map((call) => call.slice(4));
    assert.deepEqual(locks, [
      "sandbox/requirements.lock",
      "scripts/engine/torch-cpu.lock",
      "scripts/engine/requirements.lock",
    ]);
    const second = await place.run();
    assert.deepEqual(second.made, []);
    assert.deepEqual(await place.calls(), calls);
    const report = JSON.parse(await Deno.readTextFile(`${place.root}/.spade/setup.json`));
    assert.equal(report.downloadSeconds, 0);
  }));

Deno.test("setUp() makes again what an interruption left unfinished", () =>
  withPlace(async (place) => {
    await place.touch("slow");
    const stop = new AbortController();
    const running = failure(place.run({ signal: stop.signal }));
    await until(async () => (await place.calls()).some((call) => call.startsWith("pip")));
    stop.abort();
    assert.equal((await running).code, "interrupted");
    const wishes = { python: `${place.root}/python` };
    assert.equal((await pendingEnvironments(place.root, wishes)).length, 2);
    await Deno.remove(`${place.root}/slow`);
    assert.equal((await place.run()).made.length, 2);
  }));

Deno.test("setUp() remakes only the environment whose lock file changed or whose Python is gone", () =>
  withPlace(async (place) => {
    await place.run();
    const lock = `b==1 \\\n    --hash=sha256:${"1".repeat(64)}\n`;
    await place.touch("sandbox/requirements.lock", lock);
    assert.deepEqual((await place.run()).made.map(({ name }) => name), ["sandbox"]);
    await Deno.remove(`${place.root}/.spade/engine/bin/python`);
    assert.deepEqual((await place.run()).made.map(({ name }) => name), ["engine"]);
  }));

Deno.test("setUp() makes optional environments by name, or leaves out what no Python is new enough for", () =>
  withPlace(async (place) => {
    const python = `${place.root}/python`;
    const named = { python, also: ["tinker-sdk", "skyrl"] }; // skyrl needs 3.12, there is 3.11
    const names = async (wishes: Wishes) =>
      (await place.run({ wishes })).made.map(({ name }) => name);
    assert.equal((await failure(place.run({ wishes: named }))).code, "python-unfit");
    const made = ["sandbox", "engine", "tinker-sdk"];
    assert.deepEqual(await names({ ...named, ifPossible: true }), made);
    assert.deepEqual(await names({ ...named, ifPossible: true }), []);
  }));

Deno.test("two set-ups at once make everything once", () =>
  withPlace(async (place) => {
    const [one, two] = await Promise.all([place.run(), place.run()]);
    assert.equal(one.made.length + two.made.length, 2);
    assert.equal((await place.calls()).filter((call) => call.startsWith("venv")).length, 2);
  }));

Deno.test("setUp() takes a CUDA build only with consent", () =>
  withPlace(async (place) => {
    await place.touch("no-cpu");
    const refused = await failure(place.run());
    assert.equal(refused.code, "consent");
    assert.match(refused.message, /2\.75 GB to download/);
    assert.match(refused.hint, /--accept-cuda/);
    const questions: string[] = [];
    await failure(place.run({ confirm: (question) => questions.push(question) < 0 }));
    assert.match(questions[0], /CUDA/);
    const wishes = { python: `${place.root}/python`, acceptCuda: true };
    const report = await place.run({ wishes });
    assert.equal(report.made.find(({ name }) => name === "engine")?.torch, "cuda");
  }));

Deno.test("setUp() stops before it starts when the disk is too full or the lock file is broken", () =>
  withPlace(async (place) => {
    await place.touch("facts", JSON.stringify({ ...FACTS, diskFree: 3e8 }));
    const full = await failure(place.run());
    assert.equal(full.code, "disk-full");
    assert.match(full.message, /300 MB are free/);
    await place.touch("sandbox/requirements.lock", "a>=1\n");
    assert.equal((await failure(place.run())).code, "lock-file");
    assert.ok(!(await place.calls()).some((call) => call.startsWith("venv")));
  }));

Deno.test("the project's lock files pin everything, agree, and name no index and no path", async () => {
  const read = (path: string) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
  const shared = new Map<string, string>();
  // an optional environment has the versions that its own packages ask for
  const locks = ENVIRONMENTS.flatMap((spec) =>
    lockFiles(spec).map((path) => ({
      path,
      versions: spec.optional ? new Map<string, string>() : shared,
    }))
  );
  for (const { path, versions } of locks) {
    const text = await read(path);
    assert.doesNotMatch(text, /:\/\/|--index|--find-links|file:/);
    for (const { name, version, marker = "" } of parseLock(text)) {
      if (name === "torch") {
        assert.equal(version.split("+")[0], "2.13.0");
        continue;
      }
      const key = `${name} ${marker}`;
      assert.equal(versions.get(key) ?? version, version, `${key} differs between lock files`);
      versions.set(key, version);
    }
  }
});
