"""The rule of every attribute: a quantity that was measured, held against the limits of the value that is claimed.

- *pitch, pitch variation, rate, volume*: spreads from the norm of that sex and language. "A woman with a low voice" is
  low for a woman: the sex is the one that the description names, else the one that is heard; where that is unclear, the
  norms of both are weighed, which makes the reading an absolute one. "Low" holds for what is very low as well.
- *emotion*: a logit, ``bias + Σ weight · evidence``, of the margin of that emotion to the likeliest other one, in
  logarithms of their probabilities, and of how far the clip's own valence and arousal lie from that emotion's usual
  place. So what is akin to the emotion that was heard passes sooner than what is far from it, but the limits were
  fitted against every other emotion, near ones included.
- *sex, recording condition, music, age*: probabilities. Of ages the ear knows young adults only.
- *intensity*: 0 to 1. The actors that the ear learned from were told to be normal or strong, never slight: that an
  emotion is slight is never certain, only that it is not.
- *rhythm, intonation*: the probability, as a share of the leader's.
- *texture*: the mean of its signs in spreads (`aptone.ear.describe.levels`); in ordinary recordings only.
- *events*: the most that the sound is heard anywhere. Sounds outside the training data are heard as the trained
  ones that are made alike: a sigh as a breath, clearing the throat as a cough.

Limits of scales, intensity, emotion, sex and sounds were fitted (`aptone.ear.claims.limits`); the others stand here,
set by hand.

The fitted limits give a claim the benefit of the doubt: several emotions of one clip may pass. A denial of what merely
passes is no error, so it is false only where the ear would make the claim itself: the emotion leads or nearly leads,
the measure lies in that step, the sound was reported. Else it is undecided.
"""

import functools
import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar, cast

from aptone.ear.claims import wording as words
from aptone.ear.claims.limits import ClaimLimits, Limits, load_limits
from aptone.ear.describe import Attribute, Intensity, Music, Texture, VocalEvent, values_of
from aptone.ear.describe.levels import (
    CLEAR_VOICE,
    COLOURED_VOICE,
    FIVE_STEPS,
    MUSIC_HEARD,
    NO_MUSIC_HEARD,
    SIGNS,
    THREE_STEPS,
    WHISPER,
)
from aptone.ear.measures.norms import spreads_from_norm
from aptone.errors import RecordError
from aptone.types import TYPICAL_VAD, AgeBand, ClosedSet, Emotion, Language, Perception, RecordingCondition, Sex

Member = TypeVar("Member", bound=ClosedSet)

MEASURES: Mapping[str, str] = {
    "pitch": "pitch level",
    "pitch_variation": "pitch range",
    "rate": "articulation rate",
    "volume": "loudness",
}
"""The measure of each scale."""
CONDITION = Limits(yes=0.5, no=0.2)
LEADER_SHARE = Limits(yes=0.7, no=0.3)
"""Of the probability of the leading rhythm or intonation; of emotions, from where on a denial is false."""
YOUNG_ADULT = Limits(yes=0.5, no=0.2)
CHILD = Limits(yes=0.0, no=0.8)
"""Of the probability of a young adult. No child is ever heard for certain: only that a voice is not a child's."""
TEXTURES: Mapping[ClosedSet, Limits] = {
    texture: Limits(CLEAR_VOICE, -CLEAR_VOICE) if texture is Texture.CLEAR else Limits(COLOURED_VOICE, 0.0)
    for texture in SIGNS
}
WHISPERED = Limits(WHISPER, WHISPER / 2.0)
FAINTEST = 1e-3
"""Added to a probability before its logarithm is taken."""

KIN: Mapping[ClosedSet, tuple[VocalEvent, ...]] = {
    VocalEvent.SIGH: (VocalEvent.BREATH,),
    VocalEvent.YAWN: (VocalEvent.BREATH,),
    VocalEvent.SNIFF: (VocalEvent.BREATH, VocalEvent.SNEEZE),
    VocalEvent.THROAT_CLEARING: (VocalEvent.COUGH,),
    VocalEvent.SOB: (VocalEvent.LAUGHTER, VocalEvent.CRYING_BABY),
    VocalEvent.SCREAM: (VocalEvent.CRYING_BABY, VocalEvent.LAUGHTER),
}
"""Sounds that were not in the training data, and those in it that are made alike. Singing has none."""


