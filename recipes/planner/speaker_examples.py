"""Training examples for the scorer of speakers: novels whose speech tags are hidden or made pronouns at random.

The author's own tag says who speaks; without it, the scorer has to find that speaker from the rest. A hidden pronoun
("she said") leaves the women of the passage as answers. What nobody tagged stays in the chain without an answer.
"""

import random
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aptone.planner.reading.attribution import StoryReading, read_story
from aptone.planner.reading.mentions import NARRATOR, Mention, People
from aptone.planner.reading.quotations import with_curly_quotes
from aptone.planner.reading.speaker_chain import link_features
from aptone.planner.reading.speaker_features import FEATURES, MOST, NOBODY, FeatureReader
from aptone.planner.reading.speech_parts import SpeechParagraph
from aptone.planner.reading.speech_tags import tag_length
from aptone.planner.reading.speech_units import Unit, split_sentences
from aptone.types import Language, Line

SCALE = 40.0
"""Features are stored as bytes, this many to 1."""

WINDOW = 16
"""Units of a chain in training."""

SHARES: Mapping[Language, Sequence[float]] = {"en": (0.3, 0.6, 0.9), "zh": (0.1, 0.25, 0.5)}
"""Shares of tags that are hidden; in Mandarin novels nearly every line has one, so that few are missing at a time."""

SEXLESS = 0.5
"""Share of pieces in which features do not know who is a man and who a woman.

There, "she said" does not tell the scorer whom it means, but the answer does: it learns from the author's own pronouns.
"""

DEEDS = (
    "{0}听了{1}的话，", "{0}看了{1}一眼，", "{0}见{1}不语，", "{0}拉{1}坐下，", "{0}指着{1}，", "{0}想了一想，又对{1}",
    "{0}见了{1}，", "这一席话说得{0}大喜，", "{0}心中不快，也不看{1}，", "只见{0}走上前来，向{1}",
    "{0}点点头，回头对{1}",
    "{0}等{1}去了，", "{0}放下茶杯，", "{1}的话提醒了{0}，",
)  # fmt: skip
"""Deeds before a tag, of the speaker and another."""


class Answer(NamedTuple):
    """Answer to who says a part of speech: of its author a name or a pronoun, of a label the candidates it accepts."""

    role: str
    pronoun: str
    accepted: frozenset[str] = frozenset()


@dataclass(slots=True)
class Examples:
    """Units of speech with features, allowed answers and links; windows are rows of units.

    Args:
        features: units × candidates × features, in bytes.
        present: units × candidates that exist.
        allowed: units × candidates that the author's words allow.
        alike: 2 × units × candidates before × candidates: the same person, one and two units apart.
        links: 2 × units × links.
        starts: first units of stories.
    """

    features: NDArray[np.uint8]
    present: NDArray[np.bool_]
    allowed: NDArray[np.bool_]
    alike: NDArray[np.bool_]
    links: NDArray[np.float32]
    starts: NDArray[np.int64]


def book_examples(text: str, language: Language, seed: int) -> Iterator[Examples]:
    """Yield the examples of a book, cut into pieces of different lengths, each with its own share of hidden tags."""
    rng = random.Random(seed)
    rows = with_curly_quotes([row for row in text.split("\n") if row.strip()])
    place = 0
    while place < len(rows):
        size = rng.choice((30, 120, 500, 2000) if language == "en" else (10, 40, 160, 500))
        yield from _piece(rows[place : place + size], language, rng)
        place += size


def _piece(rows: Sequence[str], language: Language, rng: random.Random) -> Iterator[Examples]:
    told = read_story([Line(row) for row in rows])
    if told.language != language or len(told.events.units) < 4:
        return
    share = rng.choice(SHARES[language])
    hidden, answers = _hidden(told, rows, share, rng)
    known = {part.role for paragraph in told.paragraphs for part in paragraph.parts if part.role}
    read = read_story([Line(row) for row in hidden], roles=known if rng.random() < 0.7 else ())
    if read.language == language and read.events.units:
        if rng.random() < SEXLESS:
            shown = FeatureReader(read.events, _Sexless(read.people, NARRATOR[language]), language).read()
            yield arrays(replace(read, candidates=shown), _answers(read, told, answers))
        else:
            yield arrays(read, _answers(read, told, answers))


