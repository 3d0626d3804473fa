"""Reader of the story around a line: a distribution over emotions, the delivery, and the words that they rest on."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from aptone.lexicon.feelings import VOICES, felt_phrases
from aptone.lexicon.phrases import tokens
from aptone.planner.encoder import Answers, head_labels, load_encoder
from aptone.planner.fusion import (
    EMOTIONS,
    UNSAID,
    cue_weight,
    features_of,
    is_talk,
    load_fusion,
    load_talk,
    load_word_counts,
    talk_shares,
)
from aptone.planner.passage import Passage, passage_of
from aptone.planner.reading.cues import Cue, FeelingCue, cues, feeling_cues
from aptone.stats.logits import sigmoid, softmax
from aptone.types import TYPICAL_VAD, Emotion, Evidence, Intonation, Language, RecordingCondition, Rhythm, Sample, Vad

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
"""Intonation of emotions; all others are flat."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """Delivery and recording of a line `because` of cues; without one, a decision follows from the emotion."""

    rhythm: Rhythm
    intonation: Intonation
    recording_condition: RecordingCondition
    because: tuple[Cue, ...]


def delivery(emotion: Emotion, found: Sequence[Cue] = ()) -> Delivery:
    """Return rhythm, intonation and recording condition of a line by its cues, the most telling first."""
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
    """Return the rhythm whose point lies nearest.

    >>> nearest_rhythm(Vad(-0.63, -0.27, -0.33))
    <Rhythm.LOW_PACED: 'low-paced'>
    """
    felt = (vad.valence, vad.arousal, vad.dominance)

    def distance(rhythm: Rhythm) -> float:
        return sum((a - b) ** 2 for a, b in zip(felt, RHYTHM_POINTS[rhythm], strict=True))

    return min(RHYTHM_POINTS, key=distance)


LEAST_ALONE = 0.45
"""Least probability at which an emotion other than neutral is named where there is nothing but the line."""
SURE_DELIVERY = 0.45
"""Least probability at which the encoder decides the delivery; below it, the usual one of the emotion counts."""
MOST_EVIDENCE = 6
"""Most pieces of evidence in a reading."""
DECIDES = 0.5
"""Least probability at which a piece counts among the words that decide."""
HEARD_IN_VOICE = 0.5
"""Least probability at which the encoder names a quality of the voice."""
LONGEST_CLAUSE = {False: 70, True: 24}
"""Most characters of a clause that is quoted whole: of English, and of Mandarin (True)."""
_CLAUSE_ENDS = re.compile(r"[,.;:!?…—\n“”\"「」『』，。；：！？、]+")
SOUNDS = {"laughing": "laughter", "sobbing": "sobbing", "sighing": "sigh", "groaning": "groan", "gasping": "gasp"}
"""Sounds besides words in such a voice."""
_KINDS = {"tag": "tag", "direction": "direction", "same": "narration", "before": "narration", "after": "narration"}
_INTENSITIES = (0.25, 0.6, 0.95)


Value = TypeVar("Value", Rhythm, Intonation, RecordingCondition)


@dataclass(frozen=True, slots=True)
class Reading:
    """Reading of a line in its story.

    Args:
        emotions: probabilities of emotions, given that the story asks for one; they sum to 1.
        unsaid: probability that the story does not say.
        emotion: likeliest emotion; None where the story does not say.
        intensity: 0 to 1; NaN where it is open.
        rhythm, intonation, recording_condition: delivery; None where it is open.
        evidence: words that it rests on, the most telling first.
    """

    emotions: dict[Emotion, float]
    unsaid: float
    emotion: Emotion | None
    intensity: float
    rhythm: Rhythm | None
    intonation: Intonation | None
    recording_condition: RecordingCondition | None
    voice: tuple[str, ...]
    evidence: tuple[Evidence, ...]

    @property
    def sounds(self) -> tuple[str, ...]:
        """Sounds besides words."""
        return tuple(SOUNDS[name] for name in self.voice if name in SOUNDS)


def read_line(sample: Sample) -> Reading:
    """Read the story around the target of a sample."""
    language = sample.language
    passage = passage_of(sample)
    felt = feeling_cues(passage, language)
    answers = load_encoder(language).read(passage)
    fusion = load_fusion(language)
    features = features_of(felt, answers, load_word_counts(language).log_shares(passage))
    shares = fusion.probabilities(features)
    if not features.explicit and is_talk(sample):
        shares = load_talk(language).probabilities(shares, talk_shares(answers, language))
    unsaid = float(shares[UNSAID])
    said = max(1e-9, 1.0 - unsaid)
    emotions = {emotion: float(shares[number] / said) for number, emotion in enumerate(EMOTIONS)}
    best = max(emotions, key=lambda name: emotions[name])
    least = fusion.least if best is Emotion.NEUTRAL or not _is_alone(passage) else max(fusion.least, LEAST_ALONE)
    is_said = unsaid < emotions[best] * said and emotions[best] * said >= least
    spoken = cues(sample.context, sample.target, language=language, following=sample.following)
    emotion = best if is_said else None
    usual = delivery(emotion) if emotion is not None else None
    return Reading(
        emotions=rounded(emotions),
        unsaid=round(unsaid, 4),
        emotion=emotion,
        intensity=intensity_of(felt, answers, emotion),
        rhythm=_first(spoken, Rhythm) or likeliest(answers, "rhythm", Rhythm) or getattr(usual, "rhythm", None),
        intonation=_first(spoken, Intonation)
        or likeliest(answers, "intonation", Intonation)
        or getattr(usual, "intonation", None),
        recording_condition=_first(spoken, RecordingCondition),
        voice=_voice(felt, answers),
        evidence=evidence_of(passage, felt, answers, spoken, emotion, language),
    )


def _is_alone(passage: Passage) -> bool:
    """Return whether nothing is said or told around the target."""
    around = passage.text[: passage.start] + passage.text[passage.end :]
    return not any(character.isalnum() for character in around)


def rounded(emotions: dict[Emotion, float]) -> dict[Emotion, float]:
    """Round to four digits that still sum to 1."""
    kept = {name: round(share, 4) for name, share in emotions.items()}
    largest = max(kept, key=lambda name: kept[name])
    kept[largest] = round(1.0 - math.fsum(share for name, share in kept.items() if name is not largest), 4)
    return kept


def _first(found: Sequence[Cue], kind: type[Value]) -> Value | None:
    return next((cue.value for cue in found if isinstance(cue.value, kind)), None)


def likeliest(answers: Answers, head: str, kind: type[Value], *, least: float = SURE_DELIVERY) -> Value | None:
    """Return the likeliest label of a head, if it is sure enough; None where it is not."""
    shares = softmax(answers.logits[head].astype(np.float64))
    number = int(shares.argmax())
    return kind.parse(head_labels()[head][number]) if shares[number] >= least else None


def intensity_of(felt: Sequence[FeelingCue], answers: Answers, emotion: Emotion | None) -> float:
    """Return the intensity: by the line's own tag or direction, else as inferred."""
    if emotion is None or emotion is Emotion.NEUTRAL:
        return math.nan
    explicit = [
        _INTENSITIES[cue.meaning.strength - 1]
        for cue in felt
        if cue.region in ("tag", "direction") and not cue.denied and emotion in cue.meaning.emotions
    ]
    inferred = float(softmax(answers.logits["intensity"].astype(np.float64)) @ np.array(_INTENSITIES))
    return round(max(explicit) if explicit else inferred, 3)


