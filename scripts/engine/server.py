"""Start the embedded engine: `python scripts/engine/server.py --model DIR [--port 0] [--threads 1]`.

Prints one JSON line on standard output when it is up; everything else goes to standard error. It listens on loopback
only. With `--parent-pid` it ends when that process ends (kernel signal, standard input's end, and a look at the pid).
"""
import argparse
import ctypes
import json
import logging
import os
import re
import signal
import socket
import sys
import threading
import time
import warnings
from importlib import metadata
from pathlib import Path

import numerics

VERSION = "0.1.0"


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--model", required=True, type=Path, help="a causal-LM folder of transformers")
    p.add_argument("--name", help="what clients call the base model; default: the folder's name")
    p.add_argument("--port", type=int, default=0, help="0 takes a free one")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--state", type=Path, default=Path("engine-state"), help="folder of saved weights")
    p.add_argument("--max-rows", type=int, default=256, help="rows decoded together")
    p.add_argument("--cache-mb", type=int, default=256, help="memory for prefixes of finished rows, per weight set")
    p.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N (measured on CPUs only so far)")
    p.add_argument("--dtype", default="float32", choices=["float32", "bfloat16"], help="of passes; trained weights stay float32")
    p.add_argument("--parent-pid", type=int, help="end when this process ends")
    args = p.parse_args(given)
    if not re.fullmatch(r"cpu|cuda(:\d+)?", args.device):
        p.error(f"--device is {args.device!r}, must be cpu, cuda or cuda:N")
    return args


def follow(parent: int) -> None:
    """Three ways to notice that the parent is gone; any of them ends this process at once."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass  # not Linux

    def read_to_end():
        while os.read(0, 4096):
            pass
        os._exit(0)

    def look():
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(0)

    for watch in (read_to_end, look):
        threading.Thread(target=watch, daemon=True).start()


def main() -> None:
    args = arguments()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # stray prints of libraries must not reach the reader of the ready line
    if args.parent_pid:
        follow(args.parent_pid)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    warnings.simplefilter("ignore")
    if not (args.model / "config.json").is_file():
        sys.exit(f"Cannot start: there is no model at {args.model} (config.json is missing)")
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", args.port))

    numerics.configure(args.threads)
    import torch
    import uvicorn

    import losses
    from desk import Desk
    from engine import Engine
    from model import load
    from routes import build

    if args.device != "cpu" and not torch.cuda.is_available():
        sys.exit(f"Cannot start on {args.device}: torch {torch.__version__} sees no GPU here; use --device cpu")
    exact = args.device == "cpu" and args.dtype == "float32" and numerics.exact()
    if not exact:
        logging.warning("kernels depend on neighbours on this processor and in bfloat16: runs are not bit-exact here")
    numerics.place(args.device)
    policy, start = load(args.model, True, args.device, getattr(torch, args.dtype))
    engine = Engine(policy, start, args.max_rows, args.cache_mb << 20)
    name = args.name or args.model.resolve().name
    facts = {"spade_engine": "embedded", "spade_version": VERSION, "spade_row_exact": exact, "spade_path": type(policy).__name__,
             "spade_device": args.device, "spade_dtype": args.dtype,
             "spade_vocabulary": policy.vocabulary, "spade_threads": args.threads, "spade_logprobs": "processed, before top-k and top-p",
             "spade_torch": torch.__version__, "spade_transformers": metadata.version("transformers"),
             "spade_losses": list(losses.INPUTS), "spade_lora": True, "spade_encodings": ["json", "protobuf"], "spade_base_version": 0}
    app = build(Desk(engine, args.model, args.state, name), facts)
    engine.thread.start()

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            port = listener.getsockname()[1]
            logging.info("engine %s up on port %d: %s, %d threads, row-exact %s", VERSION, port, name, args.threads, exact)
            print(json.dumps({"ready": True, "port": port, "model": name, "version": VERSION, "pid": os.getpid()}), file=out, flush=True)

    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_level="warning", access_log=False, lifespan="off",
                            timeout_keep_alive=75, timeout_graceful_shutdown=2)
    try:
        Server(config).run(sockets=[listener])
    finally:
        engine.stop()


if __name__ == "__main__":
    main()