class Reading(NamedTuple):
    """Outcome of a rule.

    Args:
        lean: 1 or more is true, -1 or less is false, in between is undecided; NaN where nothing could be measured.
        is_own: whether the ear would say so itself, rather than let it pass; only then can a denial be false.
    """

    lean: float
    evidence: Mapping[Language, str]
    is_own: bool = True

    @property
    def denial(self) -> float:
        """The same as `lean`, for the denial.

        >>> Reading(2.0, {}).denial, Reading(2.0, {}, is_own=False).denial, Reading(-2.0, {}, is_own=False).denial
        (-2.0, 0.0, 2.0)
        """
        return 0.0 if self.lean > 0.0 and not self.is_own else -self.lean


class Hearing:
    """A perception, and what several claims ask of it, found out once."""

    def __init__(self, perception: Perception, *, language: str | None, described: Sex | None = None) -> None:
        self.perception = perception
        self.language = language
        self.described = described

    @functools.cached_property
    def limits(self) -> ClaimLimits:
        """The fitted limits."""
        return load_limits()

    def read(self, attribute: Attribute, value: ClosedSet) -> Reading:
        """Apply the rule of an attribute to a value."""
        return _RULES[attribute](self, value)

    @functools.cached_property
    def emotions(self) -> dict[Emotion, float]:
        """The probability of each emotion that has a name here; empty where none was judged."""
        shares: dict[Emotion, float] = {}
        for name, share in self.perception.emotion.items():
            try:
                emotion = Emotion.parse(name)
            except RecordError:
                continue
            shares[emotion] = shares.get(emotion, 0.0) + max(0.0, share)
        return shares

    @functools.cached_property
    def feeling(self) -> tuple[float, float]:
        """Valence and arousal: the clip's own or, where they were not judged, those of the emotions that were heard."""
        vad = self.perception.vad
        if vad is not None and math.isfinite(vad.valence) and math.isfinite(vad.arousal):
            return vad.valence, vad.arousal
        total = sum(self.emotions.values()) or 1.0
        return (
            sum(share * TYPICAL_VAD[name].valence for name, share in self.emotions.items()) / total,
            sum(share * TYPICAL_VAD[name].arousal for name, share in self.emotions.items()) / total,
        )

    @functools.cached_property
    def condition(self) -> RecordingCondition | None:
        """The recording condition that has half of the probability, if one has."""
        for name, share in self.perception.recording_condition.items():
            if share >= CONDITION.yes:
                return _parsed(RecordingCondition, name)
        return None

    @functools.cached_property
    def sounds(self) -> dict[VocalEvent, tuple[str, float]]:
        """Name and highest probability of each vocal event that the ear was trained on."""
        found: dict[VocalEvent, tuple[str, float]] = {}
        heard = [*self.perception.sounds.items(), *((event.name, event.confidence) for event in self.perception.events)]
        for name, peak in heard:
            event = _parsed(VocalEvent, name)
            if event is not None and peak >= found.get(event, ("", -math.inf))[1]:
                found[event] = (name, peak)
        return found

    @functools.cached_property
    def sex(self) -> Sex | None:
        """The sex whose norms decide: the one that is described, or the one that is clearly heard."""
        heard = self.perception.sex
        return self.described or next((sex for sex, share in heard.items() if share >= words.CLEAR_SEX), None)

    def distance(self, measure: str, *, described: Sex | None = None) -> float:
        """Spreads of a measure from its norm for a described sex, or the one that is heard; NaN where not measured."""
        score = self.perception.measures.get(measure)
        if score is None or not score.is_defined:
            return math.nan
        sex = described or self.perception.sex
        return spreads_from_norm(measure, score.value, sex=sex, language=self.language)

    def unheard(self, *topics: str) -> Reading:
        """No reading, and the reason that the ear gives for one of the topics."""
        for topic in topics:
            score = self.perception.measures.get(topic)
            reason = self.perception.unjudged.get(topic) or (score.reason if score is not None else "")
            if reason:
                return Reading(math.nan, words.unheard(reason))
        return Reading(math.nan, words.unheard(""))