def _voice(felt: Sequence[FeelingCue], answers: Answers) -> tuple[str, ...]:
    """Return the qualities of the voice: explicit ones, then inferred ones."""
    explicit = [
        name
        for cue in felt
        if not cue.denied and cue.region in ("tag", "direction", "same") and cue.sure >= 0.8
        for name in cue.meaning.voice
    ]
    chances = sigmoid(answers.logits["voice"].astype(np.float64))
    inferred = [VOICES[int(number)] for number in np.argsort(-chances) if chances[number] >= HEARD_IN_VOICE]
    return tuple(dict.fromkeys([*explicit, *inferred]))[:4]


def evidence_of(
    passage: Passage,
    felt: Sequence[FeelingCue],
    answers: Answers,
    spoken: Sequence[Cue],
    emotion: Emotion | None,
    language: Language,
) -> tuple[Evidence, ...]:
    """Return the words that a reading rests on, the most telling first; none twice."""
    found: list[Evidence] = []
    for cue in sorted(felt, key=lambda one: (one.region not in ("tag", "direction"), -cue_weight(one))):
        if cue.denied:
            continue
        says = emotion if emotion is not None and emotion in cue.meaning.emotions else None
        voice = cue.meaning.voice if cue.region in ("tag", "direction", "same") and cue.sure >= 0.8 else ()
        if says is not None or voice:
            explicit = [*([says.label(language)] if says is not None else []), *voice[:1]]
            _add(found, passage, cue.start, cue.end, ", ".join(explicit), _KINDS[cue.region])
    if emotion is not None:
        for start, end in (_clause(passage, *place) for place in deciding(answers)):
            if _speaks_for(passage.text[start:end], emotion, language):
                kind = "line" if passage.start <= start and end <= passage.end else "context"
                _add(found, passage, start, end, emotion.label(language), kind)
    for told_cue in spoken:
        if isinstance(told_cue.value, RecordingCondition):
            start = passage.text.rfind(told_cue.words, 0, passage.end + len(told_cue.words))
            if start >= 0:
                _add(found, passage, start, start + len(told_cue.words), told_cue.value.label(language), "narration")
    return tuple(found[:MOST_EVIDENCE])


