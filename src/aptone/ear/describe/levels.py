"""Style of a perception, and a few words for the emotion that claim no more than it shows.

Probabilities become values where they are clear, measures become steps: a measure is judged by its distance from the
norm of that sex and language, in spreads. All thresholds stand here.
"""

import math
from collections.abc import Mapping
from typing import Protocol, TypeVar

from aptone.ear.describe import english, mandarin
from aptone.ear.describe.attributes import (
    Intensity,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
)
from aptone.ear.measures.norms import spreads_from_norm
from aptone.errors import RecordError, UsageError
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, Language, Perception, RecordingCondition, Rhythm, Sex

CONFIDENT = 0.5  # from this probability on, an emotion is stated; below, it is only likely
LIKELY = 0.35  # below this one, no emotion is clear
CLOSE = 0.15  # two that are nearer than this are named together
TRACE = 0.15  # a second emotion with less than this is not worth mentioning
STEPS = (1.0 / 3.0, 2.0 / 3.0)  # of intensity: slight, clear, strong


def intensity_step(intensity: float) -> Intensity | None:
    """The step of an intensity from 0 to 1; ``None`` when it was not judged.

    >>> [intensity_step(value) for value in (0.2, 0.5, 0.9)]
    [<Intensity.SLIGHT: 'slight'>, <Intensity.CLEAR: 'clear'>, <Intensity.STRONG: 'strong'>]
    """
    if math.isnan(intensity):
        return None
    return Intensity.SLIGHT if intensity < STEPS[0] else Intensity.CLEAR if intensity < STEPS[1] else Intensity.STRONG


def emotion_phrase(emotion: Mapping[str, float], *, intensity: float = math.nan, language: Language = "en") -> str:
    """The emotion in words, for `Perception.phrase`.

    One emotion with at least half of the probability is stated, with its intensity if that was judged, and with a
    trace of the second where that has 0.15 or more. Two that are within 0.15 of each other and hold half of the
    probability between them stand side by side. One that leads with less than half is "probably" that. Else no
    emotion is clear. A distribution is taken relative to its sum.

    Args:
        emotion: probability by name of emotion; a spelling of `Emotion`.
        intensity: 0 to 1; NaN when not judged.

    Raises:
        RecordError: if a name is not one of `Emotion`.
        UsageError: if the language is not known.

    >>> emotion_phrase({"angry": 0.7, "disgust": 0.2, "sad": 0.1}, intensity=0.5)
    'clearly angry, with a trace of disgust'
    >>> emotion_phrase({"angry": 0.7, "disgust": 0.2, "sad": 0.1}, intensity=0.5, language="zh")
    '明显愤怒，略带厌恶'
    >>> emotion_phrase({"sad": 0.45, "neutral": 0.4, "calm": 0.15})
    'between sad and neutral'
    """
    if language not in ("en", "zh"):
        raise UsageError(f"emotions are described in en or zh, got {language!r}.")
    shares = {Emotion.parse(name): share for name, share in emotion.items() if 0.0 < share < math.inf}
    total = sum(shares.values())
    if not total:
        return "emotion not judged" if language == "en" else "情绪未判断"
    ranked = sorted(shares, key=lambda name: (-shares[name], list(Emotion).index(name)))
    first, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    leading, following = shares[first] / total, shares[second] / total if second else 0.0
    english_words = language == "en"
    if second and leading - following < CLOSE and leading + following >= CONFIDENT:
        pair = (_name(first, None, language), _name(second, None, language))
        return f"between {pair[0]} and {pair[1]}" if english_words else f"介于{pair[0]}与{pair[1]}之间"
    if leading < LIKELY:
        return "no clear emotion" if english_words else "没有明确的情绪"
    if leading < CONFIDENT:
        likely = _name(first, None, language)
        return f"probably {likely}" if english_words else f"可能{likely}"
    stated = _name(first, intensity_step(intensity), language)
    if not second or following < TRACE or second is Emotion.NEUTRAL:
        return stated
    if english_words:
        return f"{stated}, with a trace of {english.EMOTION_NOUNS[second][0]}"
    return f"{stated}，略带{_name(second, None, language)}"


def _name(emotion: Emotion, intensity: Intensity | None, language: Language) -> str:
    if language == "en":
        return english.emotion_adjectives(emotion, intensity)[0]
    return "中性" if emotion is Emotion.NEUTRAL else mandarin.emotion_adjectives(emotion, intensity)[0]


Value = TypeVar("Value", bound=ClosedSet)

FIVE_STEPS = (-1.5, -0.5, 0.5, 1.5)  # spreads from the norm: very low | low | medium | high | very high
THREE_STEPS = (-1.0, 1.0)  # two thirds of ordinary speech vary moderately
CLEAR_VOICE = 0.5  # how far harmonicity, jitter and shimmer together must lie on the good side
COLOURED_VOICE = 1.0  # and how far the signs of a breathy, rough or pressed voice from ordinary
WHISPER = -3.0  # spreads below the ordinary share of voiced frames
MUSIC_HEARD, NO_MUSIC_HEARD = 0.6, 0.2
EVENT_HEARD = 0.2  # the ear reports a sound from about 0.1 on; what is hardly above that is left unsaid
DECIDED = 0.5  # probability that makes a value of two or three certain enough to say
LEADING, LEAD = 0.4, 0.1  # of six or ten classes: the first has this much, and this much more than the second

