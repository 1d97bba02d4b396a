import assert from "node:assert/strict";
import { explainPip, parsePipLine } from "../../lib/cli/setup/mod.ts";

Deno.test("parsePipLine() reads pip's lines, old and new", () => {
  const cases: [string, unknown][] = [
    ["Collecting torch==2.13.0+cpu (from -r a.lock (line 3))", {
      kind: "collect",
      requirement: "torch==2.13.0+cpu",
    }],
    ["  Downloading numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl (16.9 MB)", {
      kind: "download",
      file: "numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl",
      megabytes: 16.9,
    }],
    ["Downloading https://example.org/a/torch-2.13.0%2Bcpu-cp311-cp311-linux.whl (1.5 GB)", {
      kind: "download",
      file: "torch-2.13.0+cpu-cp311-cp311-linux.whl",
      megabytes: 1500,
    }],
    ["Using cached h11-0.16.0-py3-none-any.whl (500 kB)", {
      kind: "cached",
      file: "h11-0.16.0-py3-none-any.whl",
      megabytes: 0.5,
    }],
    ["Using cached h11-0.16.0-py3-none-any.whl.metadata (8.3 kB)", { kind: "other" }],
    ["Processing /a folder/torch-2.13.0+cpu-cp311.whl (from -r a.lock (line 3))", {
      kind: "local",
      file: "torch-2.13.0+cpu-cp311.whl",
    }],
    ["Progress 1048576 of 191794682", { kind: "progress", done: 1048576, total: 191794682 }],
    ["Installing collected packages: a, b, c", { kind: "install", packages: ["a", "b", "c"] }],
    ["Successfully installed a-1 b-2", { kind: "installed", packages: 2 }],
    ["WARNING: Retrying (Retry(total=4, connect=None)) after connection broken", { kind: "retry" }],
    ["ERROR: No matching distribution found for x", {
      kind: "error",
      text: "No matching distribution found for x",
    }],
    ["Looking in links: /wheels", { kind: "other" }],
    ["", { kind: "other" }],
  ];
  for (const [line, event] of cases) assert.deepEqual(parsePipLine(line), event, line);
});

const attempt = { environment: "engine", python: "3.11.7", machine: "linux x86_64", diskMB: 500 };

Deno.test("explainPip() tells apart what went wrong", () => {
  const none =
    "ERROR: Could not find a version that satisfies the requirement a==1 (from versions: " +
    "none)\nERROR: No matching distribution found for a==1\n";
  const cases: [string, string][] = [
    [none, "no-wheel"],
    ["ERROR: ResolutionImpossible: a==1 and the constraint a<=2", "no-wheel"],
    [
      `WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\n${none}`,
      "offline",
    ],
    [
      "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
      "disk-full",
    ],
    [
      "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n    a==1 from https://x:",
      "hash",
    ],
    [
      "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] self-signed'))",
      "certificate",
    ],
    ["ERROR: HTTP error 403 Client Error: Forbidden for url: https://example.org/a.whl", "refused"],
    ["Killed", "pip"],
  ];
  for (const [output, code] of cases) {
    const error = explainPip(output, attempt);
    assert.equal(error.code, code, output);
    assert.match(error.message, /^Cannot fill \.spade\/engine: /);
    assert.ok(error.hint.length > 0);
  }
  assert.match(explainPip(none, attempt).message, /Python 3\.11\.7 on linux x86_64/);
});
