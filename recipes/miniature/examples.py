"""Training and test examples of the miniature: pairs as examples of judges.

Conversations are built by the code that prompts judges (`aptone.judge.chat.conversation`), with prompts of a few words:
the miniature knows no language yet, and long instructions would not help. Captions stand in for a teacher's; reasonings
are written by the built-in grammar from the grade, the plan, and the known attributes of the clip.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from aptone.judge.chat.conversation import Briefing, Conversation
from aptone.judge.chat.verdict import RANGE
from aptone.train.ablation.rows import Planned
from aptone.train.cot.case import Case
from aptone.train.cot.writers import write_reasoning
from aptone.train.judge.example import Kind, score_reply
from aptone.types import Annotation, AudioRef, Intonation, Plan, Rhythm
from recipes.miniature.clips import MiniatureClip, caption_of
from recipes.miniature.pairs import Pair
from recipes.miniature.sounds import RememberedExample, Sound

PROMPTS = Path(__file__).parent / "prompts"
"""Prompts of a few words: the miniature knows no language, and long instructions would not help."""

SampledExamples = TypeVar("SampledExamples", Rhythm, Intonation)
CAPTION = Conversation("", "Describe the voice.")
ATTRIBUTES = Conversation("", "Name what you hear.")
NO_PLAN = Plan("")


def sound_of(pair: Pair) -> Sound:
    """Return the sound of a pair."""
    return Sound(pair.clip, pair.version, pair.heard)


def caption_examples(pairs: Sequence[Pair], clips: Mapping[str, MiniatureClip]) -> Iterator[RememberedExample]:
    """Yield a teacher's caption of the clip of every pair."""
    for number, pair in enumerate(pairs):
        clip = clips[pair.clip]
        yield RememberedExample(
            f"{pair.id}-caption",
            AudioRef(sound_of(pair).key),
            CAPTION,
            reply=caption_of(clip, pair.heard, language="en", seed=number),
            seconds=clip.seconds,
            kind="caption",
            ids={"speaker": pair.speaker},
        )


def attribute_examples(pairs: Sequence[Pair], clips: Mapping[str, MiniatureClip]) -> Iterator[RememberedExample]:
    """Yield a teacher's labels of the clip of every pair, one word for each aspect.

    A caption has forty words around the four that tell clips apart; here every word counts. Rhythm and intonation are
    sampled from the ear's probabilities, so that a student learns its confidence.
    """
    for pair in pairs:
        clip = clips[pair.clip]
        generator = np.random.default_rng(zlib.crc32(pair.id.encode()))
        heard = (clip.emotion, _drawn(clip.rhythm, generator), _drawn(clip.intonation, generator), pair.heard)
        yield RememberedExample(
            f"{pair.id}-attributes",
            AudioRef(sound_of(pair).key),
            ATTRIBUTES,
            reply=", ".join(one.value for one in heard),
            seconds=clip.seconds,
            kind="caption",
            ids={"speaker": pair.speaker},
        )


def _drawn(shares: Mapping[SampledExamples, float], generator: np.random.Generator) -> SampledExamples:
    names = list(shares)
    weights = np.array([shares[name] for name in names])
    return names[int(generator.choice(len(names), p=weights / weights.sum()))]


def judge_examples(
    pairs: Sequence[Pair],
    *,
    planned: Planned,
    reasons: Mapping[str, str] | None = None,
    answered: bool = True,
    context_size: int = 15,
) -> Iterator[RememberedExample]:
    """Yield every pair as a prompt of a judge, with the answer.

    Args:
        pairs: pairs to judge.
        planned: planner; ``none`` shows the story.
        reasons: reasoning of each pair (`reasoning_of`); None for a judge that does not reason.
        answered: include the answers.
        context_size: lines of the story in the prompt.
    """
    briefing = Briefing(
        reasoning=reasons is not None,
        show="context" if planned == "none" else "plan",
        context_size=context_size,
        prompt_language="en",
        prompts=str(PROMPTS),
    )
    kind: Kind = "score" if reasons is None else "reasoned"
    for pair in pairs:
        plan = NO_PLAN if planned == "none" else pair.plans[planned]
        thought = reasons[pair.id] if reasons is not None and answered else ""
        yield RememberedExample(
            f"{pair.id}-{planned}-{kind}",
            AudioRef(sound_of(pair).key),
            briefing.conversation(plan, pair.sample(None)),
            reply=score_reply(pair.score, thought) if answered else "",
            score=pair.score,
            kind=kind,
            ids={"speaker": pair.speaker},
        )


def reasoning_of(pair: Pair, clip: MiniatureClip, *, planned: Planned = "vote") -> str:
    """Return a reasoning from a plan and the known attributes of a clip to the grade of a pair."""
    heard = Annotation(
        emotion=clip.emotion.value,
        rhythm=max(clip.rhythm, key=lambda name: clip.rhythm[name]),
        intonation=max(clip.intonation, key=lambda name: clip.intonation[name]),
        recording_condition=pair.heard.value,
    )
    is_there = pair.aspects["recording_condition"] == RANGE[1]  # a wrong one spoils the whole: it gets nothing itself
    aspects = {**pair.aspects, "recording_condition": RANGE[1] if is_there else RANGE[0]}
    case = Case(pair.target.text, pair.plans[planned], heard, pair.score, aspects)
    return write_reasoning(case, language="en", seed=zlib.crc32(pair.id.encode())).text
