"""Prosody of a plan for TTS systems: rate, pitch, contour, range, volume, emphasis and pauses, by a fixed mapping.

=============  ======================================================================================================
rate           of the rhythm: brisk 112 %, high-energy 108, tense 106, relaxed 95, heavy 88, low-paced 84; a voice that
               is fast or slow changes it by 12 %
pitch          10 % times the arousal of the emotion (Russell and Mehrabian), times its intensity (0.6 where open)
contour        of the intonation: rising, falling or curved; a flat one has a range of -30 % instead
volume         of the voice: shout and scream +6 dB, loud +4, quiet, soft, weak, low and mumbling -4, whisper -8; else
               of the rhythm: high-energy +3, low-paced -2
emphasis       strong from an intensity of 0.75 on, moderate from 0.5 on
pause          300 ms before a voice that is hesitant
style          the emotion, as speaking style of services that have one; degree 0.5 to 2 of the intensity
=============  ======================================================================================================

A narrator tells of a feeling and does not act it: rate and pitch of narration go half as far, and volume, emphasis and
style are left alone. Where the story does not say how a line should sound, nothing is asked
for: the usual voice is better than a guess.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from aptone.errors import RecordError
from aptone.types import TYPICAL_VAD, Emotion, Intonation, Json, Plan, Rhythm

RATES: Mapping[Rhythm, int] = {
    Rhythm.BRISK: 112,
    Rhythm.HIGH_ENERGY: 108,
    Rhythm.TENSE: 106,
    Rhythm.RELAXED: 95,
    Rhythm.HEAVY: 88,
    Rhythm.LOW_PACED: 84,
}
"""Rate of speech in percent of the usual one."""

RATE_CHANGE = 0.12
PITCH_CHANGE = 10.0
"""Percent of pitch for an arousal of 1 at full intensity."""

OPEN_INTENSITY = 0.6
FLAT_RANGE = -30

CONTOURS: Mapping[Intonation, str] = {
    Intonation.RISING: "(0%,+0%) (60%,+0%) (100%,+18%)",
    Intonation.FALLING: "(0%,+6%) (60%,+0%) (100%,-14%)",
    Intonation.CURVED: "(0%,+0%) (40%,+14%) (100%,-4%)",
}
VOLUMES: Mapping[str, int] = {
    **dict.fromkeys(("shout", "scream"), 6),
    "loud": 4,
    "whisper": -8,
    **dict.fromkeys(("quiet", "soft", "weak", "low", "mumbling"), -4),
}
"""Change of level in dB by the quality of the voice."""

RHYTHM_VOLUMES: Mapping[Rhythm, int] = {Rhythm.HIGH_ENERGY: 3, Rhythm.LOW_PACED: -2}
STRONG, MODERATE = 0.75, 0.5
PAUSE = 300
"""Milliseconds before a hesitant line."""

STYLES: Mapping[Emotion, str] = {
    Emotion.CALM: "calm",
    Emotion.HAPPY: "cheerful",
    Emotion.SAD: "sad",
    Emotion.ANGRY: "angry",
    Emotion.FEAR: "fearful",
    Emotion.DISGUST: "disgruntled",
    Emotion.SURPRISE: "excited",
    Emotion.PLAYFUL: "cheerful",
}
"""Speaking styles of Azure's voices by emotion; others have none."""


@dataclass(frozen=True, slots=True)
class Prosody:
    """Request to a TTS system; what is 0, empty or ``None`` is left to it.

    Args:
        rate: percent of the usual rate.
        pitch: percent of change.
        contour: targets of the pitch, as SSML writes them.
        range: percent of change of the pitch range.
        volume: change in dB.
        emphasis: ``strong``, ``moderate`` or empty.
        pause: milliseconds before the line.
        style: speaking style, with `degree` from 0.5 to 2.
    """

    rate: int = 100
    pitch: int = 0
    contour: str = ""
    range: int = 0
    volume: int = 0
    emphasis: str = ""
    pause: int = 0
    style: str = ""
    degree: float = 1.0

    @property
    def attributes(self) -> dict[str, str]:
        """Attributes of SSML's ``prosody`` element; none where nothing is asked for."""
        found = {
            "rate": f"{self.rate}%" if self.rate != 100 else "",
            "pitch": f"{self.pitch:+d}%" if self.pitch else "",
            "contour": self.contour,
            "range": f"{self.range:+d}%" if self.range else "",
            "volume": f"{self.volume:+d}dB" if self.volume else "",
        }
        return {name: value for name, value in found.items() if value}

    def to_json(self) -> dict[str, Json]:
        """Return what is asked for as JSON."""
        spoken: dict[str, Json] = dict(self.attributes)
        if self.emphasis:
            spoken["emphasis"] = self.emphasis
        if self.pause:
            spoken["pause_ms"] = self.pause
        if self.style:
            spoken |= {"style": self.style, "style_degree": self.degree}
        return spoken


def prosody_of(plan: Plan | None, *, is_speech: bool = True) -> Prosody:
    """Return what a plan asks of a TTS system; nothing where the story does not say, or there is no plan.

    Narration has a rhythm and an intonation also where the story does not say how its narrator feels.

    >>> prosody_of(Plan("angry", Rhythm.HEAVY, Intonation.FALLING, intensity=0.8)).attributes
    {'rate': '88%', 'pitch': '+5%', 'contour': '(0%,+6%) (60%,+0%) (100%,-14%)'}
    """
    if plan is None or (is_speech and (not (plan.says_emotion or plan.voice) or plan.is_unsaid or plan.is_unsure)):
        return Prosody()
    emotion = _emotion(plan.emotion)
    intensity = OPEN_INTENSITY if math.isnan(plan.intensity) else plan.intensity
    rate = float(RATES[plan.rhythm]) if plan.rhythm else 100.0
    rate *= 1.0 + RATE_CHANGE * (("fast" in plan.voice) - ("slow" in plan.voice))
    volume = next((VOLUMES[name] for name in plan.voice if name in VOLUMES), None)
    if volume is None:
        volume = RHYTHM_VOLUMES.get(plan.rhythm, 0) if plan.rhythm else 0
    found = Prosody(
        rate=round(rate),
        pitch=round(PITCH_CHANGE * TYPICAL_VAD[emotion].arousal * intensity) if emotion else 0,
        contour=CONTOURS.get(plan.intonation, "") if plan.intonation else "",
        range=FLAT_RANGE if plan.intonation is Intonation.FLAT else 0,
        volume=volume,
        emphasis=_emphasis(plan.intensity),
        pause=PAUSE if "hesitant" in plan.voice else 0,
        style=STYLES.get(emotion, "") if emotion else "",
        degree=round(min(2.0, max(0.5, 2.0 * intensity)), 2),
    )
    return found if is_speech else _told(found)


def _told(acted: Prosody) -> Prosody:
    """Return the prosody of a narrator."""
    return replace(
        acted, rate=round(100 + (acted.rate - 100) / 2), pitch=round(acted.pitch / 2), volume=0, emphasis="", style=""
    )


def _emphasis(intensity: float) -> str:
    return "strong" if intensity >= STRONG else "moderate" if intensity >= MODERATE else ""


def _emotion(name: str) -> Emotion | None:
    try:
        return Emotion.parse(name)
    except RecordError:
        return None
