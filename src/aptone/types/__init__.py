"""The frozen records that flow through the house, and their JSON form."""

from aptone.messages import Language
from aptone.types.annotation import DIMENSIONS, Annotation, Dimension, WeakAnnotation
from aptone.types.audio import Audio, AudioRef, Segment
from aptone.types.closed_sets import (
    AgeBand,
    ClosedSet,
    Emotion,
    Intonation,
    RecordingCondition,
    Rhythm,
    Sex,
    in_language,
    language_of_text,
)
from aptone.types.codec import SCHEMA_VERSION, Json, dumps, is_finite_number, json_or_text, loads, schema_name, to_json
from aptone.types.decode import from_json
from aptone.types.feelings import TYPICAL_VAD
from aptone.types.line import Line
from aptone.types.outcome import Entry, Item, Outcome, State
from aptone.types.perception import Perception, SoundEvent, Tracks, Trajectory
from aptone.types.rating import Band, Choice, Control, Qualification, Rating, RatingItem, RatingTask, Shown, Words
from aptone.types.score import Estimate, Score, ScoreState, signature
from aptone.types.story import Evidence, NoVote, Plan, Sample, Vad, Vote
from aptone.types.trust import Probe, ProbeState, TrustCard

__all__ = [
    "DIMENSIONS",
    "SCHEMA_VERSION",
    "TYPICAL_VAD",
    "AgeBand",
    "Annotation",
    "Audio",
    "AudioRef",
    "Band",
    "Choice",
    "ClosedSet",
    "Control",
    "Dimension",
    "Emotion",
    "Entry",
    "Estimate",
    "Evidence",
    "Intonation",
    "Item",
    "Json",
    "Language",
    "Line",
    "NoVote",
    "Outcome",
    "Perception",
    "Plan",
    "Probe",
    "ProbeState",
    "Qualification",
    "Rating",
    "RatingItem",
    "RatingTask",
    "RecordingCondition",
    "Rhythm",
    "Sample",
    "Score",
    "ScoreState",
    "Segment",
    "Sex",
    "Shown",
    "SoundEvent",
    "State",
    "Tracks",
    "Trajectory",
    "TrustCard",
    "Vad",
    "Vote",
    "WeakAnnotation",
    "Words",
    "dumps",
    "from_json",
    "in_language",
    "is_finite_number",
    "json_or_text",
    "language_of_text",
    "loads",
    "schema_name",
    "signature",
    "to_json",
]
