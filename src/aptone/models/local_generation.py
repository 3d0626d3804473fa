"""What local chat models have in common: loading them once, and writing a reply token by token."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from aptone.errors import AptoneError, MissingExtraError, RecordError, UsageError
from aptone.models.about import About
from aptone.models.chat import Reply
from aptone.models.json_prefix import Prefix, prefix_of
from aptone.types import Json

if TYPE_CHECKING:
    import torch

ABOUT = About(modules=("torch", "transformers"), extra="local")

one_at_a_time = threading.RLock()
"""Held while a local model loads or writes: they share the processor, its memory, and torch's source of randomness."""

Precision = Literal["auto", "float32", "bfloat16", "float16"]

_HALF_A_CHARACTER = "\ufffd"

CANDIDATES = 50
"""Likeliest tokens that a constrained model chooses from, as far as they fit."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Which weights are loaded, and where to.

    Args:
        model: a folder, or a name on the Hugging Face hub.
        revision: of the weights on the hub; empty for the newest. Give one where scores are to be repeated.
        device: ``cpu``, ``cuda``, ``cuda:1``, …, or ``auto`` to spread it over what there is.
        precision: of its numbers; ``auto`` for that of the file.

    Raises:
        UsageError: if no model is named.
    """

    model: str
    revision: str = ""
    device: str = "auto"
    precision: Precision = "auto"

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model runs here? Give a folder, or a name on the Hugging Face hub.")

    def load(self, kind: str, reader: str) -> tuple[Any, Any]:
        """What reads text for a model, and the model itself, from the classes of transformers with these names.

        Raises:
            MissingExtraError: if torch or transformers is not installed.
            UsageError: if the model cannot be loaded; the message says why.
        """
        try:
            import torch
            import transformers
        except ImportError as error:
            raise MissingExtraError("A local model", extra="local") from error
        options = {"revision": self.revision or None}
        precision = "auto" if self.precision == "auto" else getattr(torch, self.precision)
        try:
            reads = getattr(transformers, reader).from_pretrained(self.model, **options)
            placed = {"device_map": self.device}
            model = getattr(transformers, kind).from_pretrained(self.model, dtype=precision, **placed, **options)
        except ImportError as error:
            raise UsageError(f"{self.model}: its model needs another library ({error}).") from error
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise UsageError(f"{self.model}: cannot be loaded ({' '.join(str(error).split())[:300]}).") from error
        return reads, model.eval()


def refuse_control_tokens(texts: Sequence[str], tokenizer: Any) -> None:
    """Make sure that no text of a user's holds a control token of this very model.

    `aptone.models.guard.guard` takes away those that have the usual forms; a tokenizer may know others.

    Raises:
        RecordError: if one does.
    """
    for token in tokenizer.all_special_tokens:
        if any(token in text for text in texts):
            raise RecordError(f"a text holds {token!r}, a control token of the model; take it out.")


def write_reply(
    model: Any,
    tokenizer: Any,
    inputs: Mapping[str, Any],
    *,
    max_tokens: int,
    temperature: float,
    json_schema: Mapping[str, Json] | None,
    seed: int | None,
) -> Reply:
    """Let a model go on from its inputs.

    Marks such as ``<score>`` may be special tokens of a judge, so only the token that ends the reply is taken off.
    The source of randomness is left as it was found.
    """
    import torch

    shown = inputs["input_ids"].shape[1]
    ends = _end_tokens(model, tokenizer)
    options: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
    if temperature > 0:
        options = {"do_sample": True, "temperature": temperature, "top_k": 0}
    if json_schema is not None:
        options["logits_processor"] = [_Held(tokenizer, json_schema, shown=shown, ends=ends)]
    with torch.random.fork_rng(), torch.inference_mode():
        torch.manual_seed(seed or 0)
        written = model.generate(
            **inputs,
            max_new_tokens=max_tokens,
            eos_token_id=ends,
            pad_token_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else ends[0],
            **options,
        )[0, shown:].tolist()
    ended = bool(written) and written[-1] in ends
    text = tokenizer.decode(written[:-1] if ended else written, skip_special_tokens=False)
    cut = "" if ended else f"stopped at {max_tokens} tokens"
    return Reply(text, input_tokens=shown, output_tokens=len(written), cut=cut)


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    configured = model.generation_config.eos_token_id
    listed = configured if isinstance(configured, list) else [configured]
    ends = [token for token in dict.fromkeys([*listed, tokenizer.eos_token_id]) if token is not None]
    if not ends:
        raise UsageError("the model has no token that ends a reply, so it would never end one.")
    return ends


class _Held:
    """Lets a model write only what can still become JSON of a shape, and end only when it has.

    Of the likeliest tokens those are left that fit; if none does, less likely ones are looked at in turn.
    """

    def __init__(self, tokenizer: Any, schema: Mapping[str, Json], *, shown: int, ends: Sequence[int]) -> None:
        self._tokenizer = tokenizer
        self._schema = schema
        self._shown = shown
        self._ends = frozenset(ends)

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        import torch

        held = torch.full_like(scores, -torch.inf)
        for row, (ids, weights) in enumerate(zip(input_ids[:, self._shown :].tolist(), scores, strict=True)):
            order = torch.argsort(weights, descending=True).tolist()
            fitting: list[int] = []
            for begin in range(0, len(order), CANDIDATES):
                fitting = [token for token in order[begin : begin + CANDIDATES] if self._fits(ids, token)]
                if fitting:
                    break
            if not fitting:
                raise AptoneError("no token of the model goes on with the JSON that was asked for.")
            held[row, fitting] = weights[fitting]
        return held

    def _fits(self, ids: list[int], token: int) -> bool:
        if token in self._ends:
            return prefix_of(self._text(ids), self._schema) is Prefix.COMPLETE
        text = self._text([*ids, token])
        says_something = text != self._text(ids) or text.endswith(_HALF_A_CHARACTER)
        return says_something and prefix_of(text, self._schema) is not Prefix.IMPOSSIBLE

    def _text(self, ids: list[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False))
