"""What a judge that is reinforced writes: several replies to every prompt, drawn from its own distribution.

Prompts with their clips are prepared once and each is answered as often as the group has replies, all in one batch.
The ids that were written, not their text, are what is learned from: to tokenise a text again may give others.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from aptone.models.local.generation import end_tokens
from aptone.models.omni.checkpoint import Omni
from aptone.train.grpo.reward import SIGMA, Reward, reply_reward
from aptone.train.judge.batch import IGNORED, Inputs, refuse_control_tokens_of
from aptone.train.judge.config import TrainingPrecision
from aptone.train.judge.example import Example

SOUNDS_AND_SIGHTS = (
    "audio_token_id",
    "audio_start_token_id",
    "audio_end_token_id",
    "image_token_id",
    "video_token_id",
    "vision_start_token_id",
    "vision_end_token_id",
)
"""Tokens that stand for a sound or a picture: a reply that held one could not be read by the model, for there is none
behind it. They are never drawn."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How replies are drawn.

    Args:
        group: replies to a prompt.
        temperature: 1 for the judge's own distribution; 0 for the likeliest reply.
        max_tokens: of a reply; one that has not ended by then is cut, and worth nothing.
        aac: whether clips go through AAC first, as in the release.
        precision: of the arithmetic.
        at_once: replies that are written side by side.
    """

    group: int = 8
    temperature: float = 1.0
    max_tokens: int = 768
    aac: bool = False
    precision: TrainingPrecision = "float32"
    at_once: int = 64


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Replies to some prompts, those to one prompt next to each other.

    Args:
        prompts: token ids of the prompt of each reply.
        replies: token ids of each reply, what ends it included.
        sounds: what the model takes besides ids, a row for each reply.
        texts: of the replies.
        whole: which of them the judge ended itself.
    """

    prompts: tuple[Tensor, ...]
    replies: tuple[Tensor, ...]
    sounds: Mapping[str, Tensor]
    texts: tuple[str, ...]
    whole: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.replies)

    def inputs(self, rows: range, *, padding: int) -> Inputs:
        """Some of the replies behind their prompts, padded on the right, with labels on the replies.

        Args:
            rows: which.
            padding: id that pads.
        """
        pairs = [(self.prompts[row], self.replies[row]) for row in rows]
        ids = [torch.cat(pair) for pair in pairs]
        labels = [torch.cat([torch.full_like(prompt, IGNORED), reply]) for prompt, reply in pairs]
        padded = pad_sequence(ids, batch_first=True, padding_value=padding)
        return {
            "input_ids": padded,
            "attention_mask": pad_sequence([torch.ones_like(one) for one in ids], batch_first=True),
            # Without pictures all three axes simply count; the stock model would look for pictures row by row.
            "position_ids": torch.arange(padded.shape[1], device=padded.device).expand(3, *padded.shape),
            "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORED),
            **{name: value[rows.start : rows.stop] for name, value in self.sounds.items()},
        }


def write_groups(omni: Omni, examples: Sequence[Example], writing: Writing) -> Written:
    """A group of replies to each example; their randomness is torch's.

    Raises:
        AudioError: if a clip cannot be read, or is too short to hold a sound.
        RecordError: if a text holds a control token that it must not hold, or the instructions leave a span open.
        UsageError: if a clip is longer than what the model hears.
    """
    for example in examples:
        refuse_control_tokens_of(omni, example)
    asked = omni.inputs([example.messages() for example in examples], aac=writing.aac)
    rows = {name: value.repeat_interleave(writing.group, dim=0) for name, value in asked.items()}
    shown = asked["input_ids"].shape[1]
    count = len(examples) * writing.group
    ends = torch.tensor(end_tokens(omni.model, omni.tokenizer))
    written: list[Tensor] = []
    with _listening(omni, writing.precision):
        for first in range(0, count, writing.at_once):
            part = {name: value[first : first + writing.at_once] for name, value in rows.items()}
            drawn = omni.model.generate(**part, generation_config=_generation(omni, writing, ends.tolist()))
            written += list(drawn[:, shown:])
    seen = rows["attention_mask"].bool()
    replies = [_ended(row, ends.to(row.device)) for row in written]
    return Written(
        prompts=tuple(ids[mask] for ids, mask in zip(rows["input_ids"], seen, strict=True)),
        replies=tuple(reply for reply, _ in replies),
        sounds={name: value for name, value in rows.items() if name not in ("input_ids", "attention_mask")},
        texts=tuple(
            omni.tokenizer.decode(reply[: len(reply) - whole], skip_special_tokens=False) for reply, whole in replies
        ),
        whole=tuple(whole for _, whole in replies),
    )


def reply_rewards(written: Written, examples: Sequence[Example], *, sigma: float = SIGMA) -> list[Reward]:
    """What the replies to some examples are worth, in their order."""
    group = len(written) // len(examples)
    return [
        reply_reward(
            text,
            examples[row // group].score,
            shown=examples[row // group].shown,
            whole=whole,
            sigma=sigma,
        )
        for row, (text, whole) in enumerate(zip(written.texts, written.whole, strict=True))
    ]


def _generation(omni: Omni, writing: Writing, ends: list[int]) -> Any:
    from transformers import GenerationConfig

    padding = omni.tokenizer.pad_token_id
    config = omni.model.config
    drawn: dict[str, Any] = {"do_sample": False}
    if writing.temperature > 0:  # the whole distribution: what is cut off could not be weighed afterwards
        drawn = {"do_sample": True, "temperature": writing.temperature, "top_k": 0, "top_p": 1.0}
    return GenerationConfig(
        max_new_tokens=writing.max_tokens,
        eos_token_id=ends,
        pad_token_id=ends[0] if padding is None else padding,
        repetition_penalty=1.0,
        suppress_tokens=sorted({getattr(config, name) for name in SOUNDS_AND_SIGHTS if hasattr(config, name)}),
        use_cache=True,
        **drawn,
    )


def _ended(written: Tensor, ends: Tensor) -> tuple[Tensor, bool]:
    """The ids up to the first one that ends a reply, and whether there is one."""
    places = torch.isin(written, ends).nonzero()
    return (written[: int(places[0]) + 1], True) if len(places) else (written, False)


@contextlib.contextmanager
def _listening(omni: Omni, precision: TrainingPrecision) -> Iterator[None]:
    """While this lasts, the judge writes and does not learn."""
    thinker = omni.model
    was_training = thinker.training
    thinker.eval()
    try:
        with (
            torch.no_grad(),
            _tokens_in_place(thinker),
            torch.autocast(thinker.device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16"),
        ):
            yield
    finally:
        thinker.train(was_training)


@contextlib.contextmanager
def _tokens_in_place(thinker: Any) -> Iterator[None]:
    """While this lasts, rows of new tokens that LoRA learns stand where the others stand.

    Else peft copies the whole matrix for every token, by a list of ids that the host sends, so that a step of writing
    could not be recorded.
    """
    layers = [module for module in thinker.modules() if hasattr(module, "trainable_tokens_delta")]
    writing = thinker.writing
    for layer in layers:
        layer.merge()
        thinker.writing = "auto"
    try:
        yield
    finally:
        thinker.writing = writing
        for layer in layers:
            layer.unmerge()
