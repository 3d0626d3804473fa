"""Training examples of the style model: feature rows, their true attributes, and descriptions that name some of them.

Rows come from `recipes.style.rows`. The shipped ear is overconfident about the emotion of its training speakers; so for
them emotion, valence, arousal, intensity and sex come from ears that never heard the speaker (``python -m recipes.ear
run --recipe style-foldN``), shifted by the change that augmentation causes in the shipped ear.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from aptone.ear import load_ear
from aptone.ear.describe import (
    ATTRIBUTES,
    Attribute,
    Length,
    Sense,
    Style,
    Texture,
    attributes_of,
    describe,
    excerpt,
    flip,
    lexicon,
    narrow,
)
from aptone.errors import RecordError, UsageError
from aptone.rooms.style.embedding.built_in import EMOTIONS, LARGEST, NAMES
from aptone.stats.logits import sigmoid, softmax
from aptone.types import ClosedSet, Language
from recipes.style.rows import decode, encode

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int16]

FARTHEST_MOVE = 2.0
"""Largest shift of a logit by augmentation."""
LENGTHS: tuple[Length, ...] = ("phrase", "sentence", "caption")
DENIED = 0.12
COLOURED = 0.4
"""Share of lists about a whisper that also call it rough or breathy, as people do: "a gravelly whisper"."""
FELT = 0.25
"""Share of description pairs about the emotion, besides its turn among the others."""
LISTED = 0.4
MOST_LISTED = 5
SURROUNDED = 0.4
"""Share of lists that are embedded in a sentence."""
NOT: Mapping[Language, str] = {"en": "not ", "zh": "不"}


@dataclass(frozen=True, slots=True)
class Rows:
    """Augmented clips: features and true attributes.

    Args:
        name: set and file of the clip.
        split, speaker, variant: split, speaker and augmentation of the row.
        numbers: [rows, features], as `aptone.rooms.style.embedding.built_in.numbers_of` makes them.
        style: [rows, attributes], as `recipes.style.rows.encode` makes them.
    """

    name: npt.NDArray[np.str_]
    split: npt.NDArray[np.str_]
    speaker: npt.NDArray[np.str_]
    variant: npt.NDArray[np.str_]
    numbers: Floats
    style: Integers

    def __len__(self) -> int:
        return len(self.name)

    @property
    def set(self) -> npt.NDArray[np.str_]:
        """Set of each row."""
        return np.array([name.partition("/")[0] for name in self.name.tolist()])

    def take(self, chosen: npt.NDArray[Any]) -> "Rows":
        """Return some of the rows."""
        fields = (self.name, self.split, self.speaker, self.variant, self.numbers, self.style)
        return Rows(*(field[chosen] for field in fields))


def read_rows(path: Path) -> Rows:
    """Read the rows of a file.

    Raises:
        RecordError: if the file holds none.
        UsageError: if they were made for another version of the model.
    """
    rows = Rows(*_arrays(path, list(Rows.__dataclass_fields__), made_by="python -m recipes.style rows"))
    if rows.numbers.shape[1] != len(NAMES):
        raise UsageError(f"{path}: rows of {rows.numbers.shape[1]} numbers, expected {len(NAMES)}; make them again.")
    return rows


def _arrays(path: Path, names: Sequence[str], *, made_by: str) -> list[npt.NDArray[Any]]:
    """Return some arrays of an ``.npz`` file."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            return [kept[name] for name in names]
    except (OSError, EOFError, ValueError, TypeError, KeyError, BadZipFile) as error:
        raise RecordError(f"{path}: cannot be read ({error}); it is made by `{made_by}`.") from error


class EarAnswers(NamedTuple):
    """Answers of an ear about a clip: logits and values."""

    emotion_logits: npt.NDArray[np.float64]
    valence: float
    arousal: float
    intensity: float
    sex_logit: float


