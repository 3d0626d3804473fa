"""Paralinguistics: the sounds besides words that plan or line ask for, against those that were heard."""

import math
import re
from collections.abc import Collection, Sequence

from aptone.ear.describe import VocalEvent, mentions
from aptone.errors import RecordError
from aptone.judge.aspects.aspect import AspectVerdict, joined, scored, unheard, unjudged
from aptone.judge.aspects.feelings import LONGEST_TEXT
from aptone.judge.chat.verdict import RANGE
from aptone.judge.parameters import Parameters
from aptone.lexicon.negation import denied
from aptone.messages import joined as messages_joined
from aptone.messages import known_name, message, translate
from aptone.planner.reading.cues import stage_directions
from aptone.types import Language, Perception, Plan, Score, SoundEvent

NO_SOUND_ASKED = message("judge.no-sound-asked-for")
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_WORD = re.compile(r"\S+")


def sounds_asked(plan: Plan, line: str) -> tuple[VocalEvent, ...]:
    """The sounds that a plan's emotion or a stage direction in the line asks for, in the order of `VocalEvent`.

    What is denied is not asked for: "without laughing", 没有笑.

    >>> [str(sound) for sound in sounds_asked(Plan("bitter, laughing"), "(sighs) So be it.")]
    ['laughter', 'sigh']
    >>> sounds_asked(Plan("angry"), "He laughs at me!")
    ()
    >>> sounds_asked(Plan("calm, without laughing"), "(not sighing) So be it.")
    ()
    """
    texts = [plan.emotion[:LONGEST_TEXT], *stage_directions(line)]
    found: set[object] = {
        sense.value
        for text in texts
        for language in LANGUAGES
        for mention in mentions(text, language=language)
        for sense in mention.entry.means
        if isinstance(sense.value, VocalEvent) and not denied(text, mention.start, language)
    }
    found |= {
        sound
        for text in texts
        for word in _WORD.finditer(text)
        if (sound := _sound(word.group())) is not None
        and not any(denied(text, word.start(), language) for language in LANGUAGES)
    }
    return tuple(sound for sound in VocalEvent if sound in found)


def judge_sounds(
    asked: Sequence[VocalEvent],
    perception: Perception,
    *,
    sounds: Collection[str],
    language: Language,
    parameters: Parameters,
) -> AspectVerdict:
    """Whether the sounds that were asked for can be heard: the mean over those that the ear was taught.

    A sound that was heard fits from `faintest_event` up to 1 with the ear's confidence; one that was not fits by
    `missing_event`, because an ear misses some.
    """
    taught = {sound for name in sounds if (sound := _sound(name)) is not None}
    heard = _heard_sounds(perception.events)
    names = joined([sound.label(language) for sound in heard], language)
    planned = joined([sound.label(language) for sound in asked], language)
    if not asked:
        score = Score(math.nan, range=RANGE, reason=NO_SOUND_ASKED, needed=False)
        return AspectVerdict(score, heard=names, asked=False, why=translate(NO_SOUND_ASKED, language))
    if "events" in perception.unjudged:
        return unheard("events", perception, language, planned=planned)
    known = [sound for sound in asked if sound in taught]
    if not known:
        listed = messages_joined([known_name(sound, "names.event") for sound in asked], "text.comma")
        why = message("judge.ear-cannot-hear", what=listed)
        return unjudged(why, language, planned=planned, heard=names)
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
