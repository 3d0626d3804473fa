"""From what an ear heard to a style: probabilities become values where they are clear, measures become steps.

A measure is judged by its distance from the norm of that sex and language, in spreads. All thresholds stand here.
"""

import math
from collections.abc import Mapping
from typing import Protocol, TypeVar

from aptone.ear.describe.attributes import Music, Pitch, PitchVariation, Rate, Style, Texture, VocalEvent, Volume
from aptone.ear.describe.emotion_phrase import intensity_step
from aptone.ear.measures.norms import spreads_from_norm
from aptone.errors import RecordError
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, Perception, RecordingCondition, Rhythm, Sex

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
    """How far a measured value lies from ordinary speech, in spreads; raises KeyError where there is no norm."""

    def __call__(self, measure: str, value: float, *, sex: Sex | None, language: str | None) -> float:
        """Spreads above (or, negative, below) the norm."""
        ...


def style_of(perception: Perception, *, language: str | None = None, distance: Distance = spreads_from_norm) -> Style:
    """The style of a clip, with what is certain enough to say; everything else is left out as not judged.

    Sex, age and recording condition need half of the probability; emotion, rhythm and intonation 0.4 and a lead of
    0.1. Pitch, rate and volume take the steps -1.5, -0.5, 0.5 and 1.5 spreads from the norm of that sex and language,
    pitch variation -1 and 1. The texture is judged in ordinary recordings only: noise, rooms and telephones change
    what it is measured by. Volume is the level in the file, so it depends on the recording as much as on the voice.

    Args:
        perception: what an ear heard.
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
