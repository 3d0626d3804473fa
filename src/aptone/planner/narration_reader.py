"""Reader of narration: pace and tone of a passage that a narrator tells.

A narrator tells of a chase and is not chased: what a passage is about sets its rhythm and its intonation, while the
story rarely says what the narrator feels. An emotion is asked for only where the narration itself carries one: a
narrator who speaks of himself, or a passage that leaves little doubt. Tags, stage directions and recording conditions
are those of speech, and are not read.
"""

import math
import re
from collections.abc import Sequence

import numpy as np

from aptone.planner.encoder import Answers, load_encoder
from aptone.planner.fusion import EMOTIONS, UNSAID, features_of, load_fusion, load_word_counts
from aptone.planner.passage import passage_around
from aptone.planner.reading.quotations import find_quotations, is_speech
from aptone.planner.story_reader import Reading, evidence_of, intensity_of, likeliest, rounded
from aptone.stats.logits import softmax
from aptone.types import Emotion, Intonation, Language, Line, Rhythm, Sample

NARRATION_REVISION = 3
"""Revision of the rules of this module; what they rest on is the encoder's."""
SURE_TELLING = 0.5
"""Least probability at which the encoder, trained on speech, decides the intonation; below it, it is open."""
SURE_PACE = 0.6
"""Least probability of all quick rhythms, or of all slow ones, at which the likeliest of them is asked for."""
STRONG = 0.66
"""Probability of an emotion from which a passage asks for it although its narrator does not speak of himself."""
TOLD = 0.25
"""Share of the probability of emotions that is left where they are told of, not carried; set by hand, not fitted."""
NEAR = 2
"""Lines of narration directly before the target that set its scene."""
QUICK = frozenset((Rhythm.BRISK, Rhythm.HIGH_ENERGY, Rhythm.TENSE))
_FIRST_PERSON: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b(?!\.\s?[A-Z])"),
    "zh": re.compile(r"(?<!自)我(?!国|方|军|校)"),
}


def is_told(sample: Sample) -> bool:
    """Return true for a target that is narration, without speech in quotation marks in it."""
    text = sample.target.text
    return sample.is_narration and not any(is_speech(text, quotation) for quotation in find_quotations(text))


def read_narration(sample: Sample) -> Reading:
    """Read the passage that a narrator tells, with the narration directly before it."""
    language = sample.language
    passage = passage_around(scene_before(sample.context), sample.target, (), narrated=True)
    answers = load_encoder(language).read(passage)
    fusion = load_fusion(language)
    shares = fusion.probabilities(features_of((), answers, load_word_counts(language).log_shares(passage)))
    said = max(1e-9, 1.0 - float(shares[UNSAID]))
    emotions = {emotion: float(shares[number] / said) for number, emotion in enumerate(EMOTIONS)}
    best = max(emotions, key=lambda name: emotions[name])
    least = fusion.least if _FIRST_PERSON[language].search(sample.target.text) else STRONG
    carried = best is not Emotion.NEUTRAL and emotions[best] * said >= max(least, 1.0 - said)
    emotion = best if carried else None
    return Reading(
        emotions=rounded(emotions),
        unsaid=round(1.0 - (said if carried else TOLD * said), 4),
        emotion=emotion,
        intensity=intensity_of((), answers, emotion) if carried else math.nan,
        rhythm=pace(answers),
        intonation=likeliest(answers, "intonation", Intonation, least=SURE_TELLING),
        recording_condition=None,
        voice=(),
        evidence=evidence_of(passage, (), answers, (), emotion, language),
    )


def pace(answers: Answers) -> Rhythm | None:
    """Return the likeliest rhythm of a passage if it is surely quick or surely slow; None where it is neither."""
    shares = softmax(answers.logits["rhythm"].astype(np.float64))
    by_rhythm = dict(zip(map(Rhythm.parse, load_encoder("en").labels["rhythm"]), shares.tolist(), strict=True))
    for family in (QUICK, set(by_rhythm) - QUICK):
        if sum(by_rhythm[rhythm] for rhythm in family) >= SURE_PACE:
            likely: Rhythm = max(sorted(family), key=lambda rhythm: by_rhythm[rhythm])
            return likely
    return None


def scene_before(context: Sequence[Line]) -> tuple[Line, ...]:
    """Return the narration directly before a target, the nearest `NEAR` lines; tags of speech are none.

    >>> lines = [Line("Go!", "Tom"), Line("said Tom.", continues=True), Line("It rained.")]
    >>> [line.text for line in scene_before(lines)]
    ['It rained.']
    """
    near: list[Line] = []
    for line in reversed(context):
        if line.is_speech or len(near) == NEAR:
            break
        near.append(line)
    near.reverse()
    while near and near[0].continues:
        near.pop(0)
    return tuple(near)
