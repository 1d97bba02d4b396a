/** What one line of pip's output says. Sizes in MB (10^6 bytes). */
export type PipEvent =
  | { kind: "collect"; requirement: string }
  | { kind: "download"; file: string; megabytes: number }
  | { kind: "cached"; file: string; megabytes: number }
  | { kind: "local"; file: string }
  | { kind: "progress"; done: number; total: number }
  | { kind: "retry" }
  | { kind: "install"; packages: string[] }
  | { kind: "installed"; packages: number }
  | { kind: "error"; text: string }
  | { kind: "other" };

const UNITS: Record<string, number> = { bytes: 1e-6, kB: 1e-3, MB: 1, GB: 1e3 };

/** Reads one line of `pip install` (23 to 26, progress bar off or raw); never throws. */
export function parsePipLine(raw: string): PipEvent {
  const line = raw.trim();
  const fetched = /^(Downloading|Using cached) (\S+)(?: \(([\d.]+) (bytes|kB|MB|GB)\))?$/.exec(
    line,
  );
  if (fetched !== null) {
    const file = fileName(fetched[2]);
    if (file.endsWith(".metadata")) return { kind: "other" };
    const megabytes = fetched[3] === undefined ? 0 : Number(fetched[3]) * UNITS[fetched[4]];
    return { kind: fetched[1] === "Downloading" ? "download" : "cached", file, megabytes };
  }
  const progress = /^Progress (\d+) of (\d+)$/.exec(line);
  if (progress !== null) {
    return { kind: "progress", done: Number(progress[1]), total: Number(progress[2]) };
  }
  const local = /^Processing (.+?\.whl)(?: \(from .*\))?$/.exec(line);
  if (local !== null) return { kind: "local", file: fileName(local[1]) };
  const collect = /^Collecting (\S+)/.exec(line);
  if (collect !== null) return { kind: "collect", requirement: collect[1] };
  const install = /^Installing collected packages: (.+)$/.exec(line);
  if (install !== null) return { kind: "install", packages: install[1].split(", ") };
  const installed = /^Successfully installed (.+)$/.exec(line);
  if (installed !== null) return { kind: "installed", packages: installed[1].split(" ").length };
  if (/^WARNING: Retrying /.test(line)) return { kind: "retry" };
  if (/^ERROR: /.test(line)) return { kind: "error", text: line.slice(7) };
  return { kind: "other" };
}

function fileName(address: string): string {
  const last = address.split("#")[0].split("/").at(-1) ?? address;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
