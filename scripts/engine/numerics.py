"""Numerical ground rules, set before torch loads. Import this module first.

The engine promises that a row's bits depend only on its own tokens, seed and weights. Three facts make that true on a
CPU (measured with MKL 2024.2; `exact()` measures again at every start):

1. MKL picks its kernel by the number of rows and adds in another order for few rows. `MKL_CBWR=AUTO,STRICT` ends
   this from two rows on for Intel's processors, from four on for AMD's, so no product here ever has fewer than `FEW`.
2. MKL cuts a sum of more than about 256 terms (AMD: 128) in blocks whose size depends on the total. Attention adds
   its values in blocks of `BLOCK` positions, each one product, summed from left to right.
3. Zeros behind the last key (masked positions) change nothing when lengths are multiples of the vector width.

Not promised: equal bits on another processor type, with another number of threads, in bfloat16, or on a GPU.
"""
import ctypes
import os

os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "0")
os.environ.setdefault("KMP_BLOCKTIME", "0")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")

import torch  # noqa: E402

BLOCK = 128  # positions of attention added by one product
FEW = 4  # rows of a product at least
STEP = 32  # lengths are rounded up to this
ROWS = 16  # flat rows are padded to a multiple of this


def round_up(value: int, step: int) -> int:
    return -(-value // step) * step


def configure(threads: int) -> None:
    """Threads, and keep freed memory: giving large blocks back to the system after each operation halves the speed."""
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(-8, 1)  # M_ARENA_MAX: the compute thread shares the main arena
        libc.mallopt(-3, 32 << 20)  # M_MMAP_THRESHOLD, the largest value glibc takes
        libc.mallopt(-1, 1 << 30)  # M_TRIM_THRESHOLD
        libc.mallopt(-2, 1 << 26)  # M_TOP_PAD
    except (OSError, AttributeError):
        pass  # not glibc: slower, not wrong
    torch.set_num_threads(threads)


def place(device: str) -> None:
    """Make this thread's new tensors on `device`. Not called for the CPU: the hook it sets costs time at every operation."""
    if device != "cpu":
        torch.set_default_device(device)


@torch.no_grad()
def exact() -> bool:
    """Whether this processor's kernels have the three properties above (a few milliseconds)."""
    draw = torch.Generator().manual_seed(7)
    for inner, outer in ((128, 256), (384, 128), (1024, 512)):
        weight = torch.randn(outer, inner, generator=draw)
        rows = torch.randn(208, inner, generator=draw)
        whole = torch.nn.functional.linear(rows, weight)
        for count in (16, 32, 48, 112):
            for first in (0, 16, 96):
                part = torch.nn.functional.linear(rows[first : first + count].clone(), weight)
                if not torch.equal(part, whole[first : first + count]):
                    return False
    keys = torch.randn(12, BLOCK, 32, generator=draw)
    query = torch.randn(12, 64, 32, generator=draw)
    whole = torch.bmm(query, keys.transpose(1, 2))
    for count in (FEW, 5, 8, 17):
        if not torch.equal(torch.bmm(query[:, :count].clone(), keys.transpose(1, 2)), whole[:, :count]):
            return False
    for length in range(STEP, BLOCK, STEP):
        share = torch.softmax(whole[:, :4, :length].clone(), -1)
        short = torch.bmm(share, keys[:, :length])
        padded = torch.cat((whole[:, :4, :length], torch.full((12, 4, BLOCK - length), float("-inf"))), -1)
        padded = torch.softmax(padded, -1)
        if not torch.equal(padded[..., :length], share) or not torch.equal(torch.bmm(padded, keys), short):
            return False
    return True
