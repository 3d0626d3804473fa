"""Rollouts of GRPO, several replies to every prompt sampled from the judge's own distribution, and their rewards.

Prompts and clips are prepared once, and each is answered once per generation, in batches. Training uses the sampled
token ids and not their text: tokenising a text again may give other ids.

The reward of a reply follows CEAEval's equations 3 and 4:


r(ŝ, s) = exp(-|ŝ - s| / σ) + exp(-|b(ŝ) - b(s)|),   b(s) = min(5, max(0, ⌊s⌋))

with ŝ the score in the reply and s the score by people. The first term falls with the distance, the second with the
whole numbers between the two: 2.9 and 3.1 are close, yet on different sides of a step of the scale.

A reply whose score cannot be parsed, by the parser of all judges (`aptone.judge.chat.verdict`), has reward 0. That is
the lower bound: both terms are positive, and within the scale no reply gets less than exp(-5/σ) + exp(-5), 0.0135 with
σ = 1. So the worst legible score is still better than none, and not by much. The same holds for a truncated reply,
since that of a judge is refused then, whatever it contains.
"""

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from aptone.errors import UnusableReplyError
from aptone.judge.chat.verdict import read_verdict
from aptone.models.local.generation import end_tokens
from aptone.models.omni.checkpoint import Omni
from aptone.train.judge.batch import IGNORED, Inputs, refuse_control_tokens
from aptone.train.judge.config import TrainingPrecision
from aptone.train.judge.example import Example

SIGMA = 1.0
"""The paper's σ."""
UNREADABLE = 0.0
"""Reward of a reply without a readable score."""
HIGHEST_BIN = 5
CUT = "the reply is not whole: stopped before its end"


@dataclass(frozen=True, slots=True)
class Reward:
    """Reward of one reply.

    Args:
        value: reward from 0 to 2, higher is better.
        score: score in the reply; NaN if none can be parsed.
        problem: reason why none can be parsed; empty otherwise.
        reasons: true if the reply gives reasons for its score.
    """

    value: float
    score: float = math.nan
    problem: str = ""
    reasons: bool = False

    @property
    def readable(self) -> bool:
        """True if the reply gives a score."""
        return not self.problem


def score_bin(score: float) -> int:
    """Return the floor of a score, within 0 to 5 (equation 4).

    >>> [score_bin(score) for score in (-0.5, 0.9, 3.0, 4.99, 5.0, 7.2)]
    [0, 0, 3, 4, 5, 5]

    Raises:
        ValueError: if the score is NaN or infinite.
    """
    if not math.isfinite(score):
        raise ValueError(f"a score is a finite number, got {score}.")
    return min(HIGHEST_BIN, max(0, math.floor(score)))


def score_reward(given: float, truth: float, *, sigma: float = SIGMA) -> float:
    """Return the reward of a score (equation 3), above 0 and up to 2.

    >>> score_reward(4.0, 4.0)
    2.0
    >>> round(score_reward(2.5, 3.5), 4)
    0.7358

    Raises:
        ValueError: if a score is NaN or infinite, or σ is not positive.
    """
    if not 0.0 < sigma < math.inf:
        raise ValueError(f"sigma is positive, got {sigma}.")
    steps = abs(score_bin(given) - score_bin(truth))
    return math.exp(-abs(given - truth) / sigma) + math.exp(-steps)


def reply_reward(
    reply: str, truth: float, *, shown: Iterable[str] = (), whole: bool = True, sigma: float = SIGMA
) -> Reward:
    """Return the reward of a reply.

    Args:
        shown: text of users in the prompt; a score in it is not the model's own.
        whole: true if the model ended the reply itself.

    >>> reply_reward("<think>Flat, as planned.</think><score>4.0</score>", 4.0).value
    2.0
    >>> reply_reward("Four out of five.", 4.0)
    Reward(value=0.0, score=nan, problem='the reply has no score tag, expected <score>NUMBER</score>', reasons=False)

    Raises:
        ValueError: if the truth is NaN or infinite, or σ is not positive.
    """
    if not whole:
        return Reward(UNREADABLE, problem=CUT)
    try:
        verdict = read_verdict(reply, shown=shown)
    except UnusableReplyError as error:
        return Reward(UNREADABLE, problem=error.reason)
    return Reward(score_reward(verdict.value, truth, sigma=sigma), verdict.value, reasons=bool(verdict.rationale))


MEDIA_TOKENS = (
    "audio_token_id",
    "audio_start_token_id",
    "audio_end_token_id",
    "image_token_id",
    "video_token_id",
    "vision_start_token_id",
    "vision_end_token_id",
)
"""Placeholder tokens of sounds and pictures; never sampled, since the model cannot read one without its medium."""


@dataclass(frozen=True, slots=True)
class RolloutConfig:
    """Settings of sampling.

    Args:
        num_generations: replies per prompt.
        temperature: sampling temperature; 0 for the likeliest reply.
        max_new_tokens: longest reply in tokens; a longer one is truncated and gets the lowest reward.
        aac: encode clips as AAC first, as in the release.
        rollout_batch_size: replies that are generated together.
    """

    num_generations: int = 8
    temperature: float = 1.0
    max_new_tokens: int = 768
    aac: bool = False
    precision: TrainingPrecision = "float32"
    rollout_batch_size: int = 64


