"""Text beside ids: the tokenizer and the chat template of a model folder, read when first needed.

Ids are the truth here and text is a convenience at the edges: prompts given as text, stop texts, the text of replies.
A folder without tokenizer.json serves ids only, and says so when text is asked for.
"""
import json
from functools import cached_property
from pathlib import Path
from typing import Callable

from refusal import Refusal


class Text:
    def __init__(self, folder: Path):
        self.folder = folder
        self.there = (folder / "tokenizer.json").is_file()

    @cached_property
    def tokenizer(self):
        if not self.there:
            raise Refusal(f"Cannot use text: {self.folder.name} has no tokenizer.json; send token ids", 422)
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self.folder / "tokenizer.json"))

    def _settings(self, name: str) -> dict:
        file = self.folder / name
        return json.loads(file.read_text()) if file.is_file() else {}

    @cached_property
    def eos(self) -> frozenset[int]:
        """Ids that end a reply where the client speaks text: those of generation_config.json, else of config.json."""
        for name in ("generation_config.json", "config.json"):
            ids = self._settings(name).get("eos_token_id")
            if ids is not None:
                return frozenset(ids if isinstance(ids, list) else [ids])
        return frozenset()

    def encode(self, text: str, special: bool = True) -> list[int]:
        """`special`: with what the tokenizer puts around a text of its own, such as a first token."""
        return self.tokenizer.encode(text, add_special_tokens=special).ids

    def decode(self, ids: list[int], skip_special: bool = True) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special)

    def ender(self, stops: list[str]) -> Callable[[list[int]], str | None]:
        """A function that says which of `stops` the text of some ids has just completed.

        Only the last tokens are read: a stop text of n bytes lies within n tokens, some more for tokens without text.
        """
        if not all(stops) or len(stops) > 16:
            raise Refusal("Cannot stop on these texts: must be at most 16, none of them empty", 422)
        tokenizer, window = self.tokenizer, 8 + max(len(s.encode()) for s in stops)

        def ends(ids: list[int]) -> str | None:
            tail = tokenizer.decode(ids[-window:], skip_special_tokens=False)
            found = [(tail.find(s), s) for s in stops if s in tail]
            return min(found)[1] if found else None

        return ends

    @cached_property
    def _template(self):
        from jinja2.exceptions import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        settings, file = self._settings("tokenizer_config.json"), self.folder / "chat_template.jinja"
        source = file.read_text() if file.is_file() else settings.get("chat_template")
        if isinstance(source, list):  # several by name
            source = next((t["template"] for t in source if t.get("name") == "default"), None)
        if not source:
            raise Refusal(f"Cannot chat: {self.folder.name} has no chat template; send a prompt to /v1/completions", 422)

        def refuse(message: str):
            raise TemplateError(message)

        place = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        place.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
        place.globals["raise_exception"] = refuse
        tokens = {name: given["content"] if isinstance(given, dict) else given for name in ("bos_token", "eos_token", "pad_token", "unk_token")
                  if (given := settings.get(name)) is not None}
        return place.from_string(source), tokens

    def chat(self, messages: list, tools: list | None, more: dict) -> list[int]:
        """Ids of a conversation up to where the assistant speaks."""
        from jinja2.exceptions import TemplateError

        template, tokens = self._template
        try:
            text = template.render(**{"add_generation_prompt": True, **tokens, **more, "messages": messages, "tools": tools})
        except (TemplateError, TypeError, ValueError, KeyError) as error:
            raise Refusal(f"Cannot chat: the model's template does not take these messages ({error})", 422) from error
        return self.encode(text, special=False)
