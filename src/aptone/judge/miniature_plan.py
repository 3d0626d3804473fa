"""A plan in the words that the miniature judge was taught: it knows seven feelings and no others.

Plans are free text and may leave things open; the miniature only ever saw plans of the built-in planner, with one of
seven words for the feeling, and a rhythm, an intonation and a recording condition each. A feeling in other words,
English or Mandarin, becomes the nearest of the seven; what a plan leaves open is what the planner's table would ask for
with that feeling. Where no word for the feeling is known, nothing is guessed.
"""

import math
from pathlib import Path

from aptone.errors import RecordError
from aptone.judge.feelings import Feeling, read_feeling
from aptone.planner.delivery import delivery
from aptone.planner.text_model import Reading
from aptone.types import TYPICAL_VAD, Emotion, Plan, RecordingCondition

PROMPTS = Path(__file__).parent / "miniature_prompts"
"""Prompts of a few words: the miniature knows no language, and long instructions would teach it nothing."""
TAUGHT = (
    Emotion.NEUTRAL,
    Emotion.HAPPY,
    Emotion.SAD,
    Emotion.ANGRY,
    Emotion.FEAR,
    Emotion.DISGUST,
    Emotion.SURPRISE,
)
"""The feelings of the plans that it learnt from."""


def taught_plan(plan: Plan) -> Plan | None:
    """The plan as the miniature can read it; None where no word for its feeling is known.

    >>> taught_plan(Plan("furious")).emotion, taught_plan(Plan("生气")).emotion
    ('angry', 'angry')
    >>> taught_plan(Plan("zorbly")) is None
    True
    """
    feeling = read_feeling(plan.emotion)
    if feeling is None:
        return None
    emotion = nearest_taught(feeling)
    usual = delivery(Reading(labels={}, emotion={emotion: 1.0}, vad=TYPICAL_VAD[emotion]), ())
    return Plan(
        emotion.value,
        rhythm=plan.rhythm or usual.rhythm,
        intonation=plan.intonation or usual.intonation,
        recording_condition=_condition(plan.recording_condition) or usual.recording_condition.value,
    )


def nearest_taught(feeling: Feeling) -> Emotion:
    """The feeling of the seven that a text names most, or else the nearest in valence, arousal and dominance."""
    named = {emotion: feeling.emotions.get(emotion, 0.0) for emotion in TAUGHT}
    if max(named.values()) > 0.0 and max(named.values()) >= max(feeling.emotions.values()):
        return max(TAUGHT, key=lambda emotion: named[emotion])
    asked = (feeling.vad.valence, feeling.vad.arousal, feeling.vad.dominance)

    def distance(emotion: Emotion) -> float:
        vad = TYPICAL_VAD[emotion]
        places = zip(asked, (vad.valence, vad.arousal, vad.dominance), strict=True)
        return math.fsum((one - other) ** 2 for one, other in places if not math.isnan(one))

    return min(TAUGHT, key=distance)


def _condition(text: str) -> str:
    """A recording condition by its English name; as it is where it has none."""
    try:
        return RecordingCondition.parse(text).value if text.strip() else ""
    except RecordError:
        return text
