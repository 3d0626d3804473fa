"""Answers as people get them to rate: the check of a judge against raters, on 30 answers a dimension.

The reconstruction of ParaS2SBench correlates its judge with the mean of three people on 30 questions of each synthetic
dimension. The sample takes every category and every system in turn.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aptone.errors import UsageError
from aptone.ratings.tasks import JUDGE_SCORE
from aptone.rooms.answer.data import AnswerSample
from aptone.rooms.answer.records import RATED_PER_DIMENSION, Dimension
from aptone.rooms.answer.step import ANSWERS
from aptone.run.system import RECORDED
from aptone.types import AudioRef, Entry, Json, RatingItem, from_json

QUESTION, ANSWER, WORDS = "question", "answer", "words"


def answered_sample(entry: Entry) -> AnswerSample:
    """The sample of an entry of a run, with the answer that the system gave where it was asked in the run."""
    sample = from_json(AnswerSample, entry.item.payload)
    kept = entry.outcome.evidence.get(ANSWERS)
    if isinstance(kept, Sequence) and not isinstance(kept, str) and kept:
        return replace(sample, answer=from_json(AudioRef, kept[0]))
    return sample


def sample_answers(
    samples: Sequence[AnswerSample], *, per_dimension: int = RATED_PER_DIMENSION, seed: int = 0
) -> list[AnswerSample]:
    """So many answers of each synthetic dimension, in the order of the samples.

    Categories and systems take turns; within them answers are sampled. A dimension with fewer answers gives all it has.

    Args:
        samples: samples; those without recorded question and answer, and real speech, are skipped.

    Raises:
        UsageError: if there is no answer to sample.
    """
    usable = [one for one in samples if one.prompt.audio and one.answer and not one.prompt.source.is_real]
    if not usable:
        raise UsageError("there is no recorded answer to a synthetic question; name a run or manifest that has some.")
    generator = np.random.default_rng(seed)
    chosen: set[str] = set()
    for dimension in Dimension:
        piles: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for one in usable:
            if one.prompt.dimension is dimension:
                piles[one.prompt.category, one.ids.get("system", RECORDED)].append(one.id)
        shuffled = [generator.permutation(piles[key]).tolist() for key in sorted(piles)]
        turns = [
            pile[turn] for turn in range(max(map(len, shuffled), default=0)) for pile in shuffled if turn < len(pile)
        ]
        chosen |= set(turns[:per_dimension])
    return [one for one in usable if one.id in chosen]


def fitness_item(sample: AnswerSample, judged: float = math.nan) -> RatingItem:
    """An answer as raters get it: how it was asked is to be heard, not read."""
    assert sample.prompt.audio is not None
    assert sample.answer is not None
    hidden: dict[str, Json] = {
        **sample.ids,
        "system": sample.ids.get("system", RECORDED),
        "dimension": sample.prompt.dimension.value,
        "category": sample.prompt.category,
        "pair": sample.prompt.pair,
        "language": sample.prompt.language,
    }
    if not math.isnan(judged):
        hidden[JUDGE_SCORE] = judged
    return RatingItem(
        id=sample.id,
        audio={QUESTION: sample.prompt.audio, ANSWER: sample.answer},
        fields={WORDS: sample.prompt.content},
        hidden=hidden,
    )
