/** PyTorch's public index of CPU builds; asked for torch alone, beside the user's own index. */
export const TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu";

export type TorchBuild = "cpu" | "cuda";

/** One place to take torch from. Sizes in MB (10^6 bytes), rounded up. */
export interface TorchSource {
  build: TorchBuild;
  lock: "torch-cpu.lock" | "torch-cuda.lock";
  /** Index asked beside the user's settings. */
  extraIndex?: string;
  downloadMB: number;
  diskMB: number;
  /** Where it is asked for, for the progress line. */
  from: string;
  /** The user must say yes to the size first. */
  needsConsent: boolean;
}

const SIZES = { cpu: { downloadMB: 195, diskMB: 900 }, cuda: { downloadMB: 2750, diskMB: 6500 } };
const CPU = { build: "cpu", lock: "torch-cpu.lock", needsConsent: false, ...SIZES.cpu } as const;
const CUDA = { build: "cuda", lock: "torch-cuda.lock", from: "your index", ...SIZES.cuda } as const;

/**
 * Where to take torch from, in order: the CPU build by the user's pip settings, then from PyTorch's
 * index, then the CUDA build if its size is accepted. A machine with an NVIDIA GPU turns it round.
 * `wish` leaves the other build out; naming `cuda` is consent.
 */
export function planTorch(
  facts: { platform: string; nvidia: boolean; wish?: TorchBuild; acceptCuda?: boolean },
): TorchSource[] {
  if (facts.platform === "darwin") {
    // PyPI's build for macOS is a CPU build; the lock's markers leave the CUDA libraries out
    return [{ ...CUDA, build: "cpu", ...SIZES.cpu, needsConsent: false }];
  }
  const cpu: TorchSource[] = [
    { ...CPU, from: "your index" },
    { ...CPU, from: "PyTorch's CPU index", extraIndex: TORCH_CPU_INDEX },
  ];
  const willing = facts.nvidia || facts.acceptCuda === true || facts.wish === "cuda";
  const cuda: TorchSource = { ...CUDA, needsConsent: !willing };
  if (facts.wish === "cuda") return [cuda];
  if (facts.wish === "cpu") return cpu;
  return facts.nvidia ? [cuda, ...cpu] : [...cpu, cuda];
}
