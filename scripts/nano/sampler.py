"""A small batched sampler for Qwen3 weights with a key-value cache and one position per row (measurements only).

The product has its own engine; this one exists so that pre-training can print win rates without a server.
"""
import torch
import torch.nn.functional as F


class Sampler:
    def __init__(self, model, codec):
        self.codec, config = codec, model.config
        self.heads, self.kv, self.size = config.num_attention_heads, config.num_key_value_heads, config.head_dim
        self.model, self.epsilon = model, config.rms_norm_eps
        frequency = 10000.0 ** (-torch.arange(0, self.size, 2) / self.size)
        angle = torch.arange(config.max_position_embeddings)[:, None] * frequency
        self.cos, self.sin = angle.cos(), angle.sin()

    def start(self, rows, length):
        """Empty caches for `rows` rows of at most `length` tokens."""
        shape = (rows, self.kv, length, self.size)
        self.keys = [torch.zeros(shape) for _ in self.model.model.layers]
        self.values = [torch.zeros(shape) for _ in self.model.model.layers]
        self.position = torch.zeros(rows, dtype=torch.long)

    def keep(self, rows):
        """Drop all rows but these."""
        index = torch.tensor(rows)
        self.keys = [k[index] for k in self.keys]
        self.values = [v[index] for v in self.values]
        self.position = self.position[index]

    def norm(self, x, weight):
        return F.rms_norm(x, (x.shape[-1],), weight, self.epsilon)

    @torch.no_grad()
    def feed(self, chunks):
        """Append one chunk of ids to every row (an empty chunk leaves its row alone); logits after each row's last token."""
        count = torch.tensor([len(c) for c in chunks])
        width = int(count.max())
        ids = torch.zeros(len(chunks), width, dtype=torch.long)
        for i, chunk in enumerate(chunks):
            ids[i, :len(chunk)] = torch.tensor(chunk, dtype=torch.long)
        where = (self.position[:, None] + torch.arange(width)).clamp(max=self.keys[0].shape[2] - 1)
        top = int(where.max()) + 1
        mask = (torch.arange(top)[None, None] <= where[:, :, None])[:, None]
        cos, sin = self.cos[where][:, :, None], self.sin[where][:, :, None]

        def turn(x):
            a, b = x.chunk(2, -1)
            return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

        x, rows = self.model.model.embed_tokens.weight[ids], torch.arange(len(chunks))[:, None]
        for layer, keys, values in zip(self.model.model.layers, self.keys, self.values):
            a, y = layer.self_attn, self.norm(x, layer.input_layernorm.weight)
            q = turn(self.norm(a.q_proj(y).unflatten(-1, (self.heads, self.size)), a.q_norm.weight)).transpose(1, 2)
            k = turn(self.norm(a.k_proj(y).unflatten(-1, (self.kv, self.size)), a.k_norm.weight))
            keys[rows, :, where] = k
            values[rows, :, where] = a.v_proj(y).unflatten(-1, (self.kv, self.size))
            o = F.scaled_dot_product_attention(q, keys[:, :, :top], values[:, :, :top], attn_mask=mask, enable_gqa=True)
            x = x + a.o_proj(o.transpose(1, 2).flatten(2))
            y, m = self.norm(x, layer.post_attention_layernorm.weight), layer.mlp
            x = x + m.down_proj(F.silu(m.gate_proj(y)) * m.up_proj(y))
        self.position = self.position + count
        last = x[torch.arange(len(chunks)), (count - 1).clamp(min=0)]
        return self.model.lm_head(self.norm(last, self.model.model.norm.weight))

    def reply(self, logits, most, temperature, generator=None):
        """Sample until <end>; per row (ids, log-probabilities). The last sampled token is not fed."""
        rows = len(logits)
        ids, logps, open_rows = [[] for _ in range(rows)], [[] for _ in range(rows)], list(range(rows))
        for step in range(most):
            logp = F.log_softmax(logits[open_rows].float(), -1)
            if temperature == 0:
                token = logp.argmax(-1)
            else:
                token = torch.multinomial((logp / temperature).softmax(-1), 1, generator=generator)[:, 0]
            value = logp.gather(1, token[:, None])[:, 0]
            still = []
            for row, t, v in zip(open_rows, token.tolist(), value.tolist()):
                ids[row].append(t)
                logps[row].append(v)
                if t != self.codec.end:
                    still.append(row)
            open_rows = still
            if step == most - 1 or not open_rows:
                break
            logits = self.feed([[ids[row][-1]] if row in set(open_rows) else [] for row in range(rows)])
        return ids, logps

    def write(self, prompts, most, temperature=1.0, generator=None):
        """Replies to prompts; rows that have ended are dropped as they end."""
        self.start(len(prompts), max(map(len, prompts)) + most)
        logits, live = self.feed(prompts), list(range(len(prompts)))
        ids, logps = [[] for _ in prompts], [[] for _ in prompts]
        for _ in range(most):
            logp = F.log_softmax(logits.float(), -1)
            token = logp.argmax(-1) if temperature == 0 else torch.multinomial((logp / temperature).softmax(-1), 1, generator=generator)[:, 0]
            value = logp.gather(1, token[:, None])[:, 0]
            for row, t, v in zip(live, token.tolist(), value.tolist()):
                ids[row].append(t)
                logps[row].append(v)
            stay = [i for i, row in enumerate(live) if ids[row][-1] != self.codec.end]
            if not stay:
                break
            if len(stay) < len(live):
                self.keep(stay)
                live = [live[i] for i in stay]
            logits = self.feed([[ids[row][-1]] for row in live])
        return ids, logps

    def play(self, openings, step, turns=12, temperature=1.0, generator=None, context=400):
        """Play all episodes at once. `openings`: [(skill, first observation)]; `step(actions)` gets {episode: action text}
        and returns {episode: (observation, return, over)}. Gives per episode (ids, positions of sampled ids, logps, return)."""
        codec = self.codec
        episodes = [{"ids": [], "sampled": [], "logps": [], "return": 0.0, "turns": 0} for _ in openings]
        chunks = [codec.play_prompt(skill, observation) for skill, observation in openings]
        live = list(range(len(openings)))
        self.start(len(openings), context)
        for turn in range(turns):
            logits = self.feed(chunks)
            for i, chunk in zip(live, chunks):
                episodes[i]["ids"] += chunk if turn == 0 else chunk[1:]
            ids, logps = self.reply(logits, 8, temperature, generator)
            for i, reply, values in zip(live, ids, logps):
                e = episodes[i]
                e["sampled"] += range(len(e["ids"]), len(e["ids"]) + len(reply))
                e["ids"] += reply
                e["logps"] += values
                e["turns"] += 1
            answers = step({i: codec.decode([t for t in reply if t != codec.end]) for i, reply in zip(live, ids)})
            stay, chunks = [], []
            for index, i in enumerate(live):
                observation, value, over = answers[i]
                episodes[i]["return"] = value
                if not over and len(episodes[i]["ids"]) + 40 < context:
                    stay.append(index)
                    chunks.append([episodes[i]["ids"][-1], *codec.turn(observation)])
            live = [live[index] for index in stay]
            if not live:
                break
            self.keep(stay)
        return episodes
