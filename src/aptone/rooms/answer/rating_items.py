"""Questions and answers as people get them to rate.

Verification (stage 5 of a build): three people listen to every question; only those that all of them find right enter
the benchmark. They are asked whether the words are the ones that they read, and whether the question is asked in the
way that it is to be asked. A pair needs both of its questions: if one falls, its twin falls with it.

Check of a judge: the reconstruction of ParaS2SBench correlates its judge with the mean of three people on 30 questions
of each synthetic dimension. The sample takes every category and every system in turn.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from aptone.errors import RecordError, UsageError
from aptone.ratings.storage import studio_rating
from aptone.ratings.tasks import JUDGE_SCORE, task_template, with_items
from aptone.rooms.answer.data import RATED_PER_DIMENSION, AnswerSample, Dimension, Prompt
from aptone.rooms.answer.judge.terms import style_phrase
from aptone.rooms.answer.step import ANSWERS
from aptone.run.sources.manifest import manifest_records
from aptone.run.system import RECORDED
from aptone.types import AudioRef, Entry, Json, RatingItem, RatingTask, from_json

TASK = "paras2s"
CLIP, WORDS, STYLE = "clip", "words", "style"
QUESTION, ANSWER = "question", "answer"
CONTENT_CORRECT, STYLE_CORRECT = "content_correct", "style_correct"
YES, NO = "yes", "no"


def verification_task(prompts: Sequence[Prompt], *, name: str = TASK) -> RatingTask:
    """The task: three people a recorded question, accepted only if all of them answer yes twice."""
    return with_items(task_template(TASK), [verification_item(one) for one in prompts if one.audio], name=name)


def verification_item(prompt: Prompt) -> RatingItem:
    """A recorded question as raters get it: the clip, the words, and the way in which it is to be asked."""
    assert prompt.audio is not None
    ways = " / ".join(style_phrase(prompt.dimension, prompt.category, language=one) for one in ("en", "zh"))
    return RatingItem(
        id=prompt.id,
        audio={CLIP: prompt.audio},
        fields={WORDS: prompt.content, STYLE: ways},
        hidden={"pair": prompt.pair, "dimension": prompt.dimension.value, "speaker": prompt.speaker},
    )


Answers = Mapping[str, Mapping[str, tuple[bool, bool]]]
"""Question to rater to whether words and way are right."""


def read_verification(path: Path) -> Answers:
    """Read the raters' answers: ratings of the studio, or a table with item, rater, content_correct and style_correct.

    Raises:
        RecordError: if a record cannot be understood, or a rater answered a question twice.
    """
    found: defaultdict[str, dict[str, tuple[bool, bool]]] = defaultdict(dict)
    for where, data in manifest_records(path):
        if not isinstance(data, Mapping):
            raise RecordError(f"{where}: expected a JSON object, got {type(data).__name__}.")
        try:
            item, rater, answers = _rating(data)
            given = (_yes(answers, CONTENT_CORRECT), _yes(answers, STYLE_CORRECT))
        except (RecordError, ValueError) as error:
            raise RecordError(f"{where}: {error}") from error
        if rater in found[item]:
            raise RecordError(f"{where}: rater {rater!r} has answered about {item!r} before; keep one of the two.")
        found[item][rater] = given
    return dict(found)


def _rating(data: Mapping[str, Json]) -> tuple[str, str, Mapping[str, Json]]:
    if (whole := studio_rating(data)) is not None:
        return whole.item, whole.rater, whole.answers
    item, rater = data.get("item"), data.get("rater")
    if not item or not rater:
        raise RecordError(f"expected item, rater, {CONTENT_CORRECT} and {STYLE_CORRECT}.")
    return str(item), str(rater), data


def _yes(answers: Mapping[str, Json], control: str) -> bool:
    given = answers.get(control)
    word = str(given).strip().lower()
    if word not in (YES, NO, "true", "false"):
        raise RecordError(f"{control} is {YES} or {NO}, got {given!r}.")
    return word in (YES, "true")


def verified(samples: Sequence[AnswerSample], answers: Answers) -> tuple[list[AnswerSample], dict[str, str]]:
    """The samples whose questions all raters found right, and why others fall; real speech needs no such check.

    Raises:
        RecordError: if a rater answered an unknown question.
    """
    if unknown := sorted(set(answers) - {one.prompt.id for one in samples}):
        raise RecordError(f"there is no question {unknown[0]!r}; are these answers about another benchmark?")
    fallen = {one.id: why for one in samples if (why := _refused(one.prompt, answers.get(one.prompt.id, {})))}
    pairs = {one.prompt.pair: one.prompt.id for one in samples if one.id in fallen and one.prompt.pair}
    for one in samples:
        if one.id not in fallen and one.prompt.pair in pairs:
            fallen[one.id] = f"its twin {pairs[one.prompt.pair]!r} fell"
    return [one for one in samples if one.id not in fallen], fallen


def _refused(prompt: Prompt, given: Mapping[str, tuple[bool, bool]]) -> str:
    if prompt.source.is_real:
        return ""
    if len(given) < (needed := task_template(TASK).raters_per_item):
        return f"{len(given)} of {needed} raters answered"
    for place, what in enumerate(("words", "way")):
        if against := sorted(rater for rater, answer in given.items() if not answer[place]):
            return f"the {what} {'are' if what == 'words' else 'is'} not right for {', '.join(against)}"
    return ""


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