def _scale(hearing: Hearing, value: ClosedSet, *, attribute: Attribute) -> Reading:
    measure = MEASURES[attribute]
    away = hearing.distance(measure, described=hearing.described)
    if math.isnan(away):
        return hearing.unheard(measure, "measures")
    lean = min(limits.lean(away) for limits in hearing.limits.scales[attribute][value])
    measured = hearing.perception.measures[measure].value
    return Reading(lean, words.scale(attribute, measured, away, hearing.sex), is_own=_reaches(away, attribute, value))


def _reaches(away: float, attribute: Attribute, value: ClosedSet) -> bool:
    """Return True if a distance lies in the step of a value, or beyond it, as the ear describes voices."""
    values = values_of(attribute)
    place, middle = values.index(value), len(values) // 2
    step = sum(away > limit for limit in (FIVE_STEPS if len(values) > len(THREE_STEPS) + 1 else THREE_STEPS))
    return step == place if place == middle else step <= place if place < middle else step >= place


def _emotion(hearing: Hearing, value: ClosedSet) -> Reading:
    if not hearing.emotions:
        return hearing.unheard("emotion")
    claimed = cast("Emotion", value)
    fitted = hearing.limits.emotion
    evidence = emotion_evidence(hearing.emotions, hearing.feeling, claimed)
    lean = fitted.limits.lean(fitted.bias + sum(fitted.weights[name] * amount for name, amount in evidence.items()))
    is_own = hearing.emotions.get(claimed, 0.0) >= LEADER_SHARE.yes * max(hearing.emotions.values())
    is_granted = lean >= 1.0 and not is_own
    return Reading(
        lean, words.emotion(hearing.emotions, claimed, hearing.feeling, is_granted=is_granted), is_own=is_own
    )


def emotion_evidence(
    shares: Mapping[Emotion, float], feeling: tuple[float, float], claimed: Emotion
) -> dict[str, float]:
    """Return the evidence for and against a claimed emotion, by the names of `aptone.ear.claims.limits.EVIDENCE`.

    Args:
        shares: probability of each emotion.
        feeling: the clip's valence and arousal.

    >>> emotion_evidence({Emotion.NEUTRAL: 0.999, Emotion.SAD: 0.001}, (0.0, 0.25), Emotion.NEUTRAL)["arousal"]
    0.25
    """
    place = TYPICAL_VAD[claimed]
    own = shares.get(claimed, 0.0)
    others = [share for name, share in shares.items() if name is not claimed]
    return {
        "margin": math.log(own + FAINTEST) - math.log(max(others, default=0.0) + FAINTEST),
        "valence": abs(feeling[0] - place.valence),
        "arousal": abs(feeling[1] - place.arousal),
    }


def _intensity(hearing: Hearing, value: ClosedSet) -> Reading:
    heard = hearing.perception.intensity
    if math.isnan(heard):
        return hearing.unheard("intensity")
    lean = min(limits.lean(heard) for limits in hearing.limits.intensity[value])
    if value is Intensity.SLIGHT:
        lean = min(lean, 0.0)
    return Reading(lean, words.intensity(heard))


def _sex(hearing: Hearing, value: ClosedSet) -> Reading:
    shares = hearing.perception.sex
    if not shares or value is Sex.UNCLEAR:
        return hearing.unheard("sex")
    return Reading(hearing.limits.sex.lean(shares.get(cast("Sex", value), 0.0)), words.sex(shares))


def _age(hearing: Hearing, value: ClosedSet) -> Reading:
    adult = hearing.perception.age.get(AgeBand.YOUNG_ADULT)
    if adult is None:
        return hearing.unheard("age")
    if value is AgeBand.YOUNG_ADULT:
        return Reading(YOUNG_ADULT.lean(adult), words.age(adult))
    if value is AgeBand.CHILD:
        return Reading(min(CHILD.lean(adult), 0.0), words.age(adult))
    return Reading(math.nan, words.untrained(value))


