"""What local chat models have in common: loading them once, and writing a reply token by token."""

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from aptone.audio import resample
from aptone.errors import AptoneError, MissingExtraError, RecordError, UsageError
from aptone.messages import message
from aptone.models.about import About
from aptone.models.chat import Reply
from aptone.models.local.json_prefix import Prefix, prefix_of
from aptone.types import Audio, Json

if TYPE_CHECKING:
    import torch

ABOUT = About(modules=("torch", "transformers"), extra="local")

one_at_a_time = threading.RLock()
"""Held while a local model loads or writes: they share the processor and its memory."""

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
        UsageError: if no model is named, or there is no such precision.
    """

    model: str
    revision: str = ""
    device: str = "auto"
    precision: Precision = "auto"

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model runs here? Give a folder, or a name on the Hugging Face hub.")
        if self.precision not in get_args(Precision):
            raise UsageError(f"a precision is one of {', '.join(get_args(Precision))}, got {self.precision!r}.")

    @property
    def options(self) -> dict[str, Any]:
        """What transformers is told whenever it reads a file of the checkpoint."""
        return {"revision": self.revision or None}

    def weights(self) -> dict[str, Any]:
        """What it is told besides when it reads the weights."""
        import torch

        precision = "auto" if self.precision == "auto" else getattr(torch, self.precision)
        return {"dtype": precision, "device_map": self.device}

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Turns what transformers raises while it loads into an error that says what is wrong.

        Raises:
            UsageError: if the model cannot be loaded; the message says why.
        """
        try:
            yield
        except ImportError as error:
            raise UsageError(f"{self.model}: its model needs another library ({error}).") from error
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise UsageError(f"{self.model}: cannot be loaded ({' '.join(str(error).split())[:300]}).") from error

    @property
    def identity(self) -> dict[str, Json]:
        """What identifies the weights in a signature; where they run does not."""
        return {"model": self.model, "revision": self.revision, "precision": self.precision}

    def load(self, kind: str, reader: str) -> tuple[Any, Any]:
        """What reads text for a model, and the model itself, from the classes of transformers with these names.

        Raises:
            MissingExtraError: if torch or transformers is not installed.
            UsageError: if the model cannot be loaded; the message says why.
        """
        transformers = _transformers()
        with self.told():
            reads = getattr(transformers, reader).from_pretrained(self.model, **self.options)
            model = getattr(transformers, kind).from_pretrained(self.model, **self.options, **self.weights())
        return reads, model.eval()

    def config(self) -> Any:
        """What the model says about itself; errors as those of `load`."""
        transformers = _transformers()
        with self.told():
            return transformers.AutoConfig.from_pretrained(self.model, **self.options)


def _transformers() -> Any:
    try:
        import transformers
    except ImportError as error:
        raise MissingExtraError(message("models.a-local-model"), extra="local") from error
    return transformers


def refuse_control_tokens(texts: Sequence[str], tokenizer: Any) -> None:
    """Make sure that no text of a user's holds a control token of this very model.

    `aptone.models.asking.guard.guard` takes away those that have the usual forms; a tokenizer may know others. Whatever
    was added to its vocabulary counts: such a token is found in any text, called special or not.

    Raises:
        RecordError: if one does.
    """
    for token in sorted({*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}):
        if any(token in text for text in texts):
            raise RecordError(f"a text holds {token!r}, a control token of the model; take it out.")


def write_replies(
    model: Any,
    tokenizer: Any,
    inputs: Mapping[str, Any],
    *,
    max_tokens: int,
    temperature: float,
    json_schema: Mapping[str, Json] | None,
    seeds: Sequence[int],
) -> list[Reply]:
    """Let a model go on from its inputs, row by row: one reply for each seed.

    Rows of unequal length are padded on the left. A reply depends on its own row and seed, not on its neighbours, as
    far as numbers in a larger batch come out the same. Marks such as ``<score>`` may be special tokens of a judge, so
    only the token that ends a reply is taken off.
    """
    import torch

    shown = inputs["input_ids"].shape[1]
    ends = end_tokens(model, tokenizer)
    steps: list[Any] = [_Held(tokenizer, json_schema, shown=shown, ends=ends)] if json_schema is not None else []
    if temperature > 0:
        steps.append(_Drawn(seeds, temperature=temperature))
    with torch.inference_mode():
        written = model.generate(
            **inputs,
            max_new_tokens=max_tokens,
            eos_token_id=ends,
            pad_token_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else ends[0],
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            logits_processor=steps,
        )[:, shown:].tolist()
    lengths = inputs["attention_mask"].sum(dim=1).tolist()
    return [
        _reply(row, tokenizer, ends=ends, shown=length, max_tokens=max_tokens)
        for row, length in zip(written, lengths, strict=True)
    ]


def _reply(written: list[int], tokenizer: Any, *, ends: Sequence[int], shown: int, max_tokens: int) -> Reply:
    end = next((place for place, token in enumerate(written) if token in ends), None)
    text = tokenizer.decode(written[:end], skip_special_tokens=False)
    if end is None:
        return Reply(text, input_tokens=shown, output_tokens=len(written), cut=f"stopped at {max_tokens} tokens")
    return Reply(text, input_tokens=shown, output_tokens=end + 1)


def heard_at(audio: Audio, *, rate: int, longest: float | None) -> Audio:
    """A recording at the rate of a model.

    Raises:
        UsageError: if it is longer than what the model hears: it would be cut without a word.
    """
    if longest is not None and audio.seconds > longest:
        raise UsageError(
            f"{audio.source}: {audio.seconds:.1f} s are more than the {longest:g} s that the model hears; cut the clip."
        )
    return resample(audio, rate=rate)


def end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """Ids of the tokens that end a reply.

    Raises:
        UsageError: if there is none.
    """
    configured = model.generation_config.eos_token_id
    listed = configured if isinstance(configured, list) else [configured]
    ends = [token for token in dict.fromkeys([*listed, tokenizer.eos_token_id]) if token is not None]
    if not ends:
        raise UsageError("the model has no token that ends a reply, so it would never end one.")
    return ends


class _Drawn:
    """Draws the next token of each row from its own source of randomness, so that neighbours change nothing.

    The largest of log p + g, with g from Gumbel's distribution, is a draw from p (Gumbel 1954): so noise is added here,
    and the likeliest token is taken afterwards. The randomness of the rest of the program is left alone.
    """

    def __init__(self, seeds: Sequence[int], *, temperature: float) -> None:
        self._seeds = seeds
        self._temperature = temperature
        self._sources: list[torch.Generator] = []

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        import torch

        self._sources = self._sources or [torch.Generator(scores.device).manual_seed(seed) for seed in self._seeds]
        waits = torch.stack([torch.empty_like(scores[0]).exponential_(generator=source) for source in self._sources])
        return scores / self._temperature - waits.log()


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
