"""From what a line feels like, and from cues in the text, to rhythm, intonation and recording condition.

A cue decides; the first one of its kind counts. Without one, the rhythm is the nearest of six points in the space of
valence, arousal and dominance, and the intonation follows the emotion:

| rhythm | valence | arousal | dominance | like |
| --- | --- | --- | --- | --- |
| brisk | 0.6 | 0.4 | 0.3 | joy |
| high-energy | 0.0 | 0.9 | 0.5 | a call to arms |
| tense | -0.5 | 0.6 | -0.2 | fear, quarrel |
| heavy | -0.5 | 0.2 | 0.2 | contempt, warning |
| low-paced | -0.6 | -0.3 | -0.3 | grief |
| relaxed | 0.1 | -0.1 | 0.0 | small talk |

The points are ours: no set says which rhythm goes with which feeling.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aptone.planner.reading.cues import Cue
from aptone.types import TYPICAL_VAD, Emotion, Intonation, RecordingCondition, Rhythm, Vad

RHYTHM_POINTS = {
    Rhythm.BRISK: (0.6, 0.4, 0.3),
    Rhythm.HIGH_ENERGY: (0.0, 0.9, 0.5),
    Rhythm.TENSE: (-0.5, 0.6, -0.2),
    Rhythm.HEAVY: (-0.5, 0.2, 0.2),
    Rhythm.LOW_PACED: (-0.6, -0.3, -0.3),
    Rhythm.RELAXED: (0.1, -0.1, 0.0),
}
INTONATION_OF = {
    Emotion.SURPRISE: Intonation.RISING,
    Emotion.HAPPY: Intonation.RISING,
    Emotion.DISGUST: Intonation.CURVED,
    Emotion.PLAYFUL: Intonation.CURVED,
    Emotion.SAD: Intonation.FALLING,
    Emotion.ANGRY: Intonation.FALLING,
}
"""All other emotions are flat."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a line should be spoken and recorded.

    Args:
        rhythm, intonation, recording_condition: what was decided.
        because: the cues that decided; what has none follows from the feeling.
    """

    rhythm: Rhythm
    intonation: Intonation
    recording_condition: RecordingCondition
    because: tuple[Cue, ...]


def delivery(emotion: Emotion, found: Sequence[Cue] = ()) -> Delivery:
    """Rhythm, intonation and recording condition of a line.

    Args:
        emotion: that it asks for.
        found: its cues, the most telling first.
    """
    rhythm = next((cue for cue in found if isinstance(cue.value, Rhythm)), None)
    intonation = next((cue for cue in found if isinstance(cue.value, Intonation)), None)
    condition = next((cue for cue in found if isinstance(cue.value, RecordingCondition)), None)
    return Delivery(
        rhythm=rhythm.value if rhythm and isinstance(rhythm.value, Rhythm) else nearest_rhythm(TYPICAL_VAD[emotion]),
        intonation=intonation.value
        if intonation and isinstance(intonation.value, Intonation)
        else INTONATION_OF.get(emotion, Intonation.FLAT),
        recording_condition=condition.value
        if condition and isinstance(condition.value, RecordingCondition)
        else RecordingCondition.NORMAL,
        because=tuple(cue for cue in (rhythm, intonation, condition) if cue is not None),
    )


def nearest_rhythm(vad: Vad) -> Rhythm:
    """The rhythm whose point lies nearest.

    >>> nearest_rhythm(Vad(-0.63, -0.27, -0.33))
    <Rhythm.LOW_PACED: 'low-paced'>
    """
    felt = (vad.valence, vad.arousal, vad.dominance)

    def distance(rhythm: Rhythm) -> float:
        return sum((a - b) ** 2 for a, b in zip(felt, RHYTHM_POINTS[rhythm], strict=True))

    return min(RHYTHM_POINTS, key=distance)
