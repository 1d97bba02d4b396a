"""Make a model folder of a GGUF file: `python scripts/engine/gguf_folder.py FILE.gguf|PACKAGE FOLDER`.

Weights are dequantised to float32 safetensors under the names of transformers; tokenizer, chat template and sizes come
from the file's own metadata. Only what is needed here is understood: the Llama architecture and a byte-level BPE
vocabulary that splits digits. Written aside and renamed; an error names what is not understood.
"""
import importlib.util
import json
import shutil
import sys
from pathlib import Path

import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file

NORMAL, CONTROL = 1, 3
NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
LAYER_NAMES = {
    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}


def find(source: str) -> Path:
    """The file itself, or the one GGUF file inside an installed package."""
    if source.endswith(".gguf"):
        return Path(source)
    spec = importlib.util.find_spec(source)  # not imported: only its files are wanted
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if len(files) != 1:
        raise SystemExit(f"Cannot find a model: package {source} has {len(files)} GGUF files, must be 1")
    return files[0]


def interleave_undone(weight: np.ndarray, heads: int) -> np.ndarray:
    """GGUF stores the rotated halves of each head interleaved; transformers wants them one after the other."""
    rows = weight.shape[0] // heads
    return weight.reshape(heads, rows // 2, 2, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def name_of(name: str) -> str:
    stem, _, kind = name.rpartition(".")
    parts = stem.split(".")
    if stem in NAMES:
        return f"{NAMES[stem]}.{kind}"
    if parts[0] == "blk" and parts[2] in LAYER_NAMES:
        return f"model.layers.{parts[1]}.{LAYER_NAMES[parts[2]]}.{kind}"
    raise SystemExit(f"Cannot read the model: tensor {name} is unknown")


def weights_of(reader: GGUFReader, heads: int, kv_heads: int) -> dict[str, np.ndarray]:
    weights = {}
    for tensor in reader.tensors:
        value = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        for part, count in (("attn_q", heads), ("attn_k", kv_heads)):
            if f".{part}." in tensor.name:
                value = interleave_undone(value, count)
        weights[name_of(tensor.name)] = np.ascontiguousarray(value)
    return weights


def tokenizer_of(tokens: list[str], kinds: list[int], merges: list[str]) -> dict:
    unknown = sorted(set(kinds) - {NORMAL, CONTROL})
    if unknown:
        raise SystemExit(f"Cannot read the vocabulary: tokens of kind {unknown} are unknown")
    special = [i for i, kind in enumerate(kinds) if kind == CONTROL]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "normalizer": None, "post_processor": None,
        "added_tokens": [{"id": i, "content": tokens[i], **flags} for i in special],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, byte_level]},
        "decoder": byte_level,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": {token: i for i, token in enumerate(tokens)}, "merges": merges},
    }


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    reader, folder = GGUFReader(find(sys.argv[1])), Path(sys.argv[2])
    field = {key: value.contents() for key, value in reader.fields.items()}
    for key, wanted in (("general.architecture", "llama"), ("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.pre", "smollm")):
        if field.get(key) != wanted:
            raise SystemExit(f"Cannot read the model: {key} is {field.get(key)}, must be {wanted}")
    heads, kv_heads = field["llama.attention.head_count"], field["llama.attention.head_count_kv"]
    weights = weights_of(reader, heads, kv_heads)
    tokens, eos, bos = field["tokenizer.ggml.tokens"], field["tokenizer.ggml.eos_token_id"], field["tokenizer.ggml.bos_token_id"]
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "dtype": "float32",
        "hidden_size": field["llama.embedding_length"], "intermediate_size": field["llama.feed_forward_length"],
        "num_hidden_layers": field["llama.block_count"], "num_attention_heads": heads, "num_key_value_heads": kv_heads,
        "max_position_embeddings": field["llama.context_length"], "vocab_size": len(tokens), "rope_theta": field["llama.rope.freq_base"],
        "rms_norm_eps": field["llama.attention.layer_norm_rms_epsilon"], "tie_word_embeddings": "lm_head.weight" not in weights,
        "attention_bias": False, "mlp_bias": False, "bos_token_id": bos, "eos_token_id": eos,
    }
    files = {
        "config.json": config,
        "generation_config.json": {"bos_token_id": bos, "eos_token_id": eos},
        "tokenizer.json": tokenizer_of(tokens, field["tokenizer.ggml.token_type"], field["tokenizer.ggml.merges"]),
        "tokenizer_config.json": {"bos_token": tokens[bos], "eos_token": tokens[eos], "chat_template": field["tokenizer.chat_template"]},
    }
    aside = folder.with_name(f"{folder.name}.aside")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    for name, value in files.items():
        (aside / name).write_text(json.dumps(value, ensure_ascii=False))
    save_file(weights, aside / "model.safetensors", {"format": "pt"})
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)


if __name__ == "__main__":
    main()
