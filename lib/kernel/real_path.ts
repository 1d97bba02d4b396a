/**
 * Paths as the system will take them.
 * @module
 */
import * as fs from "node:fs";
import * as nodePath from "node:path";

/**
 * The path with every symbolic link followed; what does not exist yet is kept as it is, below the real folder. `cwd` is
 * what a relative path starts from; undefined: then a relative one cannot be told.
 *
 * @returns undefined where it cannot be told, e.g. in a circle of links.
 */
export function realPathFrom(path: string, cwd: string | undefined): string | undefined {
  if (path.includes("\0")) return undefined;
  if (!nodePath.isAbsolute(path) && cwd === undefined) return undefined;
  // the parts are followed one by one: `..` after a link goes up from where the link leads
  let at = "/";
  const parts = [...(nodePath.isAbsolute(path) ? [] : cwd!.split("/")), ...path.split("/")];
  let links = 0;
  while (parts.length > 0) {
    const part = parts.shift()!;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      at = nodePath.dirname(at);
      continue;
    }
    const next = nodePath.join(at, part);
    const target = linkTarget(next);
    if (target === null) return undefined;
    if (target === undefined) at = next;
    else {
      if (++links > 40) return undefined;
      if (nodePath.isAbsolute(target)) at = "/";
      parts.unshift(...target.split("/"));
    }
  }
  return at;
}

/** Where a link leads; undefined: it is none, or not there; null: it cannot be told. */
function linkTarget(path: string): string | undefined | null {
  try {
    return fs.readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return ["EINVAL", "ENOENT", "ENOTDIR"].includes(code ?? "") ? undefined : null;
  }
}