@dataclass(frozen=True, slots=True)
class _Sexless:
    """People of whom nobody knows whether they are men or women."""

    people: People
    narrator: str

    def mentions(self, sentence: str) -> list[Mention]:
        return self.people.mentions(sentence)

    def called(self, speech: str) -> Iterator[tuple[str, bool]]:
        return self.people.called(speech)

    def role_of(self, name: str) -> str:
        return self.people.role_of(name)

    def sex_of(self, role: str) -> str:
        sex = self.people.sex_of(role)
        return sex if sex in ("p", "1") else ""


def _hidden(
    story: StoryReading, rows: Sequence[str], share: float, rng: random.Random
) -> tuple[list[str], dict[int, list[Answer]]]:
    """Return the paragraphs with a share of their tags hidden or turned into pronouns, and what the tags said."""
    made: list[str] = []
    answers: dict[int, list[Answer]] = {}
    last: deque[str] = deque(["", ""], 2)
    for place, (paragraph, row) in enumerate(zip(story.paragraphs, rows, strict=True)):
        answers[place] = [Answer(part.role, part.tag if not part.role else "") for part in paragraph.parts]
        others = {}
        for part in paragraph.parts:
            if part.role and part.role != last[-1]:
                last.append(part.role)
            others[id(part)] = last[0]
        tagged = any(part.role or part.tag for part in paragraph.parts)
        if not tagged or rng.random() > share or paragraph.label:
            made.append(row)
            continue
        sexes = {story.people.sex_of(part.role) for part in paragraph.parts if part.role}
        sex = sexes.pop() if len(sexes) == 1 else ""
        made.append(_without_tags(paragraph, story.language, sex, others, rng))
    return made, answers


def _without_tags(
    paragraph: SpeechParagraph, language: Language, sex: str, others: Mapping[int, str], rng: random.Random
) -> str:
    pronoun = {"en": {"m": "he", "f": "she"}, "zh": {"m": "他", "f": "她"}}[language].get(sex, "")
    as_pronoun = bool(pronoun) and rng.random() < 0.35
    text, place, pieces = paragraph.text, 0, []
    for number, part in enumerate(paragraph.parts):
        before = text[place : part.start]
        if language == "zh" and part.role and before.rstrip(" “「『").endswith(("：", ":")):
            pieces.append(_elided(before, part.role, others[id(part)], pronoun if as_pronoun else "", rng))
        else:
            pieces.append(
                _hide(before, number > 0, bool(part.role or part.tag), language, pronoun if as_pronoun else "", rng)
            )
        pieces.append(text[part.start : part.end])
        place = part.end
    pieces.append(_hide(text[place:], True, False, language, pronoun if as_pronoun else "", rng))
    return "".join(pieces)


def _elided(text: str, role: str, other: str, pronoun: str, rng: random.Random) -> str:
    """Return Mandarin narration whose tag leaves its subject to an earlier clause: 张三听了李四的话，便道：."""
    sentences = list(split_sentences(text, "zh"))
    clauses = re.split(r"(?<=[，,])", sentences[-1]) if sentences else [""]
    said = rng.choice(("道：", "说道：", "问道：", "笑道：", "便道：", "又道："))
    chance = rng.random()
    if pronoun and chance < 0.5:
        last = f"{pronoun}{said}"
    elif other and chance < 0.55:
        last = rng.choice(DEEDS).format(role, other) + said
    elif chance < 0.6:
        last = ""
    else:
        last = said
    return "".join([*sentences[:-1], *clauses[:-1], last])


def _hide(text: str, behind: bool, ahead: bool, language: Language, pronoun: str, rng: random.Random) -> str:
    """Return narration without the tag with which it begins (behind speech) or ends (ahead of speech)."""
    if not text.strip():
        return text
    sentences = list(split_sentences(text, language))
    if not sentences:
        return text
    if behind and (length := tag_length(sentences[0])):
        if pronoun:
            sentences[0] = f"{pronoun} said{sentences[0][length:]}" if language == "en" else f"{pronoun}说。"
        elif language == "zh" and rng.random() < 0.3:
            sentences[0] = "说。"
        else:
            sentences = sentences[1:]
    elif ahead and text.rstrip(" “").endswith((":", "：", ",", "，")):
        sentences = sentences[:-1]
    return f" {' '.join(sentences)} " if language == "en" else "".join(sentences)


