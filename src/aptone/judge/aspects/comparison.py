"""How well a clip does what a plan asks for, one aspect at a time: perception and plan in, a score from 0 to 5 out.

Each function is pure and gives, beside the score, the numbers that it rests on. What the plan leaves open, what its
words do not tell us and what the ear could not hear is no score, with the reason.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from aptone.ear.describe import mentions
from aptone.errors import RecordError
from aptone.judge.aspects.aspect import OPEN, AspectVerdict, joined, scored, unheard, unjudged
from aptone.judge.aspects.emotion import judge_emotion
from aptone.judge.aspects.sounds import LANGUAGES, judge_sounds, sounds_asked
from aptone.judge.chat.verdict import RANGE
from aptone.judge.parameters import Parameters, on_curve
from aptone.messages import message
from aptone.planner.normalise import normalise_condition
from aptone.types import ClosedSet, Language, Perception, Plan, RecordingCondition, Score


def judge_aspects(
    plan: Plan,
    perception: Perception,
    *,
    line: str,
    sounds: Collection[str],
    language: Language,
    parameters: Parameters,
) -> dict[str, AspectVerdict]:
    """Every aspect of a line.

    Args:
        plan: how it should sound.
        perception: how it sounds.
        line: the text that is spoken; stage directions in it, such as "(laughs)", ask for sounds.
        sounds: names of the sounds that the ear was taught.
        language: of the story, for the words.
        parameters: of the judge.
    """
    return {
        "emotion": judge_emotion(plan, perception, language=language, parameters=parameters),
        "rhythm": judge_kin("rhythm", plan.rhythm, perception, language=language, parameters=parameters),
        "intonation": judge_kin("intonation", plan.intonation, perception, language=language, parameters=parameters),
        "recording_condition": judge_condition(plan, perception, language=language, parameters=parameters),
        "paralinguistics": judge_sounds(
            sounds_asked(plan, line), perception, sounds=sounds, language=language, parameters=parameters
        ),
        "naturalness": judge_naturalness(perception, language=language, parameters=parameters),
    }


def judge_kin(
    aspect: str, asked: ClosedSet | None, perception: Perception, *, language: Language, parameters: Parameters
) -> AspectVerdict:
    """How well a rhythm, or an intonation, fits: Σ probability · kinship with the one that was asked for.

    Kinship is exp(-d² / (2·reach²)) of two places: relaxed and low-paced are akin, relaxed and tense are not.
    """
    distribution: Mapping[str, float] = getattr(perception, aspect)
    likeliest = max(distribution, key=lambda name: distribution[name], default="")
    heard = _label(likeliest, language)
    if asked is None:
        return unjudged(OPEN, language, heard=heard, asked=False)
    if not distribution:
        return unheard(aspect, perception, language, planned=asked.label(language))
    places, reach = parameters.kinship[aspect], parameters.kinship_reach[aspect]
    fit = math.fsum(share * _kinship(places[asked], places[name], reach) for name, share in distribution.items())
    return AspectVerdict(
        scored(aspect, fit, parameters),
        planned=asked.label(language),
        heard=heard,
        measured={
            f"P({asked})": distribution.get(asked, 0.0),
            f"P({likeliest})": distribution[likeliest],
            "fit": fit,
        },
        agrees=likeliest == asked,
    )


def judge_condition(plan: Plan, perception: Perception, *, language: Language, parameters: Parameters) -> AspectVerdict:
    """How probable one of the recording conditions is that the plan names; where it names none, a normal one."""
    stated = plan.recording_condition.strip()
    asked = _conditions(stated)
    distribution = {_condition(name): share for name, share in perception.recording_condition.items()}
    likeliest = max(distribution, key=lambda name: distribution[name], default="")
    planned = joined([_label(name, language) for name in asked], language) if stated else ""
    if not distribution:
        return replace(unheard("recording_condition", perception, language, planned=planned), asked=bool(stated))
    known = [name for name in asked if name in distribution]
    if not known:
        why = message("judge.ear-cannot-hear", what=stated)
        return unjudged(why, language, planned=planned, heard=_label(likeliest, language))
    fit = min(1.0, math.fsum(distribution[name] for name in known))
    measured = {f"P({name})": distribution[name] for name in known}
    measured |= {f"P({likeliest})": distribution[likeliest], "fit": fit}
    return AspectVerdict(
        scored("recording_condition", fit, parameters),
        planned=planned,
        heard=_label(likeliest, language),
        measured=measured,
        agrees=likeliest in known,
        asked=bool(stated),
    )


def judge_naturalness(perception: Perception, *, language: Language, parameters: Parameters) -> AspectVerdict:
    """How natural the voice sounds to the ear, from 0 to 5. No plan asks for it."""
    value = perception.naturalness
    if math.isnan(value):
        return replace(unheard("naturalness", perception, language), asked=False)
    score = Score(on_curve(parameters.curves["naturalness"], value), range=RANGE)
    return AspectVerdict(score, measured={"naturalness": value}, asked=False)


def _kinship(one: Sequence[float], other: Sequence[float], reach: float) -> float:
    return math.exp(-math.fsum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / (2.0 * reach**2))


def _conditions(stated: str) -> list[str]:
    """The conditions that a text names: by their names, else by words of the ear's lexicon, else as it stands."""
    names = [_condition(name) for name in normalise_condition(stated, language="en").split(", ")]
    if any(name in set(RecordingCondition) for name in names):
        return [name for name in names if name in set(RecordingCondition)]
    found = [
        str(sense.value)
        for language in LANGUAGES
        for mention in mentions(stated, language=language)
        for sense in mention.entry.means
        if isinstance(sense.value, RecordingCondition)
    ]
    return list(dict.fromkeys(found)) or [stated]


def _condition(name: str) -> str:
    try:
        return RecordingCondition.parse(name).value
    except RecordError:
        return name


def _label(name: str, language: Language) -> str:
    if isinstance(name, ClosedSet):
        return name.label(language)
    try:
        return RecordingCondition.parse(name).label(language)
    except RecordError:
        return name