def _share_of_leader(hearing: Hearing, value: ClosedSet, *, attribute: Attribute) -> Reading:
    shares: Mapping[ClosedSet, float] = getattr(hearing.perception, attribute)
    leader = max(shares, key=shares.__getitem__, default=None)
    if leader is None or not shares[leader] > 0.0:
        return hearing.unheard(attribute)
    share = shares.get(value, 0.0)
    return Reading(LEADER_SHARE.lean(share / shares[leader]), words.leading(leader, shares[leader], value, share))


def _condition(hearing: Hearing, value: ClosedSet) -> Reading:
    heard = hearing.perception.recording_condition
    shares = {_parsed(RecordingCondition, name): share for name, share in heard.items()}
    if not shares:
        return hearing.unheard("recording_condition")
    if value not in shares:
        return Reading(math.nan, words.untrained(value))
    leader, share = max(((name, share) for name, share in shares.items() if name), key=lambda pair: pair[1])
    own = shares[cast("RecordingCondition", value)]
    return Reading(CONDITION.lean(own), words.leading(leader, share, value, own))


def _music(hearing: Hearing, value: ClosedSet) -> Reading:
    heard = hearing.perception.music
    if math.isnan(heard):
        return hearing.unheard("music")
    lean = Limits(MUSIC_HEARD, NO_MUSIC_HEARD).lean(heard)
    return Reading(lean if value is Music.PRESENT else -lean, words.music(heard))


def _texture(hearing: Hearing, value: ClosedSet) -> Reading:
    if hearing.condition not in (None, RecordingCondition.NORMAL):
        return Reading(math.nan, words.texture_hidden(hearing.condition))
    if value is Texture.WHISPERED:
        away = hearing.distance("voiced share")
        if math.isnan(away):
            return hearing.unheard("voiced share", "measures")
        return Reading(WHISPERED.lean(away), words.texture({"voiced share": away}))
    distances = {measure: hearing.distance(measure) for measure in SIGNS[cast("Texture", value)]}
    lacking = [measure for measure, away in distances.items() if math.isnan(away)]
    if lacking:
        return hearing.unheard(*lacking, "measures")
    signs = SIGNS[cast("Texture", value)]
    strength = sum(sign * distances[measure] for measure, sign in signs.items()) / len(signs)
    return Reading(TEXTURES[value].lean(strength), words.texture(distances))


def _events(hearing: Hearing, value: ClosedSet) -> Reading:
    sounds = hearing.sounds
    made_alike = [event for event in KIN.get(value, (cast("VocalEvent", value),)) if event in sounds]
    reported = {_parsed(VocalEvent, event.name) for event in hearing.perception.events}
    leans = {event: _sound(hearing, *sounds[event]) for event in made_alike}
    judged = {
        event: max(1.0, lean) if event in reported else lean
        for event, lean in leans.items()
        if event in reported or not math.isnan(lean)
    }
    if not judged:
        if not hearing.perception.sounds and "events" in hearing.perception.unjudged:
            return hearing.unheard("events")
        return Reading(math.nan, words.untrained(value))
    best = max(judged, key=judged.__getitem__)
    name, peak = sounds[best]
    limits = None if best in reported else hearing.limits.sounds[name]
    return Reading(judged[best], words.event(value, best, peak, limits), is_own=value in reported)


def _sound(hearing: Hearing, name: str, peak: float) -> float:
    """Return the evidence of a sound, in logarithms of its peak; NaN where the sound has no limits."""
    limits = hearing.limits.sounds.get(name)
    if limits is None:
        return math.nan
    return Limits(math.log(limits.yes), math.log(limits.no)).lean(math.log(max(peak, 1e-9)))


def _parsed(closed: type[Member], name: str) -> Member | None:
    try:
        return closed.parse(name)
    except RecordError:
        return None


Rule = Callable[[Hearing, ClosedSet], Reading]
_RULES: Mapping[Attribute, Rule] = {
    **{
        cast("Attribute", attribute): functools.partial(_scale, attribute=cast("Attribute", attribute))
        for attribute in MEASURES
    },
    "emotion": _emotion,
    "intensity": _intensity,
    "sex": _sex,
    "age": _age,
    "texture": _texture,
    "rhythm": functools.partial(_share_of_leader, attribute="rhythm"),
    "intonation": functools.partial(_share_of_leader, attribute="intonation"),
    "recording_condition": _condition,
    "music": _music,
    "events": _events,
}
