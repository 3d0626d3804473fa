"""Prompts for classification without training: a few descriptions of each class, ours or the user's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from aptone.ear.describe import describe, style_from
from aptone.ear.labelled_clips import read_labels
from aptone.errors import AptoneError, RecordError, UsageError
from aptone.types import AudioRef, Json, Language, loads

LabelledAttribute = Literal["emotion", "sex"]
PHRASINGS = 6
"""Descriptions of a class, besides the plainest, that its prompts are drawn from."""


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Clips of known classes, and prompts to tell them apart; `left_out` are those whose label has no prompt."""

    name: str
    clips: tuple[AudioRef, ...]
    classes: tuple[str, ...]
    prompts: Mapping[str, tuple[str, ...]]
    left_out: int = 0


def class_prompts(
    attribute: LabelledAttribute, values: Sequence[str], *, language: Language
) -> dict[str, tuple[str, ...]]:
    """A few descriptions of each value, phrases and sentences, from the grammar of `aptone.ear.describe`.

    >>> class_prompts("sex", ["female", "male"], language="en")["male"][0]
    'a male voice'
    """
    made = {}
    for value in values:
        style = style_from({attribute: value})
        texts = [
            describe(style, language=language, length=length, seed=seed)
            for length in ("phrase", "sentence")
            for seed in (None, *range(PHRASINGS))
        ]
        made[value] = tuple(dict.fromkeys(texts))
    return made


def read_labelled(
    folder: Path, *, attribute: LabelledAttribute, split: str, language: Language, prompts: Path | None = None
) -> LabelledSet:
    """The clips of a folder with ``labels.csv``, and prompts for their classes.

    Spellings of a corpus are brought to ours: ``anger`` is ``angry``. With prompts of the user's, labels are taken as
    they are, and clips whose label has no prompt are left out and counted.

    Args:
        folder: folder with the recordings and the table; see `aptone.ear.labelled_clips`.
        split: split of the clips; empty for all.
        prompts: a JSON file, ``{"angry": ["an angry voice", …], …}``, in place of ours.

    Raises:
        UsageError: if there is no table, or no clip is left.
        RecordError: if a table or the prompts cannot be understood.
    """
    own = None if prompts is None else _read_prompts(prompts)
    rows = [row for row in read_labels(folder) if not split or row.split == split]
    chosen: list[tuple[AudioRef, str]] = []
    for row in rows:
        label = str(getattr(row, attribute))
        known = label if own is not None and label in own else _closed(attribute, label) if own is None else ""
        if known:
            chosen.append((AudioRef(str(row.path.absolute())), known))
    if not chosen:
        raise UsageError(f"{folder}: no clip of the split {split!r} has a known {attribute}; see its labels.csv.")
    classes = tuple(name for _, name in chosen)
    used = own or class_prompts(attribute, sorted(set(classes)), language=language)
    name = f"{folder.resolve().name} ({attribute})"
    return LabelledSet(name, tuple(clip for clip, _ in chosen), classes, used, len(rows) - len(chosen))


def _closed(attribute: LabelledAttribute, label: str) -> str:
    try:
        return str(getattr(style_from({attribute: label}), attribute) or "")
    except AptoneError:
        return ""


def _read_prompts(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        data: Json = loads(path.read_bytes(), what=str(path))
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); expected prompts as JSON.") from error
    if not isinstance(data, Mapping) or not data:
        raise RecordError(f'{path}: expected an object of classes, {{"angry": ["an angry voice"], …}}.')
    found = {}
    for name, texts in data.items():
        listed = [texts] if isinstance(texts, str) else texts
        if (
            not isinstance(listed, Sequence)
            or not listed
            or not all(isinstance(one, str) and one.strip() for one in listed)
        ):
            raise RecordError(f"{path}: the prompts of {name!r} are texts, one or more, got {texts!r}.")
        found[name] = tuple(map(str, listed))
    return found
