"""Recordings with a table of labels as clips with descriptions; rows that cannot be described are named with why.

Labels are read as corpora write them: an age in years is an age band, and an intensity beside "neutral" grades nothing.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.ear.describe import Intensity, Style, describe, style_from
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.errors import RecordError
from aptone.messages import message
from aptone.rooms.style.data import StylePair
from aptone.types import AgeBand, AudioRef, Emotion, Language

LABELS = ("emotion", "intensity", "sex", "age")
"""Columns of a table of labels that a description is made of."""
BANDS: tuple[tuple[float, AgeBand], ...] = (
    (13.0, AgeBand.CHILD),
    (20.0, AgeBand.TEENAGER),
    (40.0, AgeBand.YOUNG_ADULT),
    (60.0, AgeBand.MIDDLE_AGED),
    (150.0, AgeBand.ELDERLY),
)
"""Age bands, each by the age in years from which on the next one begins."""
_YEARS = re.compile(r"(\d{1,3}(?:\.\d+)?)(?:\s*(?:-|–|to|~)\s*(\d{1,3}(?:\.\d+)?))?\s*(?:years?(?: old)?|yrs?|y|岁)?")
_DECADE = re.compile(r"(\d)0\s*['’]?s")
_NOTHING = frozenset({"", "-", "nan", "none", "null", "n/a", "na", "unknown", "?"})


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Clips of a labelled corpus.

    Args:
        pairs: clips with descriptions.
        left_out: file of every row that was left out, and why.
        rows: number of rows of the split.
    """

    pairs: tuple[StylePair, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0


def read_labelled(folder: Path, *, languages: tuple[Language, ...], split: str = "") -> LabelledPairs:
    """Describe the recordings of a folder by what its ``labels.csv`` says.

    Descriptions are in the language that is spoken, or in each that is asked for where people speak another.

    Args:
        split: split of the rows; empty for all.

    Raises:
        UsageError: if there is no table.
        RecordError: if the table lacks a column.
    """
    pairs: list[StylePair] = []
    left_out: dict[str, str] = {}
    rows = [row for row in read_labels(folder) if not split or row.split == split]
    for place, row in enumerate(rows):
        name = row.path.relative_to(folder).as_posix()
        style, why = labelled_style(row)
        wanted = _languages(row, languages)
        if not why and not wanted:
            why = message("style.label-language", language=row.language)
        if why:
            left_out[name] = why
            continue
        for language in wanted:
            text = describe(style, language=language, seed=place)
            ids = {"speaker": row.speaker, "clip": row.path.stem}
            audio = AudioRef(str(row.path.absolute()))
            pairs.append(StylePair(f"{row.path.stem}-{language}", audio, text, language, row.text, ids=ids))
    return LabelledPairs(tuple(pairs), left_out, len(rows))


def labelled_style(row: LabelledClip) -> tuple[Style, str]:
    """Return the style that the labels of a row state, or else why there is none.

    >>> from aptone.ear.labelled_clips import LabelledClip
    >>> row = LabelledClip(Path("a.wav"), "s", "female", "27", "pl", "neutral", "normal", "", "train")
    >>> str(labelled_style(row)[0].age), labelled_style(row)[0].intensity
    ('young adult', None)
    """
    values = {name: given for name in LABELS if (given := str(getattr(row, name)).strip()).casefold() not in _NOTHING}
    if "age" in values:
        values["age"] = age_band(values["age"])
    for name, given in values.items():
        try:
            if name == "intensity":
                Intensity.parse(given)
            else:
                style_from({name: given})
        except RecordError:
            return Style(), message("style.label-unknown", column=name, value=repr(given))
    if "emotion" not in values or Emotion.parse(values["emotion"]) is Emotion.NEUTRAL:
        values.pop("intensity", None)  # there is no feeling that it could grade
    style = style_from(values)
    return style, "" if style != Style() else message("style.label-none")


def age_band(age: str) -> str:
    """Return the name of the band of an age in years, in a decade or between two ages; other words stay as they are.

    >>> age_band("27"), age_band("60s"), age_band("8-10 years"), age_band("senior")
    ('young adult', 'elderly', 'child', 'senior')
    """
    if decade := _DECADE.fullmatch(age.strip()):
        years = 10.0 * int(decade[1]) + 5.0
    elif found := _YEARS.fullmatch(age.strip()):
        ends = [float(end) for end in found.groups() if end]
        years = sum(ends) / len(ends)
    else:
        return age
    return next((str(band) for limit, band in BANDS if years < limit), age)


def _languages(row: LabelledClip, languages: tuple[Language, ...]) -> tuple[Language, ...]:
    spoken = tuple(language for language in languages if language == row.language)
    return spoken or (languages if row.language not in ("en", "zh") else ())
