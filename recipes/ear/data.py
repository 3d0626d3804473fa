"""Training data of the ear: labelled folders of clips, and the index of them in a pack.

A data folder holds a folder for each set, and in it clips and a `labels.csv` with the columns file, speaker, sex, age,
language, emotion, intensity, text, split. A pack is made from it once by `python -m recipes.ear prepare`: `index.jsonl`
(labels and speech segments), `rooms.npz` and `music/`. Its `pack.json` names the data folder; without that file the
clips lie in the pack itself.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import RecordError, UsageError

SPEECH_SETS = ("ravdess", "nemo", "emodb", "csemotions")
PERMISSIVE_SETS = ("emodb", "csemotions")
SOUND_SET = "esc50"
INTENSITY_SET = "ravdess"
"""The only set with labels of intensity."""
EVERYONE = ("train", "dev", "test")
"""All parts of a set."""
FOLDS = {
    "csemotions": (
        ("csemotions001", "csemotions002"),
        ("csemotions003", "csemotions004"),
        ("csemotions005", "csemotions006"),
    ),
    "emodb": (
        ("emodb03", "emodb08"),
        ("emodb09", "emodb10"),
        ("emodb11", "emodb13"),
        ("emodb12", "emodb14"),
        ("emodb15", "emodb16"),
    ),
}
"""Speakers that are held out together; in EmoDB a man and a woman each time."""
JUDGE_FOLDS = tuple(
    (*(f"ravdess{5 * fold + actor:02d}" for actor in range(1, 6)), f"csemotions{fold + 1:03d}") for fold in range(4)
)
"""All English and Mandarin training speakers, in four folds."""
STYLE_FOLDS = tuple(
    (*train, *others)
    for train, others in zip(
        JUDGE_FOLDS,
        (
            ("nemoEB0", "nemoKS0", "emodb03", "emodb08"),
            ("nemoIC0", "nemoTP0", "emodb11", "emodb09"),
            ("nemoMP0", "nemoWR0", "emodb13", "emodb12"),
            ("nemoMK0", "emodb10", "emodb14"),
        ),
        strict=True,
    )
)
"""All training speakers, in four folds."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One labelled clip; unknown labels are empty."""

    path: Path
    set: str
    speaker: str
    sex: str
    language: str
    label: str
    intensity: str
    split: str
    speech: tuple[tuple[float, float], ...]

    @property
    def name(self) -> str:
        """Set and file, which together are unique."""
        return f"{self.set}/{self.path.name}"


def read_pack(pack: Path) -> list[Clip]:
    """Return the clips of a pack, in the order of its index.

    Raises:
        UsageError: if there is no index.
        RecordError: if the index or `pack.json` cannot be used.
    """
    index = pack / "index.jsonl"
    if not index.is_file():
        raise UsageError(f"{index}: no such file; make the pack with `python -m recipes.ear prepare`.")
    return read_index(_data_of(pack), index)


def _data_of(pack: Path) -> Path:
    kept = pack / "pack.json"
    if not kept.is_file():
        return pack
    try:
        return Path(json.loads(kept.read_text(encoding="utf-8"))["data"])
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{kept}: names no data folder ({error}); prepare the pack again.") from error


def read_index(data: Path, index: Path) -> list[Clip]:
    """Return the clips of an index, with files under ``data/<set>/``.

    Raises:
        RecordError: if a line lacks a field.
    """
    with index.open(encoding="utf-8") as lines:
        return [_clip(data, line, f"{index}, line {number}") for number, line in enumerate(lines, start=1)]


def _clip(data: Path, line: str, place: str) -> Clip:
    try:
        row = json.loads(line)
        return Clip(
            path=data / row["set"] / row["file"],
            set=row["set"],
            speaker=row["speaker"],
            sex=row["sex"],
            language=row["language"],
            label=row["emotion"],
            intensity=row["intensity"],
            split=row["split"],
            speech=tuple((float(start), float(end)) for start, end in row["speech"]),
        )
    except KeyError as error:
        raise RecordError(f"{place}: {error} is missing; prepare the pack again.") from error
    except (ValueError, TypeError) as error:
        raise RecordError(f"{place}: cannot be read ({error}); prepare the pack again.") from error
