"""Any causal language model of `transformers`: slower than a lean path, same promises about bits.

The model's own forward runs segment by segment with a cache object that reads and writes our slabs. Its attention
adds over the whole slab length, so that length is fixed by the request (prompt + max_tokens) and a prompt is computed
in one piece: no prefix cache, no cut prompts. A single decode token travels with ignored companions, because
products with few rows take another kernel (numerics.py).
"""
import inspect

import torch

from numerics import FEW
from segments import Segment
from slabs import KvShape


class SlabView:
    """What the attention layers of transformers see as `past_key_values`: `update` is all they call."""

    is_compileable = False

    def __init__(self, segment: Segment):
        self.segment = segment

    def update(self, keys, values, layer_idx, *_args, **_kwargs):
        s = self.segment
        s.write(layer_idx, keys.transpose(1, 2), values.transpose(1, 2))
        whole_keys, whole_values = s.read(layer_idx)
        shape = (s.count, keys.shape[1], s.slab.length, keys.shape[3])
        return whole_keys.view(shape), whole_values.view(shape)

    def get_seq_length(self, *_args) -> int:
        return 0


class Generic:
    exact_prefix = False

    def __init__(self, module):
        c = module.config
        self.device, self.dtype = str(module.device), module.dtype
        self.module = module
        self.cache_name = "cache" if "cache" in inspect.signature(module.forward).parameters else "past_key_values"
        module.config._attn_implementation = "eager"
        heads = getattr(c, "num_key_value_heads", None) or c.num_attention_heads
        size = getattr(c, "head_dim", None) or c.hidden_size // c.num_attention_heads
        self.kv_shape = KvShape(c.num_hidden_layers, heads, size, self.dtype)
        self.vocabulary, self.positions = c.vocab_size, c.max_position_embeddings

    def prepare(self, state):
        return state

    @torch.no_grad()
    def step(self, weights, ids, positions, segments, last):
        parts, at = [], 0
        for s in segments:
            end = at + s.count * s.width
            flat = ids[at:end].view(s.count, s.width)
            if s.width == 1:  # companions: the same token at later positions, overwritten by the next real ones
                flat = flat.expand(-1, FEW)
            shape = Segment(s.slab, s.rows, s.starts, s.tokens, FEW if s.width == 1 else s.width, whole=True)
            mask = shape.mask()[:, None].to(self.dtype)
            out = torch.func.functional_call(self.module, weights, (flat,), {
                "position_ids": shape.positions, "attention_mask": mask, self.cache_name: SlabView(shape), "use_cache": True})
            parts.append(out.logits[:, : s.width].reshape(end - at, -1))
            at = end
        logits = torch.cat(parts)
        return logits[last.clamp(max=logits.shape[0] - 1)]

    def logits(self, state, ids, chosen):
        out = torch.func.functional_call(self.module, state, (ids,), {"use_cache": False})
        return out.logits.flatten(0, 1)[chosen]
