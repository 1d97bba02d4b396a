"""A lean forward pass for Qwen3 and Llama, for sampling and for training, over the weights of their `…ForCausalLM`.

Llama is Qwen3 without the norms of query and key.

Why not the class itself: for a policy of a million parameters its time is mostly overhead, and it knows neither
slabs nor grouped rows. The equality with transformers is a test. Any other architecture takes generic.py.
"""
import torch
import torch.nn.functional as F

from autograd import inverse_rms, qk_norm_rope, rms_norm, rope, swiglu
from segments import Segment, attend
from slabs import KvShape


class Lean:
    exact_prefix = True  # a token's bits depend on its prefix only: prefixes may be cached, prompts cut in pieces

    @staticmethod
    def fits(config: dict) -> bool:
        """Whether a config.json is a plain Qwen3 or Llama: no biases, no sliding window, default rotary positions."""
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        kinds = set(config.get("layer_types") or ["full_attention"])
        return (config.get("model_type") in ("qwen3", "llama") and not config.get("attention_bias") and not config.get("mlp_bias") and kinds == {"full_attention"}
                and config.get("hidden_act", "silu") == "silu" and not config.get("use_sliding_window")
                and rope.get("rope_type", rope.get("type", "default")) == "default")

    def __init__(self, config: dict, device: str = "cpu", dtype: torch.dtype = torch.float32):
        self.device, self.dtype = device, dtype
        self.normed = config["model_type"] == "qwen3"
        self.layers, self.heads = config["num_hidden_layers"], config["num_attention_heads"]
        self.kv_heads = config.get("num_key_value_heads", self.heads)
        self.size = config.get("head_dim") or config["hidden_size"] // self.heads
        self.eps, self.tied = config.get("rms_norm_eps", 1e-6), bool(config.get("tie_word_embeddings", False))
        self.vocabulary, self.positions = config["vocab_size"], config["max_position_embeddings"]
        self.kv_shape = KvShape(self.layers, self.kv_heads, self.size, dtype)
        theta = (config.get("rope_parameters") or {}).get("rope_theta") or config.get("rope_theta", 10000.0)
        inverse = 1.0 / theta ** (torch.arange(0, self.size, 2, dtype=torch.int64).float() / self.size)
        angle = torch.arange(2 * max(64, self.positions))[:, None].float() * inverse[None]
        angle = torch.cat((angle, angle), -1)
        self.cos, self.sin = angle.cos().to(device, dtype), angle.sin().to(device, dtype)

    def names(self) -> set[str]:
        """The weights this pass needs."""
        parts = ["input_layernorm", "post_attention_layernorm", *[f"mlp.{n}_proj" for n in ("gate", "up", "down")],
                 *[f"self_attn.{n}" for n in ("q_proj", "k_proj", "v_proj", "o_proj", *(("q_norm", "k_norm") if self.normed else ()))]]
        layers = {f"model.layers.{i}.{part}.weight" for i in range(self.layers) for part in parts}
        return layers | {"model.embed_tokens.weight", "model.norm.weight"} | (set() if self.tied else {"lm_head.weight"})

    def layer(self, state: dict[str, torch.Tensor], i: int) -> tuple:
        """One layer's weights, query, key, value and gate, up joined; works on leaves that require gradients too."""
        at = f"model.layers.{i}."
        attention, mlp = at + "self_attn.", at + "mlp."
        qkv = torch.cat([state[attention + f"{name}_proj.weight"] for name in "qkv"])
        scale = torch.cat((
            state[attention + "q_norm.weight"].expand(self.heads, -1),
            state[attention + "k_norm.weight"].expand(self.kv_heads, -1),
        )) if self.normed else None
        gate_up = torch.cat([state[mlp + "gate_proj.weight"], state[mlp + "up_proj.weight"]])
        return (state[at + "input_layernorm.weight"], qkv, scale, state[attention + "o_proj.weight"],
                state[at + "post_attention_layernorm.weight"], gate_up, state[mlp + "down_proj.weight"])

    def ends(self, state: dict[str, torch.Tensor]) -> tuple:
        embedding = state["model.embed_tokens.weight"]
        return embedding, state["model.norm.weight"], embedding if self.tied else state["lm_head.weight"]

    @torch.no_grad()
    def prepare(self, state: dict[str, torch.Tensor]) -> tuple:
        """For sampling: the norms' weights and the attention scale are folded into the products that follow them."""
        layers = []
        for i in range(self.layers):
            before, qkv, scale, out, after, gate_up, down = self.layer(state, i)
            qkv = qkv * before
            if self.normed:
                scale = scale.clone()
            queries = scale[: self.heads] if self.normed else qkv[: self.heads * self.size]
            queries *= self.size**-0.5
            layers.append((qkv, scale, out.detach(), gate_up * after, down.detach()))
        embedding, norm, head = self.ends(state)
        return embedding.detach(), layers, head * norm

    def _unit(self, x: torch.Tensor) -> torch.Tensor:
        return (x * inverse_rms(x, self.eps)).to(x.dtype)

    @torch.no_grad()
    def step(self, weights: tuple, ids: torch.Tensor, positions: torch.Tensor, segments: list[Segment], last: torch.Tensor) -> torch.Tensor:
        """Logits [len(last), vocabulary] of the flat tokens `last`; keys and values go to the segments' slabs."""
        embedding, layers, head = weights
        count, both, half = ids.shape[0], self.heads + self.kv_heads, self.size // 2
        x = embedding[ids]
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        sin = torch.cat((-sin[..., :half], sin[..., half:]), -1)
        masks = [s.mask() for s in segments]
        mixed = torch.zeros(count, self.heads * self.size, dtype=x.dtype)
        for i, (qkv_w, scale, out_w, gate_up_w, down_w) in enumerate(layers):
            qkv = F.linear(self._unit(x), qkv_w).view(count, -1, self.size)
            qk = self._unit(qkv[:, :both]) * scale if self.normed else qkv[:, :both]
            qk = qk * cos + qk.roll(half, -1) * sin
            at = 0
            for s, mask in zip(segments, masks):
                end, shape = at + s.count * s.width, (s.count, s.width, -1, self.size)
                s.write(i, qk[at:end, self.heads :].view(shape), qkv[at:end, both:].view(shape))
                keys, values = s.read(i)
                got = attend(qk[at:end, : self.heads].view(shape), keys, values, mask, self.kv_heads)
                mixed[at:end] = got.view(end - at, -1)
                at = end
            x = x + F.linear(mixed, out_w)
            gate, up = F.linear(self._unit(x), gate_up_w).chunk(2, -1)
            x = x + F.linear(F.silu(gate).mul_(up), down_w)
        return F.linear(self._unit(x[last]), head)

    def logits(self, state: dict[str, torch.Tensor], ids: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
        """For training: `ids` [rows, length] from position 0, `chosen` flat positions; logits [chosen, vocabulary]."""
        embedding, norm, head = self.ends(state)
        rows, length = ids.shape
        x = F.embedding(ids, embedding).view(rows * length, -1)
        cos, sin = self.cos[:length].repeat(rows, 1)[:, None], self.sin[:length].repeat(rows, 1)[:, None]
        both, share = self.heads + self.kv_heads, self.heads // self.kv_heads
        for i in range(self.layers):
            before, qkv_w, scale, out_w, after, gate_up_w, down_w = self.layer(state, i)
            qkv = F.linear(rms_norm(x, before, self.eps), qkv_w).view(rows * length, -1, self.size)
            qk, value = qkv.split((both, self.kv_heads), 1)
            qk = (qk_norm_rope(qk, scale, cos, sin, self.eps) if self.normed else rope(qk, cos, sin)).view(rows, length, both, self.size).transpose(1, 2)
            query, key = qk.split((self.heads, self.kv_heads), 1)
            value = value.reshape(rows, length, self.kv_heads, self.size).transpose(1, 2)
            mixed = F.scaled_dot_product_attention(
                query, key.repeat_interleave(share, 1), value.repeat_interleave(share, 1), is_causal=True)
            x = x + F.linear(mixed.transpose(1, 2).reshape(rows * length, -1), out_w)
            x = x + F.linear(swiglu(F.linear(rms_norm(x, after, self.eps), gate_up_w)), down_w)
        return F.linear(rms_norm(x[chosen], norm, self.eps), head)
