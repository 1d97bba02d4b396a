"""What scripts/gpu_check.sh runs: make a model, start the engine on the device, measure, play one rollout, write JSON."""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHAPES = {  # of the published configurations; tiny: to try this script
    "4b": dict(hidden_size=2560, intermediate_size=9728, num_hidden_layers=36, num_attention_heads=32, num_key_value_heads=8,
               head_dim=128, vocab_size=151936, max_position_embeddings=40960, rope_theta=1e6),
    "tiny": dict(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                 head_dim=16, vocab_size=4096, max_position_embeddings=4096, rope_theta=1e6),
}


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def make_model(folder: Path, shape: dict, device: str) -> int:
    """A folder with random weights and the nano tokenizer (its ids are the lowest of the vocabulary). Returns its parameters."""
    import torch
    from safetensors.torch import save_file

    c = shape
    attention, kv = c["num_attention_heads"] * c["head_dim"], c["num_key_value_heads"] * c["head_dim"]
    sizes = {"model.embed_tokens": (c["vocab_size"], c["hidden_size"]), "model.norm": (c["hidden_size"],)}
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        sizes |= {at + "input_layernorm": (c["hidden_size"],), at + "post_attention_layernorm": (c["hidden_size"],),
                  at + "self_attn.q_norm": (c["head_dim"],), at + "self_attn.k_norm": (c["head_dim"],),
                  at + "self_attn.q_proj": (attention, c["hidden_size"]), at + "self_attn.k_proj": (kv, c["hidden_size"]),
                  at + "self_attn.v_proj": (kv, c["hidden_size"]), at + "self_attn.o_proj": (c["hidden_size"], attention),
                  at + "mlp.gate_proj": (c["intermediate_size"], c["hidden_size"]),
                  at + "mlp.up_proj": (c["intermediate_size"], c["hidden_size"]),
                  at + "mlp.down_proj": (c["hidden_size"], c["intermediate_size"])}
    draw = torch.Generator(device=device).manual_seed(0)
    weights = {}
    for name, size in sizes.items():
        value = torch.ones(size, device=device) if len(size) == 1 else torch.randn(size, generator=draw, device=device) * 0.02
        weights[f"{name}.weight"] = value.bfloat16().cpu()
    folder.mkdir(parents=True)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    config = {**shape, "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_act": "silu", "rms_norm_eps": 1e-6,
              "tie_word_embeddings": True, "attention_bias": False, "use_sliding_window": False, "dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(config))
    shutil.copy(ROOT / "data/nano/tokenizer.json", folder / "tokenizer.json")
    return sum(value.numel() for value in weights.values())


class Client:
    def __init__(self, port: int):
        self.at = f"http://127.0.0.1:{port}"

    def post(self, path: str, body: dict) -> dict:
        request = urllib.request.Request(self.at + path, json.dumps(body).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=300) as reply:
            return json.load(reply)

    def work(self, path: str, body: dict) -> dict:
        """A call that answers with a promise."""
        promise = self.post("/api/v1/" + path, body)["request_id"]
        while True:
            got = self.post("/api/v1/retrieve_future", {"request_id": promise})
            if "error" in got:
                raise SystemExit(f"Cannot {path}: {got['error']}")
            if got.get("type") != "try_again":
                return got


def sampling(client: Client, rows: int, prompt: int, reply: int, vocabulary: int) -> dict:
    draw = random.Random(1)
    prompts = [[draw.randrange(20, vocabulary) for _ in range(prompt)] for _ in range(rows)]
    started = time.perf_counter()
    got = client.post("/v1/completions", {"model": "base", "prompt": prompts, "seed": list(range(rows)), "max_tokens": reply})
    seconds = time.perf_counter() - started
    used = got["usage"]
    return {"rows": rows, "promptTokens": used["prompt_tokens"], "newTokens": used["completion_tokens"], "seconds": seconds,
            "newTokensPerSecond": used["completion_tokens"] / seconds}


def training(client: Client, base: str, rank: int, data: int, length: int, vocabulary: int) -> dict:
    draw = random.Random(2)
    session = client.post("/api/v1/create_session", {"tags": [], "user_metadata": {}, "sdk_version": "0.24.0", "type": "create_session"})
    made = client.work("create_model", {"session_id": session["session_id"], "model_seq_id": 1, "base_model": base, "lora_config": {"rank": rank}})
    ids = [[draw.randrange(20, vocabulary) for _ in range(length + 1)] for _ in range(data)]
    batch = [{"model_input": {"chunks": [{"type": "encoded_text", "tokens": s[:-1]}]},
              "loss_fn_inputs": {"target_tokens": {"data": s[1:], "dtype": "int64", "shape": [length]},
                                 "weights": {"data": [1e-4] * length, "dtype": "float32", "shape": [length]}}} for s in ids]
    adam = {"learning_rate": 1e-5, "beta1": 0.9, "beta2": 0.98, "eps": 1e-8, "weight_decay": 0.1, "grad_clip_norm": 1.0}
    losses, seconds = [], []
    for step in range(3):
        started = time.perf_counter()
        body = {"model_id": made["model_id"], "seq_id": 2 * step + 1, "forward_backward_input": {"data": batch, "loss_fn": "cross_entropy"}}
        losses.append(client.work("forward_backward", body)["metrics"]["loss:sum"])
        client.work("optim_step", {"model_id": made["model_id"], "seq_id": 2 * step + 2, "adam_params": adam})
        seconds.append(time.perf_counter() - started)
    return {"trained": f"adapters of rank {rank}" if rank else "all weights", "data": data, "tokens": data * length, "secondsPerStep": seconds, "tokensPerSecond": data * length / min(seconds),
            "lossFalls": losses[0] > losses[1] > losses[2], "losses": losses}


def rollout(port: int, folder: Path) -> dict:
    """One rollout of the loop on fixed programs: the random policy loses, the machinery is what is tried."""
    deno = shutil.which("deno")
    if deno is None:
        return {"skipped": "there is no deno on the PATH"}
    name = f"gpu-check-{int(time.time())}"
    settings = ["kind=folder", "pool=data/nano/pool", "environments=8", "plays=8", "rollouts=1", "epoch=1", "delay=0",
                "context=1024", "tokens.agent=16", "maxTurns=6", "heldout=null", f"tokenizer={json.dumps(str(folder))}"]
    command = [deno, "task", "train", "--preset", "fixed-pool", "--plain", "--name", name, "--engine", f"http://127.0.0.1:{port}",
               "--model", str(folder), *[part for s in settings for part in ("--set", s)]]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240)
    seconds = time.perf_counter() - started
    shutil.rmtree(ROOT / "runs" / name, ignore_errors=True)
    if done.returncode != 0:
        return {"failed": (done.stdout + done.stderr)[-600:], "seconds": seconds}
    line = next((line for line in done.stdout.splitlines() if line.startswith("rollout 1 of 1")), "")
    return {"seconds": seconds, "said": line}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--shape", choices=SHAPES, default="4b")
    p.add_argument("--out", required=True, type=Path)
    args = p.parse_args()
    import torch

    cuda = torch.cuda.is_available()
    if not cuda and args.shape != "tiny":
        raise SystemExit(f"Cannot check: torch {torch.__version__} sees no GPU; SHAPE=tiny tries the script without one")
    device, dtype = ("cuda", "bfloat16") if cuda else ("cpu", "float32")
    shape, small = SHAPES[args.shape], args.shape == "tiny"
    # inside the project, where the commands may read
    folder = Path(tempfile.mkdtemp(prefix="gpu-check-", dir=ROOT / ".spade" if (ROOT / ".spade").is_dir() else None))
    engine = None
    try:
        say(f"making a model of shape {args.shape} with random weights")
        parameters = make_model(folder / "model", shape, device)
        say(f"starting the engine on {device} ({parameters / 1e9:.2f} billion parameters, {dtype})")
        started = time.perf_counter()
        engine = subprocess.Popen(
            [sys.executable, "-B", str(ROOT / "scripts/engine/server.py"), "--model", str(folder / "model"), "--device", device,
             "--dtype", dtype, "--state", str(folder / "state"), "--parent-pid", str(os.getpid())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(folder / "engine.log", "w"), text=True)
        line = engine.stdout.readline()
        if not line:
            raise SystemExit(f"Cannot check: the engine did not start:\n{(folder / 'engine.log').read_text()[-2000:]}")
        ready = json.loads(line)
        client = Client(ready["port"])
        result = {
            "date": time.strftime("%Y-%m-%d"), "device": torch.cuda.get_device_name(0) if cuda else "CPU, to try the script only",
            "memoryGB": torch.cuda.get_device_properties(0).total_memory / 1e9 if cuda else None, "torch": torch.__version__,
            "commit": subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip() or None,
            "shape": args.shape, "parameters": parameters, "dtype": dtype, "startSeconds": time.perf_counter() - started,
        }
        words = 400  # ids of the nano tokenizer
        for name, rows in (("samplingFew", 4 if small else 16), ("samplingMany", 8 if small else 128)):
            say(f"sampling, {rows} rows")
            result[name] = sampling(client, rows, 64 if small else 512, 32 if small else 256, words)
        # all weights: float32 masters, gradients and two moments beside the passes' copy, about 20 bytes a parameter and activations
        enough = not cuda or torch.cuda.get_device_properties(0).total_memory > 28 * parameters
        say("training, three steps on one batch")
        result["training"] = training(client, ready["model"], 0 if enough else 32, 4 if small else 16, 128 if small else 2048, words)
        say("one rollout of the loop")
        result["rollout"] = rollout(ready["port"], folder / "model")
        if cuda:
            free, total = torch.cuda.mem_get_info()
            result["memoryInUseGB"] = (total - free) / 1e9
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(result, indent=1) + "\n")
        say(f"written: {args.out}")
        print(json.dumps(result, indent=1))
    finally:
        if engine is not None:
            engine.kill()
            engine.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