@dataclass(frozen=True, slots=True, eq=False)
class Rollouts:
    """Sampled replies, those to one prompt next to each other.

    Args:
        prompts: token ids of the prompt of each reply.
        replies: token ids of each reply, with its end token.
        sounds: audio inputs of the model, a row for each reply.
        whole: true for replies that the judge ended itself.
    """

    prompts: tuple[Tensor, ...]
    replies: tuple[Tensor, ...]
    sounds: Mapping[str, Tensor]
    texts: tuple[str, ...]
    whole: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.replies)

    def inputs(self, rows: range, *, padding: int) -> Inputs:
        """Return model inputs of some replies: prompt and reply, padded on the right, with labels on the reply."""
        pairs = [(self.prompts[row], self.replies[row]) for row in rows]
        ids = [torch.cat(pair) for pair in pairs]
        labels = [torch.cat([torch.full_like(prompt, IGNORED), reply]) for prompt, reply in pairs]
        padded = pad_sequence(ids, batch_first=True, padding_value=padding)
        return {
            "input_ids": padded,
            "attention_mask": pad_sequence([torch.ones_like(one) for one in ids], batch_first=True),
            # Without pictures all three axes count alike; the stock model would search for pictures row by row.
            "position_ids": torch.arange(padded.shape[1], device=padded.device).expand(3, *padded.shape),
            "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORED),
            **{name: value[rows.start : rows.stop] for name, value in self.sounds.items()},
        }


def generate_rollouts(omni: Omni, examples: Sequence[Example], config: RolloutConfig) -> Rollouts:
    """Sample a group of replies to each example, with torch's random numbers.

    Raises:
        AudioError: if a clip cannot be read, or is too short.
        RecordError: if a text holds a forbidden control token, or the instructions leave a span open.
        UsageError: if a clip is longer than the model's input.
    """
    for example in examples:
        refuse_control_tokens(omni, example)
    prompts = omni.inputs([example.messages() for example in examples], aac=config.aac)
    rows = {name: value.repeat_interleave(config.num_generations, dim=0) for name, value in prompts.items()}
    length = prompts["input_ids"].shape[1]
    count = len(examples) * config.num_generations
    ends = torch.tensor(end_tokens(omni.model, omni.tokenizer))
    generated: list[Tensor] = []
    with _generation_mode(omni, config.precision):
        for first in range(0, count, config.rollout_batch_size):
            part = {name: value[first : first + config.rollout_batch_size] for name, value in rows.items()}
            sampled = omni.model.generate(**part, generation_config=_generation(omni, config, ends.tolist()))
            generated += list(sampled[:, length:])
    masks = rows["attention_mask"].bool()
    replies = [_ended(row, ends.to(row.device)) for row in generated]
    return Rollouts(
        prompts=tuple(ids[mask] for ids, mask in zip(rows["input_ids"], masks, strict=True)),
        replies=tuple(reply for reply, _ in replies),
        sounds={name: value for name, value in rows.items() if name not in ("input_ids", "attention_mask")},
        texts=tuple(
            omni.tokenizer.decode(reply[: len(reply) - whole], skip_special_tokens=False) for reply, whole in replies
        ),
        whole=tuple(whole for _, whole in replies),
    )


def rollout_rewards(rollouts: Rollouts, examples: Sequence[Example], *, sigma: float = SIGMA) -> list[Reward]:
    """Return the reward of each reply, in their order."""
    group = len(rollouts) // len(examples)
    return [
        reply_reward(
            text, examples[row // group].score, shown=examples[row // group].prompt_texts, whole=whole, sigma=sigma
        )
        for row, (text, whole) in enumerate(zip(rollouts.texts, rollouts.whole, strict=True))
    ]


def _generation(omni: Omni, rollout: RolloutConfig, ends: list[int]) -> Any:
    from transformers import GenerationConfig

    padding = omni.tokenizer.pad_token_id
    config = omni.model.config
    sampling: dict[str, Any] = {"do_sample": False}
    if rollout.temperature > 0:  # the whole distribution: log-probabilities of a truncated one are unknown
        sampling = {"do_sample": True, "temperature": rollout.temperature, "top_k": 0, "top_p": 1.0}
    return GenerationConfig(
        max_new_tokens=rollout.max_new_tokens,
        eos_token_id=ends,
        pad_token_id=ends[0] if padding is None else padding,
        repetition_penalty=1.0,
        suppress_tokens=sorted({getattr(config, name) for name in MEDIA_TOKENS if hasattr(config, name)}),
        use_cache=True,
        **sampling,
    )


def _ended(written: Tensor, ends: Tensor) -> tuple[Tensor, bool]:
    """Return the ids up to the first end token, and whether there is one."""
    places = torch.isin(written, ends).nonzero()
    return (written[: int(places[0]) + 1], True) if len(places) else (written, False)


@contextlib.contextmanager
def _generation_mode(omni: Omni, precision: TrainingPrecision) -> Iterator[None]:
    """Switch the model to evaluation mode, without gradients, while the context lasts."""
    thinker = omni.model
    was_training = thinker.training
    thinker.eval()
    try:
        with (
            torch.no_grad(),
            _merged_token_rows(thinker),
            torch.autocast(thinker.device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16"),
        ):
            yield
    finally:
        thinker.train(was_training)


@contextlib.contextmanager
def _merged_token_rows(thinker: Any) -> Iterator[None]:
    """Merge the trained rows of new tokens into the embeddings while the context lasts.

    Otherwise peft copies the whole matrix for every token, by a list of ids that the host sends, so that a generation
    step could not be recorded as a CUDA graph.
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
