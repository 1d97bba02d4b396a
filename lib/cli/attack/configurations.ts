/**
 * Which layers stand while the suite runs: the levels a machine can produce, and the weakened forms that show who
 * answers first and who stands behind.
 * @module
 */

/** Layers that can be taken away one by one, in the order in which they answer. */
export const LAYERS = [
  "environment",
  "imports",
  "descriptors",
  "seccomp",
  "privileges",
  "namespaces",
  "landlock",
  "limits",
  "contract",
  "time",
] as const;
export type Layer = (typeof LAYERS)[number];

export interface Configuration {
  name: string;
  /** What the launcher leaves out; `root`: it becomes an ordinary user first. */
  without: readonly string[];
  /** A level that the real launcher produces: what gets through here is an escape. */
  level?: string;
  /** Layers missing, of those above. */
  dropped: readonly Layer[];
}

const NO_NAMESPACES = ["namespaces", "chroot", "user"];

/** Levels, best first; as an ordinary user too where the launcher would start as root. */
export function levels(isRoot: boolean): Configuration[] {
  const user = isRoot ? ["root"] : [];
  const level = (level: string, without: string[], as = ""): Configuration => ({
    name: level + as,
    level,
    without,
    dropped: [],
  });
  const asUser = [
    level("full", user, ", as a user"),
    level("landlock+seccomp", [...NO_NAMESPACES, ...user], ", as a user"),
    level("seccomp", [...NO_NAMESPACES, "landlock", ...user], ", as a user"),
  ];
  const asRoot = [
    level("full", []),
    level("uid+landlock+seccomp", ["namespaces"]),
    level("landlock+seccomp", NO_NAMESPACES),
    level("seccomp", [...NO_NAMESPACES, "landlock"]),
  ];
  return isRoot ? [...asRoot, ...asUser] : asUser;
}

function without(...dropped: Layer[]): Configuration {
  return {
    name: `without ${dropped.join(", ")}`,
    // as root the launcher without namespaces would take another way
    without: ["root", ...dropped.flatMap((one) => one === "namespaces" ? NO_NAMESPACES : [one])],
    dropped,
  };
}

/** One layer less, and where two answer alike both less. */
export const DROPPED: readonly Configuration[] = [
  ...LAYERS.map((layer) => without(layer)),
  without("descriptors", "seccomp"),
  without("seccomp", "privileges"),
  without("seccomp", "limits"),
  without("seccomp", "namespaces"),
  without("seccomp", "namespaces", "landlock"),
];

/** One layer of the kernel's and none of the others; no privileges and a time limit are always kept. */
export const ALONE: readonly Configuration[] = [
  { ...without("namespaces", "landlock", "limits"), name: "seccomp alone" },
  { ...without("seccomp", "landlock", "limits"), name: "namespaces alone" },
  { ...without("seccomp", "namespaces", "limits"), name: "landlock alone" },
  { ...without("seccomp", "namespaces", "landlock"), name: "limits alone" },
];
