"""The placeholder judge: what the ear hears, against a plan. It scores no emotion and says so in every verdict."""

import math
from collections.abc import Mapping
from typing import TypeVar

from aptone.ear import ear_name, load_ear
from aptone.ear.licences import ear_and_licence
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

OPEN = "the plan leaves it open"
NOTE = (
    "Placeholder engine: it compares the rhythm, intonation and recording condition that its ear hears with a plan "
    "that a person wrote. It hears emotion but does not score it, its verdicts were never compared with listeners, and "
    "it will be replaced."
)

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
        "en": "Emotion: {planned} was asked for, the ear heard this: {heard}; not scored by this engine.",
        "zh": "情感：要求{planned}，听到的是：{heard}；此引擎不为情感评分。",
    },
}


class ProsodyJudge:
    """Scores rhythm, intonation and recording condition from 0 to 5 each; the overall score is their mean.

    An aspect scores 5 when what the plan asks for is the likeliest of all that was heard, and 5·p/p_max otherwise,
    with p its probability and p_max that of the likeliest.

    Args:
        ear: name of the ear that listens; None for the one that `aptone.ear.load_ear` takes.

    Raises:
        UsageError: if there is no such ear.
    """

    def __init__(self, *, ear: str | None = None) -> None:
        self._ear = ear_name(ear)  # now, so that a worker on another machine hears with the same one

    @property
    def about(self) -> About:
        """That it is a placeholder, and the licence of its ear; the weights are not loaded for that."""
        return About(notes=(NOTE,), licence=ear_and_licence(self._ear))

    @property
    def signature(self) -> str:
        """Name and revision of the judge and of its ear."""
        return signature("judge:prosody-placeholder", {"revision": 2, "ear": load_ear(self._ear).signature})

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        """The verdict on a clip, with a rationale in the language of the story."""
        perception = load_ear(self._ear).perceive(audio, language=sample.language)
        evidence: dict[str, Json] = {"plan": to_json(plan), "perception": to_json(perception)}
        if not perception.emotion:
            return Outcome.unscored(perception.unjudged["emotion"], evidence=evidence, signature=self.signature)
        aspects = _aspects(plan, perception)
        judged = [score.value for score, _, _ in aspects.values() if score.is_defined]
        if not judged:
            return Outcome.unscored(_why_nothing(aspects), evidence=evidence, signature=self.signature)
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
            rationale=_rationale(aspects, plan, perception, sample.language),
            evidence=evidence,
            signature=self.signature,
        )


Aspects = Mapping[str, tuple[Score, str, str]]
"""Aspect to score, what was planned and what was heard."""


def _aspects(plan: Plan, perception: Perception) -> Aspects:
    conditions = {_condition(name): share for name, share in perception.recording_condition.items()}
    asked = _condition(plan.recording_condition) if plan.recording_condition.strip() else None
    unjudged = perception.unjudged
    return {
        "rhythm": _aspect(plan.rhythm, perception.rhythm, unjudged.get("rhythm", "")),
        "intonation": _aspect(plan.intonation, perception.intonation, unjudged.get("intonation", "")),
        "recording_condition": _aspect(asked, conditions, unjudged.get("recording_condition", "")),
    }


def _aspect(planned: Name | None, heard: Mapping[Name, float], unjudged: str) -> tuple[Score, str, str]:
    likeliest = max(heard, key=lambda name: heard[name], default="")
    if planned is None:
        return Score(math.nan, range=RANGE, reason=OPEN), "", likeliest
    if not heard:
        return Score(math.nan, range=RANGE, reason=unjudged), planned, ""
    if planned not in heard:
        return Score(math.nan, range=RANGE, reason=f"the ear cannot hear {planned!r}"), planned, likeliest
    return Score(5.0 * (heard[planned] / max(heard.values())), range=RANGE), planned, likeliest


def _why_nothing(aspects: Aspects) -> str:
    """Why no aspect has a score: the plan asks for none that can be heard, or the ear could not judge this clip."""
    reasons = [score.reason for score, _, heard in aspects.values() if not heard and score.reason != OPEN]
    if reasons:
        return reasons[0]
    return "the plan names neither a rhythm nor an intonation nor a recording condition that can be judged"


def _condition(name: str) -> str:
    """A recording condition by the name that it has here, or as it is where it has none."""
    try:
        return RecordingCondition.parse(name)
    except RecordError:
        return name


def _shown(value: str, language: Language) -> str:
    label = getattr(value, "label", None)
    return str(label(language)) if label is not None else str(value)


def _rationale(aspects: Aspects, plan: Plan, perception: Perception, language: Language) -> str:
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
        sentences.append(WORDS["emotion"][language].format(planned=plan.emotion, heard=perception.phrase[language]))
    return (" " if language == "en" else "").join(sentences)
