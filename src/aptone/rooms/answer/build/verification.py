"""Stage 5: three people listen to every question; only those that all of them find right enter the benchmark.

They are asked whether the words are the ones that they read, and whether the question is asked in the way that it is to
be asked. A pair needs both of its questions: if one falls, its twin falls with it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from aptone.errors import RecordError
from aptone.ratings.storage import studio_rating
from aptone.ratings.tasks import task_template, with_items
from aptone.rooms.answer.data import AnswerSample
from aptone.rooms.answer.judge.terms import style_phrase
from aptone.rooms.answer.records import Prompt
from aptone.run.sources.manifest import manifest_records
from aptone.types import Json, RatingItem, RatingTask

TASK = "paras2s"
CLIP, WORDS, STYLE = "clip", "words", "style"
CONTENT_CORRECT, STYLE_CORRECT = "content_correct", "style_correct"
YES, NO = "yes", "no"


def verification_task(prompts: Sequence[Prompt], *, name: str = TASK) -> RatingTask:
    """The task: three people a question, accepted only if all of them answer yes twice.

    Args:
        prompts: spoken prompts; those without a recording are left out.
    """
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
    asked = {one.prompt.id for one in samples}
    if unknown := sorted(set(answers) - asked):
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