def read_answers(
    paths: Iterable[Path], *, speakers: Mapping[Path, Collection[str]] | None = None
) -> dict[str, EarAnswers]:
    """Return the answers of ears about clips, by set and file; the mean of several.

    Args:
        paths: ``.npz`` files of ``python -m recipes.ear run``.
        speakers: speakers to use, by file; by default all.

    Raises:
        RecordError: if a file holds no answers.
    """
    found: dict[str, list[EarAnswers]] = {}
    for path in paths:
        wanted = None if speakers is None else speakers[path]
        names, *said = _arrays(path, ["name", *EarAnswers._fields], made_by="python -m recipes.ear run")
        columns = [column.astype(np.float64) for column in said]
        for row, name in enumerate(names.tolist()):
            if wanted is None or name in wanted:
                found.setdefault(name, []).append(EarAnswers(*(column[row] for column in columns)))
    return {
        name: EarAnswers(*(np.mean(column, axis=0) for column in zip(*each, strict=True)))
        for name, each in found.items()
    }


def with_answers(rows: Rows, answers: Mapping[str, EarAnswers], *, move: bool = True) -> Rows:
    """Return the rows of clips with an answer, with its feeling and sex.

    Args:
        rows: rows with the features of the shipped ear.
        answers: answers about the original clips.
        move: shift the answers by the change that augmentation causes in the shipped ear.
    """
    known = np.array([name in answers for name in rows.name.tolist()])
    rows = rows.take(np.flatnonzero(known))
    temperatures = load_ear("full").meaning.temperatures
    place = {name: number for number, name in enumerate(NAMES)}
    logs = [place[f"log odds of {name}"] for name in EMOTIONS]
    shares = [place[f"probability of {name}"] for name in EMOTIONS]
    numbers = rows.numbers.copy()
    plain = {name: row for row, name in enumerate(rows.name.tolist()) if rows.variant[row] == "plain"}
    for row, name in enumerate(rows.name.tolist()):
        said, base = answers[name], plain.get(name, row)
        logits = said.emotion_logits / temperatures["emotion"]
        feeling = np.array([said.valence, said.arousal])
        values = [place["valence"], place["arousal"]]
        if move:
            here, there = (np.log(rows.numbers[one, shares] + 1e-4) for one in (row, base))
            logits = logits + np.clip(here - there, -FARTHEST_MOVE, FARTHEST_MOVE)
            feeling = np.clip(feeling + rows.numbers[row, values] - rows.numbers[base, values], -1.0, 1.0)
        numbers[row, shares] = softmax(logits.astype(np.float32))
        within = np.clip(numbers[row, shares], np.exp(-LARGEST), 1.0 - np.exp(-LARGEST))
        numbers[row, logs] = np.log(within / (1.0 - within))
        numbers[row, values] = feeling
        numbers[row, place["intensity"]] = (
            sigmoid(np.array(said.intensity / temperatures["intensity"], dtype=np.float32)) - 0.5
        )
        numbers[row, place["log odds of female"]] = np.clip(said.sex_logit / temperatures["sex"], -LARGEST, LARGEST)
    return replace(rows, numbers=numbers)


class Description(NamedTuple):
    """A description and the attributes that it names.

    Args:
        text: the description.
        language: language of the description.
        style: named values, as `recipes.style.rows.encode` makes them.
        denied: attributes that it denies.
    """

    text: str
    language: Language
    style: list[int]
    denied: frozenset[Attribute]


class DescriptionPair(NamedTuple):
    """A true description of a row, and the same with one attribute flipped."""

    true: Description
    flipped: Description


def description_pairs(row: Sequence[int], *, count: int, seed: int) -> Iterator[DescriptionPair]:
    """Yield description pairs of a row whose emotion is known, half of them in each language."""
    style = decode(row)
    generator = np.random.default_rng([seed, *(place + 1 for place in row)])
    held = tuple(attributes_of(style))
    usual = tuple(name for name in held if name not in {"music", "recording_condition", "age"})
    for number in range(count):
        language: Language = "en" if (number + seed) % 2 else "zh"
        kinds = usual if generator.random() < 0.6 else held
        attribute = kinds[int(generator.integers(len(kinds)))]
        if attribute == "intensity" or generator.random() < FELT:
            attribute = "emotion"
        made = int(generator.integers(1 << 30))
        other = flip(style, attribute, seed=made).style
        if generator.random() < LISTED:
            wanted = _some(held, attribute, generator)
            yield DescriptionPair(_listed(style, wanted, language, made), _listed(other, wanted, language, made))
        else:
            length = LENGTHS[int(generator.integers(3))]
            yield DescriptionPair(
                _described(style, attribute, language, length, made),
                _described(other, attribute, language, length, made),
            )


