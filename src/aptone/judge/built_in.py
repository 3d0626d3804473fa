"""Built-in judge: the ear's perception against the plan, aspect by aspect, and one score from all of them."""

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Self

from aptone.ear import PARAMETERS, ear_and_licence, ear_name, load_ear
from aptone.ear.reference import References
from aptone.ear.referenced import Referenced, voice_in
from aptone.errors import UsageError
from aptone.judge.aspects.comparison import judge_aspects
from aptone.judge.aspects.emotion import STEP, planned_change
from aptone.judge.chat.verdict import RANGE
from aptone.judge.parameters import AspectVerdict, Parameters, load_parameters, on_curve
from aptone.judge.rationale import LENGTHS, Length, write_rationale
from aptone.messages import known_name, message
from aptone.models import About
from aptone.run import Call
from aptone.types import Audio, Json, Language, Outcome, Perception, Plan, Sample, Score, State, signature, to_json

REVISION = 3

NOTE = message("judge.note-built-in")

NOTHING_ASKED = message("judge.plan-asks-nothing")


class BuiltInJudge(Referenced):
    """Judge that scores six aspects from 0 to 5 each, and the line as a whole.

    The overall score is Σ weight · score / Σ weight over the aspects that could be judged, put through a curve that
    never falls; `aptone.judge.parameters` holds the numbers. The outcome is unscored if nobody speaks in the clip, or
    if the judged aspects carry less than `least_share` of the weight of all that the plan asks for.

    Args:
        ear: name of the ear, with its options; None for the default of `aptone.ear.load_ear`.
        rationale: length of the rationale: short, medium or long.

    Raises:
        UsageError: if there is no such ear, or no such length.
    """

    def __init__(self, *, ear: str | None = None, rationale: Length = "medium") -> None:
        if rationale not in LENGTHS:
            raise UsageError(f"a rationale is {', '.join(LENGTHS[:-1])} or {LENGTHS[-1]}, got {rationale!r}.")
        self.ear = ear_name(ear)  # now, so that a worker on another machine hears with the same one
        self._length = rationale
        self._rationale_language: Language | None = None
        self.references: References | None = None

    def with_language(self, language: Language, /) -> Self:
        """Return the same judge with rationales in this language; by default they are in that of the story."""
        other = copy(self)
        other._rationale_language = language
        return other

    @property
    def about(self) -> About:
        """Limits of its validation, licence and size of its ear; the weights are not loaded for that."""
        notes: list[str] = [NOTE]
        if self.ear not in PARAMETERS:
            notes.append(message("judge.note-other-ear", ear=self.ear))
        size = PARAMETERS.get(self.ear, 0)
        return About(notes=(*notes, *self.reference_notes), licence=ear_and_licence(self.ear), parameters=size)

    @property
    def signature(self) -> str:
        """Revision and parameters of the judge, the length of its rationale, its ear, and references of voices."""
        parts: dict[str, Json] = {
            "revision": REVISION,
            "parameters": load_parameters().hash,
            "rationale": self._length,
            "ear": load_ear(self.ear).signature,
            **self.reference_signature,
        }
        return signature("judge:built-in", parts)

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        """Return the verdict on a clip, with a rationale in the language of the story unless another was asked for."""
        step = STEP if planned_change(plan) is not None else None
        perception = load_ear(self.ear).perceive(audio, language=sample.language, trajectory=step)
        return self.verdict(self.heard_against(perception, voice=voice_in(sample.ids)), plan, sample)

    def verdict(self, perception: Perception, plan: Plan, sample: Sample) -> Outcome:
        """Return the verdict on a clip that the ear has perceived already."""
        parameters, signed = load_parameters(), self.signature
        language = self._rationale_language or sample.language
        evidence: dict[str, Json] = {"plan": to_json(plan), "perception": to_json(perception)}
        if not perception.emotion:
            return Outcome.unscored(perception.unjudged["emotion"], evidence=evidence, signature=signed)
        aspects = judge_aspects(
            plan,
            perception,
            line=sample.target.text,
            sounds=load_ear(self.ear).meaning.events,
            language=language,
            parameters=parameters,
        )
        evidence["aspects"] = {
            name: {
                "score": to_json(verdict.score),
                "planned": verdict.planned,
                "heard": verdict.heard,
                "measured": dict(verdict.measured),
            }
            for name, verdict in aspects.items()
        }
        if reason := too_little(aspects, parameters):
            return Outcome.unscored(reason, evidence=evidence, signature=signed)
        overall, spread = expected_overall(aspects, parameters)
        return Outcome(
            State.DONE,
            scores={
                "aptness": Score(overall, range=RANGE, signature=signed, spread=spread),
                **{name: verdict.score for name, verdict in aspects.items()},
            },
            rationale=write_rationale(aspects, overall, perception, language=language, length=self._length),
            evidence=evidence,
            signature=signed,
        )


def weights_of(aspects: Mapping[str, AspectVerdict], parameters: Parameters) -> dict[str, float]:
    """Return the weight of each aspect; a recording condition that nobody asked for counts less."""
    weights = {name: parameters.weights[name] for name in aspects}
    condition = aspects.get("recording_condition")
    if condition is not None and not condition.asked:
        weights["recording_condition"] *= parameters.unasked_condition
    return weights


def too_little(aspects: Mapping[str, AspectVerdict], parameters: Parameters) -> str:
    """Return the reason why too few aspects are judged for an overall score; empty when there are enough.

    At least `least_share` of the weight that the plan asks for must be judged. Aspects that nobody asked for
    (naturalness, an open recording condition) never make a score on their own.
    """
    weights = weights_of(aspects, parameters)
    asked = [name for name, verdict in aspects.items() if verdict.asked]
    judged = [name for name in asked if aspects[name].score.is_defined]
    if not asked:
        return NOTHING_ASKED
    share = math.fsum(weights[name] for name in judged) / math.fsum(weights[name] for name in asked)
    if judged and share >= parameters.least_share:
        return ""
    heaviest = max((name for name in asked if name not in judged), key=lambda name: weights[name])
    named = known_name(heaviest.replace("_", " "))
    return message("judge.too-little-judged", share=share, aspect=named, why=aspects[heaviest].score.reason)


def expected_overall(aspects: Mapping[str, AspectVerdict], parameters: Parameters) -> tuple[float, float]:
    """Return mean and standard deviation of the overall score over the emotions of a plan; NaN for a sure plan."""
    alternatives = aspects["emotion"].alternatives
    if not alternatives:
        return overall_score(aspects, parameters), math.nan
    scores = []
    for share, score in alternatives:
        sure = replace(aspects["emotion"], score=Score(score, range=RANGE))
        scores.append((share, overall_score({**aspects, "emotion": sure}, parameters)))
    mean = math.fsum(share * score for share, score in scores)
    spread = math.sqrt(math.fsum(share * (score - mean) ** 2 for share, score in scores))
    return min(RANGE[1], max(RANGE[0], mean)), spread


def overall_score(aspects: Mapping[str, AspectVerdict], parameters: Parameters) -> float:
    """Return the weighted mean of the aspects that have a score, on the overall curve."""
    weights = weights_of(aspects, parameters)
    judged = {name: verdict.score.value for name, verdict in aspects.items() if verdict.score.is_defined}
    total = math.fsum(weights[name] for name in judged)
    mean = math.fsum(weights[name] * value for name, value in judged.items()) / total
    return min(RANGE[1], max(RANGE[0], on_curve(parameters.curves["aptness"], mean)))
