"""Comparison of perception and plan, one aspect at a time; each score lies between 0 and 5.

Each function is pure and returns, beside the score, the measures that it rests on. An aspect that the plan leaves open,
whose words are unknown, or that the ear could not judge, has no score but a reason.
"""

import functools
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from aptone.ear.describe import VocalEvent, mentions
from aptone.errors import RecordError
from aptone.judge.aspects.emotion import judge_emotion
from aptone.judge.aspects.feelings import LONGEST_TEXT
from aptone.judge.chat.verdict import RANGE
from aptone.judge.parameters import OPEN, AspectVerdict, Parameters, joined, on_curve, scored, unheard, unjudged
from aptone.lexicon.negation import denied
from aptone.lexicon.plan_words import normalise_condition, stage_directions
from aptone.messages import joined as messages_joined
from aptone.messages import known_name, message, translate
from aptone.types import ClosedSet, Language, Perception, Plan, RecordingCondition, Score, SoundEvent

NO_SOUND_ASKED = message("judge.no-sound-asked-for")
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_WORD = re.compile(r"\S+")


def sounds_asked(plan: Plan, line: str) -> tuple[VocalEvent, ...]:
    """Return the sounds that a plan's emotion or a stage direction in the line asks for, in order of `VocalEvent`.

    What is denied is not asked for: "without laughing", 没有笑.

    >>> [str(sound) for sound in sounds_asked(Plan("bitter, laughing"), "(sighs) So be it.")]
    ['laughter', 'sigh']
    >>> sounds_asked(Plan("angry"), "He laughs at me!")
    ()
    >>> sounds_asked(Plan("calm, without laughing"), "(not sighing) So be it.")
    ()
    """
    texts = [plan.emotion[:LONGEST_TEXT], *stage_directions(line)]
    found = frozenset[object]().union(*map(_sounds_named, texts))
    return tuple(sound for sound in VocalEvent if sound in found)


@functools.lru_cache(maxsize=1024)
def _sounds_named(text: str) -> frozenset[VocalEvent]:
    """Return the sounds that a text names and does not deny; plans share their words."""
    found = {
        sense.value
        for language in LANGUAGES
        for mention in mentions(text, language=language)
        for sense in mention.entry.means
        if isinstance(sense.value, VocalEvent) and not denied(text, mention.start, language)
    }
    found |= {
        sound
        for word in _WORD.finditer(text)
        if (sound := _sound(word.group())) is not None
        and not any(denied(text, word.start(), language) for language in LANGUAGES)
    }
    return frozenset(found)


def judge_sounds(
    asked: Sequence[VocalEvent],
    perception: Perception,
    *,
    sounds: Collection[str],
    language: Language,
    parameters: Parameters,
) -> AspectVerdict:
    """Score the sounds that were asked for: the mean over those that the ear was trained on.

    A sound that was heard fits from `faintest_event` up to 1 with the ear's confidence; one that was not fits by
    `missing_event`, because an ear misses some.
    """
    trained = {sound for name in sounds if (sound := _sound(name)) is not None}
    heard = _heard_sounds(perception.events)
    names = joined([sound.label(language) for sound in heard], language)
    planned = joined([sound.label(language) for sound in asked], language)
    if not asked:
        score = Score(math.nan, range=RANGE, reason=NO_SOUND_ASKED, needed=False)
        return AspectVerdict(score, heard=names, asked=False, why=translate(NO_SOUND_ASKED, language))
    if "events" in perception.unjudged:
        return unheard("events", perception, language, planned=planned)
    known = [sound for sound in asked if sound in trained]
    if not known:
        listed = messages_joined([known_name(sound, "names.event") for sound in asked], "text.comma")
        return unjudged(message("judge.ear-cannot-hear", what=listed), language, planned=planned, heard=names)
    least = parameters.faintest_event
    fits = [least + (1.0 - least) * heard[one] if one in heard else parameters.missing_event for one in known]
    fit = math.fsum(fits) / len(fits)
    return AspectVerdict(
        scored("paralinguistics", fit, parameters),
        planned=planned,
        heard=names,
        measured={**{f"P({one})": heard.get(one, 0.0) for one in known}, "fit": fit},
        agrees=all(one in heard for one in known),
    )


@functools.lru_cache(maxsize=4096)
def _sound(name: str) -> VocalEvent | None:
    try:
        return VocalEvent.parse(name)
    except RecordError:
        return None


def _heard_sounds(events: Sequence[SoundEvent]) -> dict[VocalEvent, float]:
    heard: dict[VocalEvent, float] = {}
    for event in events:
        if (sound := _sound(event.name)) is not None:
            heard[sound] = max(heard.get(sound, 0.0), min(1.0, event.confidence))
    return heard


def judge_aspects(
    plan: Plan,
    perception: Perception,
    *,
    line: str,
    sounds: Collection[str],
    language: Language,
    parameters: Parameters,
) -> dict[str, AspectVerdict]:
    """Score every aspect of a line.

    Args:
        line: text of the line; stage directions in it, such as "(laughs)", ask for sounds.
        sounds: names of the sounds that the ear was trained on.
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
    """Score a rhythm, or an intonation: Σ probability · kinship with the one that was asked for.

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
        measured={f"P({asked})": distribution.get(asked, 0.0), f"P({likeliest})": distribution[likeliest], "fit": fit},
        agrees=likeliest == asked,
    )


def judge_condition(plan: Plan, perception: Perception, *, language: Language, parameters: Parameters) -> AspectVerdict:
    """Score the recording condition: probability of those that the plan names, or of a normal one if it names none."""
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
    """Score the naturalness of the voice, from 0 to 5. No plan asks for it."""
    value = perception.naturalness
    if math.isnan(value):
        return replace(unheard("naturalness", perception, language), asked=False)
    score = Score(on_curve(parameters.curves["naturalness"], value), range=RANGE)
    return AspectVerdict(score, measured={"naturalness": value}, asked=False)


def _kinship(one: Sequence[float], other: Sequence[float], reach: float) -> float:
    return math.exp(-math.fsum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / (2.0 * reach**2))


def _conditions(stated: str) -> list[str]:
    """Return the conditions that a text names: by their names, else by words of the lexicon, else the text itself."""
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