def descriptions(row: Sequence[int], *, count: int, seed: int) -> list[Description]:
    """Return the same as a flat list: each true description, then its flipped twin."""
    return [said for pair in description_pairs(row, count=count, seed=seed) for said in pair]


def _some(held: Sequence[Attribute], kept: Attribute, generator: np.random.Generator) -> tuple[Attribute, ...]:
    """Return one attribute and up to four others, in random order."""
    others = [name for name in held if name != kept and name != "intensity"]
    count = min(len(others), int(generator.integers(MOST_LISTED)))
    chosen = [kept, *(others[place] for place in generator.permutation(len(others))[:count])]
    return tuple(chosen[place] for place in generator.permutation(len(chosen)))


def _described(style: Style, kept: Attribute, language: Language, length: Length, seed: int) -> Description:
    text = describe(style, language=language, length=length, seed=seed, keep=[kept])
    named = excerpt(style, length=length, seed=seed, keep=[kept])
    return Description(text, language, encode(named), frozenset())


def _listed(style: Style, wanted: Sequence[Attribute], language: Language, seed: int) -> Description:
    """Return a list of words, as people type them: "slow, gravelly, not angry"."""
    generator = np.random.default_rng(seed)
    words: list[str] = []
    denied: dict[Attribute, Style] = {}
    for attribute in wanted:
        value: Any = getattr(style, attribute)
        chosen, denies = generator.random(2)
        if not value:
            continue
        if attribute == "events":
            value = value[0]
        word = _nth(_words(attribute, value, language), chosen)
        if value is Texture.WHISPERED and generator.random() < COLOURED:
            word = _coloured(word, language, generator)
        elif denies < DENIED and attribute != "events":
            denied[attribute] = opposite = flip(style, attribute, seed=seed).style
            word = NOT[language] + _nth(_words(attribute, getattr(opposite, attribute), language), chosen)
        words.append(word)
    joined = (", " if language == "en" else "，").join(words)
    if generator.random() < SURROUNDED:
        joined = _around(joined, language, generator)
    said = narrow(style, [name for name in wanted if name not in denied])
    encoded = encode(replace(said, events=said.events[:1], intensity=None))
    for attribute, opposite in denied.items():
        place = ATTRIBUTES.index(attribute)
        encoded[place] = encode(opposite)[place]
    return Description(joined, language, encoded, frozenset(denied))


def _nth(options: Sequence[str], draw: float) -> str:
    """Return one of some words, by a number from 0 to 1."""
    return options[int(draw * len(options))]


def _coloured(whisper: str, language: Language, generator: np.random.Generator) -> str:
    """Return a whisper with another texture."""
    texture = (Texture.ROUGH, Texture.BREATHY, Texture.PRESSED)[int(generator.integers(3))]
    words = _words("texture", texture, language)
    word = words[int(generator.integers(len(words)))]
    return f"{word} {whisper}" if language == "en" else f"{word}的{whisper}"


AROUND: Mapping[Language, tuple[tuple[str, str], ...]] = {
    "en": (("a ", " voice"), ("The speaker sounds ", "."), ("Voice: ", ""), ("someone ", ""), ("speech that is ", "")),
    "zh": (("", "的声音"), ("说话人听起来", "。"), ("声音：", ""), ("一个", "的人"), ("语气", "")),
}


def _around(words: str, language: Language, generator: np.random.Generator) -> str:
    before, behind = AROUND[language][int(generator.integers(len(AROUND[language])))]
    return before + words + behind


def _words(attribute: Attribute, value: ClosedSet, language: Language) -> tuple[str, ...]:
    """Return words and phrases that mean this value and nothing else."""
    return _bare_words(language).get(Sense(attribute, value), (value.label(language),))


@cache
def _bare_words(language: Language) -> Mapping[Sense, tuple[str, ...]]:
    """Return, by meaning, words and phrases that name one attribute, and at most its strength."""
    found: dict[Sense, list[str]] = {}
    for phrase, entry in lexicon(language).items():
        senses = [sense for sense in entry.means if sense.attribute != "intensity"]
        if len(senses) == 1 and not entry.pronoun:
            found.setdefault(senses[0], []).append(phrase)
    return {sense: tuple(sorted(phrases)) for sense, phrases in found.items()}