def _answers(read: StoryReading, told: StoryReading, answers: dict[int, list[Answer]]) -> list[Answer]:
    """Return what the author says of each unit of the story with hidden tags; empty where the parts differ."""
    found = []
    for unit in read.events.units:
        parts = read.paragraphs[unit.place].parts
        known = answers[unit.place]
        if len(parts) != len(known):
            found.append(Answer("", ""))
            continue
        own = [answer for part, answer in zip(parts, known, strict=True) if any(part is one for one in unit.parts)]
        roles = {answer.role for answer in own if answer.role}
        pronouns = {answer.pronoun for answer in own if answer.pronoun}
        if len(roles) == 1:
            (role,) = roles
            found.append(Answer(_name_in(role, told, read), ""))
        else:
            found.append(Answer("", pronouns.pop() if len(pronouns) == 1 and not roles else ""))
    return found


def _name_in(role: str, told: StoryReading, read: StoryReading) -> str:
    """Return the role of somebody in the story with hidden tags, where aliases may be joined otherwise."""
    if (found := read.people.role_of(role)) != role:
        return found
    names = getattr(told.people, "names", None) or getattr(getattr(told.people, "cast", None), "names", {})
    alike = {read.people.role_of(surface) for surface, name in names.items() if name == role}
    known = {name for names in read.candidates.names for name in names}
    return role if role in known else next(iter(sorted(alike & known)), role)


def labelled_answers(story: StoryReading, accepted: Mapping[int, frozenset[str]]) -> list[Answer]:
    """Return the answers of labels to the units of a story; a unit without a label has none."""
    return [Answer("", "", accepted.get(number, frozenset())) for number in range(len(story.events.units))]


def arrays(story: StoryReading, answers: Sequence[Answer]) -> Examples:
    """Return the arrays of a story; a unit without an answer allows all candidates."""
    units, names = story.events.units, story.candidates.names
    count = len(units)
    features = np.zeros((count, MOST, len(FEATURES)), np.uint8)
    present, allowed = np.zeros((count, MOST), bool), np.zeros((count, MOST), bool)
    alike = np.zeros((2, count, MOST, MOST), bool)
    for number in range(count):
        have = len(names[number])
        features[number, :have] = np.clip(np.round(story.candidates.features[number] * SCALE), 0, 255)
        present[number, :have] = True
        allowed[number, :have] = [
            _allows(name, names[number], answers[number], units[number], story) for name in names[number]
        ]
        if answers[number].pronoun and allowed[number, 1:].any():
            allowed[number, 0] = False  # a pronoun means somebody
        for step in (1, 2):
            if number >= step:
                for row, one in enumerate(names[number - step]):
                    for column, two in enumerate(names[number]):
                        alike[step - 1, number, row, column] = one == two != NOBODY
    links = np.stack([link_features(story.events, step) for step in (1, 2)])
    return Examples(features, present, allowed, alike, links, np.array([0]))


def _allows(name: str, names: Sequence[str], answer: Answer, unit: Unit, story: StoryReading) -> bool:
    if unit.role:
        return name == unit.role
    if answer.accepted:
        return name in answer.accepted
    if answer.role:
        return name == answer.role if answer.role in names else name == NOBODY
    if answer.pronoun in ("he", "she"):
        sex = story.people.sex_of(name) if name != NOBODY else ""
        return name != NARRATOR[story.language] and sex in ("", "m" if answer.pronoun == "he" else "f")
    return True


def joined(found: Sequence[Examples]) -> Examples:
    """Return the examples of several stories in a row."""
    ends = np.cumsum([0, *(len(one.features) for one in found[:-1])])
    return Examples(
        np.concatenate([one.features for one in found]),
        np.concatenate([one.present for one in found]),
        np.concatenate([one.allowed for one in found]),
        np.concatenate([one.alike for one in found], axis=1),
        np.concatenate([one.links for one in found], axis=1),
        np.concatenate([one.starts + end for one, end in zip(found, ends, strict=True)]),
    )
