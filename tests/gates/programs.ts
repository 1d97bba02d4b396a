/** The programs of data/environments, and what their first lines say about them. */

export interface Program {
  name: string;
  source: string;
  /** `# key: value` lines at the top. */
  header: Readonly<Record<string, string>>;
}

const folder = new URL("../../data/environments/", import.meta.url);

export function programs(kind: "good" | "bad"): Program[] {
  const names = [...Deno.readDirSync(new URL(kind, folder))].map(({ name }) => name)
    .filter((name) => name.endsWith(".py")).sort();
  return names.map((name) => program(`${kind}/${name}`));
}

export function program(path: string): Program {
  const source = Deno.readTextFileSync(new URL(path, folder));
  const top = /^(?:#.*\n)*/.exec(source)![0];
  const header = Object.fromEntries(
    [...top.matchAll(/^# (\w+): (.*)$/gm)].map(([, key, value]) => [key, value]),
  );
  return { name: path.replace(/^.*\//, "").replace(/\.py$/, ""), source, header };
}

/** Runs `work` over `items`, at most `width` at a time; results in the order of items. */
export async function inTurns<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width = 4,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
