"""A plan and a line as the miniature judge was taught them: seven feelings, five recording conditions, short lines.

Plans are free text and may leave things open; the miniature only ever saw plans of the built-in planner, with one of
seven words for the feeling, and a rhythm, an intonation and a recording condition each. A feeling in other words,
English or Mandarin, becomes the nearest of the seven; what a plan leaves open is what the planner's table would ask for
with that feeling. Where no word for the feeling, or for the recording condition, is known, nothing is guessed: other
words in their place would be noise to it, and a score would follow all the same. Likewise a line that is longer than
any that it learnt from: it reads the beginning.
"""

import math
from dataclasses import replace
from pathlib import Path

from aptone.errors import RecordError
from aptone.judge.aspects.feelings import Feeling, read_feeling
from aptone.models.asking.guard import guard
from aptone.planner.delivery import delivery
from aptone.types import TYPICAL_VAD, Emotion, Line, Plan, RecordingCondition
from recipes.miniature.tokens import Tokens

PROMPTS = Path(__file__).parent / "prompts"
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
TAUGHT_CONDITIONS = (
    RecordingCondition.NORMAL,
    RecordingCondition.PHONE,
    RecordingCondition.FAR_FIELD,
    RecordingCondition.INTERMITTENT,
    RecordingCondition.INNER_MONOLOGUE,
)
"""The recording conditions of those plans."""
LONGEST_LINE, LONGEST_ROLE = 100, 12
"""Tokens of a line and of who says it; the longest of those that it learnt from have 97 and 11."""
NO_FEELING = "the plan names no emotion, and the judge cannot do without"
UNKNOWN_FEELING = "none of the plan's words for the emotion is known to the judge"
UNKNOWN_CONDITION = "the judge knows no such recording condition as the plan's"


def taught_plan(plan: Plan) -> Plan | str:
    """The plan as the miniature can read it, or the reason why it cannot.

    >>> taught_plan(Plan("furious")).emotion, taught_plan(Plan("生气")).emotion
    ('angry', 'angry')
    >>> taught_plan(Plan("sad", recording_condition="under water"))
    "the judge knows no such recording condition as the plan's"
    """
    if not plan.emotion.strip():
        return NO_FEELING
    feeling = read_feeling(plan.emotion)
    if feeling is None:
        return UNKNOWN_FEELING
    try:
        condition = RecordingCondition.parse(plan.recording_condition) if plan.recording_condition.strip() else None
    except RecordError:
        return UNKNOWN_CONDITION
    if condition not in (None, *TAUGHT_CONDITIONS):
        return UNKNOWN_CONDITION
    emotion = nearest_taught(feeling)
    usual = delivery(emotion)
    return Plan(
        emotion.value,
        rhythm=plan.rhythm or usual.rhythm,
        intonation=plan.intonation or usual.intonation,
        recording_condition=(condition or usual.recording_condition).value,
    )


def taught_line(line: Line, tokens: Tokens) -> Line:
    """The line, no longer than those that the miniature learnt from."""
    text, role = guard(line.text), guard(line.role)
    return replace(line, text=tokens.beginning(text, LONGEST_LINE), role=tokens.beginning(role, LONGEST_ROLE))


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