# Signs of a voice quality: measure and direction. What is averaged must be there as a whole.
SIGNS: Mapping[Texture, Mapping[str, int]] = {
    Texture.BREATHY: {"HNR": -1, "spectral tilt": -1},
    Texture.ROUGH: {"HNR": -1, "jitter": 1, "shimmer": 1},
    Texture.PRESSED: {"HNR": 1, "spectral tilt": 1},
    Texture.CLEAR: {"HNR": 1, "jitter": -1, "shimmer": -1},
}


class Distance(Protocol):
    """Distance of a measured value from ordinary speech, in spreads; raises KeyError where there is no norm."""

    def __call__(self, measure: str, value: float, *, sex: Sex | None, language: str | None) -> float:
        """Spreads above (or, negative, below) the norm."""


def style_of(perception: Perception, *, language: str | None = None, distance: Distance = spreads_from_norm) -> Style:
    """The style of a clip, with what is certain enough to say; everything else is left out as not judged.

    Sex, age and recording condition need half of the probability; emotion, rhythm and intonation 0.4 and a lead of
    0.1. Pitch, rate and volume take the steps -1.5, -0.5, 0.5 and 1.5 spreads from the norm of that sex and language,
    pitch variation -1 and 1. The texture is judged in ordinary recordings only: noise, rooms and telephones change
    what it is measured by. Volume is the level in the file, so it depends on the recording as much as on the voice.

    Args:
        language: code of the language spoken, for the norms; ``None`` for all languages together.
        distance: norms other than the built-in ones.
    """
    sex = _decided(perception.sex, Sex, least=DECIDED)
    spoken = None if sex is Sex.UNCLEAR else sex

    def away(*measures: str) -> float:
        """Distance of the first of the measures that was defined and has a norm; NaN if none was."""
        for measure in measures:
            score = perception.measures.get(measure)
            if score is not None and math.isfinite(score.value):
                try:
                    return distance(measure, score.value, sex=spoken, language=language)
                except KeyError:
                    continue
        return math.nan

    emotion = _decided(perception.emotion, Emotion, least=LEADING, lead=LEAD)
    graded = emotion not in (None, Emotion.NEUTRAL)
    condition = _decided(perception.recording_condition, RecordingCondition, least=DECIDED)
    distances = {measure: away(measure) for measure in ("HNR", "jitter", "shimmer", "spectral tilt", "voiced share")}
    return Style(
        emotion=emotion,
        intensity=intensity_step(perception.intensity) if graded else None,
        sex=sex,
        age=_decided(perception.age, AgeBand, least=DECIDED),
        pitch=_step(away("pitch level"), tuple(Pitch), FIVE_STEPS),
        pitch_variation=_step(away("pitch range"), tuple(PitchVariation), THREE_STEPS),
        rate=_step(away("articulation rate", "speech rate"), tuple(Rate), FIVE_STEPS),
        volume=_step(away("loudness"), tuple(Volume), FIVE_STEPS),
        texture=texture_of(distances) if condition in (None, RecordingCondition.NORMAL) else None,
        rhythm=_decided(perception.rhythm, Rhythm, least=LEADING, lead=LEAD),
        intonation=_decided(perception.intonation, Intonation, least=LEADING, lead=LEAD),
        recording_condition=condition,
        music=_music(perception.music),
        events=_events(perception),
    )


def texture_of(distances: Mapping[str, float]) -> Texture | None:
    """The texture that measures speak for, from their distances to the norm in spreads; ``None`` if none clearly.

    A voice is whispered if hardly any of it is voiced. Else each texture has signs (`SIGNS`), and the mean of their
    distances, each in its direction, must reach 1 spread, for a clear voice 0.5; the highest wins. NaN: not measured.

    >>> texture_of({"HNR": -2.0, "jitter": 2.0, "shimmer": 1.0, "spectral tilt": 0.0})
    <Texture.ROUGH: 'rough'>
    """
    if distances.get("voiced share", math.nan) <= WHISPER:
        return Texture.WHISPERED
    best, highest = None, -math.inf
    for texture, signs in SIGNS.items():
        support = sum(sign * distances.get(measure, math.nan) for measure, sign in signs.items()) / len(signs)
        if support >= (CLEAR_VOICE if texture is Texture.CLEAR else COLOURED_VOICE) and support > highest:
            best, highest = texture, support
    return best


def _decided(
    distribution: Mapping[Value, float] | Mapping[str, float], closed: type[Value], *, least: float, lead: float = 0.0
) -> Value | None:
    """The leading value if it is certain enough, and one that we have a name for."""
    shares = sorted(((share, str(name)) for name, share in distribution.items() if share > 0.0), reverse=True)
    if not shares or shares[0][0] < least or (len(shares) > 1 and shares[0][0] - shares[1][0] < lead):
        return None
    try:
        return closed.parse(shares[0][1])
    except RecordError:
        return None


def _step(away: float, steps: tuple[Value, ...], limits: tuple[float, ...]) -> Value | None:
    """The step that a distance falls into; ``None`` for NaN."""
    return None if math.isnan(away) else steps[sum(away > limit for limit in limits)]


def _music(probability: float) -> Music | None:
    if probability >= MUSIC_HEARD:
        return Music.PRESENT
    return Music.ABSENT if probability <= NO_MUSIC_HEARD else None


def _events(perception: Perception) -> tuple[VocalEvent, ...]:
    found = []
    for event in perception.events:
        try:
            if event.confidence >= EVENT_HEARD:
                found.append(VocalEvent.parse(event.name))
        except RecordError:
            continue  # a sound that is not a voice's, such as a door
    return tuple(found)