def _speaks_for(words: str, emotion: Emotion, language: Language) -> bool:
    """Return true if words that the encoder rests on can be shown for an emotion: letters, no other feeling's word."""
    if sum(character.isalnum() for character in words) < 2:
        return False
    named = [hit.meaning.emotions for hit in felt_phrases(tokens(words, language), language) if hit.meaning.emotions]
    return not named or any(emotion in emotions for emotions in named)


def _clause(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Return the clause around the words that decide, or those words alone where it is long."""
    text = passage.text
    first = max((match.end() for match in _CLAUSE_ENDS.finditer(text, 0, start)), default=0)
    last = next((match.start() for match in _CLAUSE_ENDS.finditer(text, end)), len(text))
    while first < start and not text[first].isalnum():
        first += 1
    return (first, last) if last - first <= LONGEST_CLAUSE[_is_chinese(text[start:end])] else (start, end)


def _is_chinese(words: str) -> bool:
    return "\u4e00" <= max(words, default="") <= "\u9fff"


def deciding(answers: Answers) -> list[tuple[int, int]]:
    """Return the pieces that decide as spans of the passage, the surest first; one piece is no gap."""
    stretches: list[tuple[float, int, int]] = []
    current: tuple[float, int, int] | None = None
    gap = 0
    for chance, (start, end) in zip(answers.decides.tolist(), answers.window.places, strict=True):
        if end > start and chance >= DECIDES:
            current = (max(current[0], chance), current[1], end) if current else (chance, start, end)
            gap = 0
        elif current is not None:
            gap += 1
            if gap > 1:
                stretches.append(current)
                current = None
    if current is not None:
        stretches.append(current)
    return [(start, end) for _, start, end in sorted(stretches, key=lambda one: -one[0])[:3]]


def _add(found: list[Evidence], passage: Passage, start: int, end: int, says: str, kind: str) -> None:
    words = passage.text[start:end].strip()
    place = passage.place(start, end)
    if place is None:
        if kind == "direction":  # a script's label stands beside its line, not in it
            found.append(Evidence(words, says, 0, 0, 0, kind))
        return
    for other in found:
        if other.end and other.line == place.line and other.start < place.end and place.start < other.end:
            return
    between = (start, passage.start) if start < passage.start else (passage.end, start)
    paragraphs = passage.text.count("\n", *between) * (-1 if start < passage.start else 1)
    found.append(Evidence(words, says, place.line, place.start, place.end, kind, paragraphs))
