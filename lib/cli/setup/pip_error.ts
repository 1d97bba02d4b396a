import { SetupError } from "./error.ts";

/** What to tell of the attempt: which environment, which Python, how much room it needs. */
export interface PipAttempt {
  environment: string;
  python: string;
  machine: string;
  diskMB: number;
}

const NETWORK =
  /NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|ProxyError|Connection (?:refused|reset)|Network is unreachable|Temporary failure in name resolution|Connection broken|Remote end closed|WARNING: Retrying /i;

/** Turns pip's output after a failure into what went wrong and what to do. */
export function explainPip(output: string, attempt: PipAttempt): SetupError {
  const { environment, python, machine, diskMB } = attempt;
  const place = `.spade/${environment}`;
  const errors = output.split("\n").filter((line) => /^\s*ERROR: (?!Could not find a)/.test(line));
  const said = errors.slice(-2).map((line) => line.trim().slice(7)).join(" ").slice(0, 300);
  if (/DO NOT MATCH THE HASHES|do not match the hashes/i.test(output)) {
    const line = output.split("\n").find((text) => / from /.test(text) && text.includes("==")) ??
      "";
    return new SetupError(
      "hash",
      `Cannot fill ${place}: a downloaded file is not the one the lock file names. ${line.trim()}`,
      "Nothing of it was installed. A mirror or proxy may have altered it, or your index serves " +
        "another build; try another index (PIP_INDEX_URL), and report it if it persists",
    );
  }
  if (/No space left on device|Errno 28|Disk quota exceeded/i.test(output)) {
    return new SetupError(
      "disk-full",
      `Cannot fill ${place}: the disk is full; about ${diskMB} MB are needed`,
      "Free that much where the project lies, and some in the folder for temporary files (TMPDIR)",
    );
  }
  if (/CERTIFICATE_VERIFY_FAILED|problem confirming the ssl certificate|SSLError/i.test(output)) {
    return new SetupError(
      "certificate",
      `Cannot fill ${place}: pip does not trust the certificate of the package index`,
      "Name your certificates: PIP_CERT=/path/to/certificates.pem (pip config set global.cert ...)",
    );
  }
  if (/\b(401|403|407) (Client )?Error|\b(401|403|407) \w+/.test(output)) {
    return new SetupError(
      "refused",
      `Cannot fill ${place}: the package index refused. ${said}`,
      "Check the index address and its credentials in your pip settings (pip config list)",
    );
  }
  if (NETWORK.test(output)) {
    return new SetupError(
      "offline",
      `Cannot fill ${place}: the package index cannot be reached. ${said}`,
      "Check the network and your pip settings (pip config list, HTTPS_PROXY). What was already " +
        "downloaded is kept in pip's cache; start again when it is reachable. Without a network: " +
        "put the wheels in a folder and set PIP_FIND_LINKS to it and PIP_NO_INDEX=1",
    );
  }
  if (
    /No matching distribution found|Could not find a version|ResolutionImpossible/i.test(output)
  ) {
    return new SetupError(
      "no-wheel",
      `Cannot fill ${place}: no accepted package for Python ${python} on ${machine}. ${said}`,
      "Use another Python between 3.10 and 3.14 (SPADE_PYTHON=/path/to/python3); Linux needs glibc " +
        "2.28 or newer on x86-64 or arm64. A private index must carry the versions of the lock file",
    );
  }
  return new SetupError(
    "pip",
    `Cannot fill ${place}: pip failed. ${said || output.trim().slice(-400)}`,
    "The whole output is in .spade/setup.log",
  );
}
