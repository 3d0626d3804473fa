"""The placeholder judge: prosody measures against a plan. It hears no emotion and says so in every verdict."""

import math
from collections.abc import Mapping
from typing import TypeVar

from aptone.ear import ear_signature, perceive
from aptone.errors import RecordError
from aptone.models import About
from aptone.run import Call
from aptone.types import (
    Audio,
    Json,
    Language,
    Outcome,
    Perception,
    Plan,
    RecordingCondition,
    Sample,
    Score,
    State,
    signature,
    to_json,
)

RANGE = (0.0, 5.0)

Name = TypeVar("Name", bound=str)

NAMES = {
    "rhythm": {"en": "Rhythm", "zh": "节奏"},
    "intonation": {"en": "Intonation", "zh": "语调"},
    "recording_condition": {"en": "Recording condition", "zh": "录音状态"},
}
WORDS = {
    "aspect": {
        "en": "{name}: {planned} was asked for, {heard} was heard ({score:.1f} of 5).",
        "zh": "{name}：要求{planned}，听到{heard}（{score:.1f}/5）。",
    },
    "emotion": {
        "en": "Emotion ({emotion}) was not judged: this engine cannot hear it.",
        "zh": "情感（{emotion}）未评：此引擎无法判断情感。",
    },
}


class ProsodyJudge:
    """Scores rhythm, intonation and recording condition from 0 to 5 each; the overall score is their mean.

    An aspect scores 5 when what the plan asks for is the likeliest of all that was heard, and 5·p/p_max otherwise,
    with p its probability and p_max that of the likeliest.
    """

    about = About(
        notes=(
            "Placeholder engine: it compares a few prosody measures with a plan that a person wrote. It does not hear "
            "emotion, its rules were never compared with listeners, and it will be replaced.",
        )
    )

    @property
    def signature(self) -> str:
        """Name and revision of the judge and of its ear."""
        return signature("judge:prosody-placeholder", {"revision": 1, "ear": ear_signature()})

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        """The verdict on a clip, with a rationale in the language of the story."""
        perception = perceive(audio)
        evidence: dict[str, Json] = {"plan": to_json(plan), "perception": to_json(perception)}
        if not perception.rhythm:
            reason = f"too little speech: {perception.unjudged['rhythm']}"
            return Outcome.unscored(reason, evidence=evidence, signature=self.signature)
        aspects = _aspects(plan, perception)
        judged = [score.value for score, _, _ in aspects.values() if score.is_defined]
        if not judged:
            reason = "the plan names neither a rhythm nor an intonation nor a recording condition that can be judged"
            return Outcome.unscored(reason, evidence=evidence, signature=self.signature)
        overall = Score(math.fsum(judged) / len(judged), range=RANGE, signature=self.signature)
        evidence["aspects"] = {
            name: {
                "score": to_json(score),
                "planned": _shown(planned, sample.language),
                "heard": _shown(heard, sample.language),
            }
            for name, (score, planned, heard) in aspects.items()
        }
        return Outcome(
            State.DONE,
            scores={"aptness": overall, **{name: score for name, (score, _, _) in aspects.items()}},
            rationale=_rationale(aspects, plan, sample.language),
            evidence=evidence,
            signature=self.signature,
        )


Aspects = Mapping[str, tuple[Score, str, str]]
"""Aspect to score, what was planned and what was heard."""


def _aspects(plan: Plan, perception: Perception) -> Aspects:
    return {
        "rhythm": _aspect(plan.rhythm, perception.rhythm),
        "intonation": _aspect(plan.intonation, perception.intonation),
        "recording_condition": _aspect(_known_condition(plan), perception.recording_condition),
    }


def _aspect(planned: Name | None, heard: Mapping[Name, float]) -> tuple[Score, str, str]:
    likeliest = max(heard, key=lambda name: heard[name])
    if planned is None:
        return Score(math.nan, range=RANGE, reason="the plan leaves it open"), "", likeliest
    if planned not in heard:
        return Score(math.nan, range=RANGE, reason=f"the placeholder ear cannot hear {planned!r}"), planned, likeliest
    return Score(5.0 * (heard[planned] / heard[likeliest]), range=RANGE), planned, likeliest


def _known_condition(plan: Plan) -> str | None:
    if not plan.recording_condition.strip():
        return None
    try:
        return RecordingCondition.parse(plan.recording_condition)
    except RecordError:
        return plan.recording_condition


def _shown(value: str, language: Language) -> str:
    label = getattr(value, "label", None)
    return str(label(language)) if label is not None else str(value)


def _rationale(aspects: Aspects, plan: Plan, language: Language) -> str:
    sentences = [
        WORDS["aspect"][language].format(
            name=NAMES[name][language],
            planned=_shown(planned, language),
            heard=_shown(heard, language),
            score=score.value,
        )
        for name, (score, planned, heard) in aspects.items()
        if score.is_defined
    ]
    if plan.emotion.strip():
        sentences.append(WORDS["emotion"][language].format(emotion=plan.emotion))
    return (" " if language == "en" else "").join(sentences)
