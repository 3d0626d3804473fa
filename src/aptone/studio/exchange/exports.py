"""Export of ratings: JSON lines, CSV, Parquet, and a dataset for Hugging Face's tools; people by pseudonym only.

``rows="ratings"`` is one row a rating: in JSON lines `aptone.types.Rating` records, which the rooms take with
``--ratings``. ``rows="items"`` is one row an item with what its raters say together; see `export_rows`.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from aptone.audio import encode_lossless, read_ref
from aptone.errors import AudioError, UsageError
from aptone.files import make_folder, whole_file, write_whole
from aptone.messages import message
from aptone.ratings.tasks import dump_yaml
from aptone.run.tables import csv_cell, write_parquet
from aptone.studio.agreement.items import Adjudications, counted_ratings
from aptone.studio.exchange.data_card import Statements, data_card
from aptone.studio.exchange.pseudonyms import Screening, export_names, renamed, screenings
from aptone.studio.exchange.rows import (
    Columns,
    Kind,
    Row,
    Split,
    aggregates,
    annotation_kinds,
    hidden_names,
    item_layout,
    item_rows,
    rating_layout,
    rating_rows,
)
from aptone.studio.exchange.tools import WRITERS
from aptone.studio.project import Project
from aptone.types import AudioRef, Json, Rating, RatingItem, RatingTask, dumps
from aptone.types.codec import dumps_record

EXTRA = "studio"
"""Extra that brings the library of Parquet files."""
Rows = Literal["ratings", "items"]
WHOLE = "rated"
"""Name of the only split of a data set that is not split."""


def export_jsonl(
    task: RatingTask,
    ratings: Sequence[Rating],
    adjudications: Adjudications,
    path: Path,
    *,
    rows: Rows = "ratings",
    screened: Mapping[str, Screening] | None = None,
) -> None:
    """Write JSON lines: `Rating` records as they are, without what `screened` says, or one object an item.

    Raises:
        RecordError: if a rating is of another task's item, or somebody rated an item twice.
    """
    counted = counted_ratings(task, ratings)
    items = item_rows(task, aggregates(task, counted, adjudications)) if rows == "items" else ()
    lines = map(dumps_record, counted.ratings) if rows == "ratings" else map(dumps, items)
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def export_csv(
    task: RatingTask,
    ratings: Sequence[Rating],
    adjudications: Adjudications,
    path: Path,
    *,
    rows: Rows = "ratings",
    screened: Mapping[str, Screening] | None = None,
) -> None:
    """Write a CSV table for spreadsheets: lists and objects as JSON, missing values empty.

    Text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    columns, found = _table(task, ratings, adjudications, rows, screened)
    with whole_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([csv_cell(name) for name in columns])
        writer.writerows([csv_cell(row.get(name)) for name in columns] for row in found)


def export_parquet(
    task: RatingTask,
    ratings: Sequence[Rating],
    adjudications: Adjudications,
    path: Path,
    *,
    rows: Rows = "ratings",
    screened: Mapping[str, Screening] | None = None,
) -> None:
    """Write a Parquet file; clips of items by their paths."""
    columns, found = _table(task, ratings, adjudications, rows, screened)
    without: dict[str, Kind] = {name: "text" if kind == "audio" else kind for name, kind in columns.items()}
    write_parquet(path, found, without, ids=hidden_names(task), annotations=annotation_kinds(task), extra=EXTRA)


def export_dataset(
    task: RatingTask,
    ratings: Sequence[Rating],
    adjudications: Adjudications,
    path: Path,
    *,
    folder: Path,
    split: Split | None = None,
    licence: str = "",
    stated: Statements | None = None,
    screened: Mapping[str, Screening] | None = None,
) -> None:
    """Write a dataset for Hugging Face's tools: ``README.md``, ``data/*.parquet`` with the sounds inside.

    It has two configurations, ``items`` (the default) and ``ratings``. What people annotated in ``ceaeval-d`` is read
    from there by ``aptone bench ceaeval``.

    Args:
        split: train and test items; ``None`` for one part with everything.
        licence: licence identifier for the dataset card, as Hugging Face spells it.
        stated: what the people who ran the study state in the card.
        screened: what each person went through before rating, by name of the rater.

    Raises:
        RecordError: if a rating is of another task's item, or somebody rated an item twice.
        UsageError: if the folder holds something.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path}: is there already; name a new folder.")
    counted = counted_ratings(task, ratings)
    parts = {WHOLE: None} if split is None else {"train": frozenset(split.train), "test": frozenset(split.test)}
    make_folder(path / "data")
    named = {item.id: item for item in task.items}
    layout, columns = item_layout(task), {"items": item_layout(task).columns, "ratings": rating_layout(task).columns}
    whole = aggregates(task, counted, adjudications)
    options: dict[str, Any] = {"ids": hidden_names(task), "annotations": annotation_kinds(task)}
    for part, ids in parts.items():
        kept = [one for one in whole if ids is None or one.item.id in ids]
        rows = (_with_sounds(row, named[str(row["id"])], layout.clips, folder) for row in item_rows(task, kept))
        write_parquet(path / "data" / f"items-{part}.parquet", rows, columns["items"], extra=EXTRA, **options)
        given = (row for row in rating_rows(task, counted, screened) if ids is None or row["item"] in ids)
        write_parquet(path / "data" / f"ratings-{part}.parquet", given, columns["ratings"], extra=EXTRA, **options)
    header = _header(task, columns, list(parts), options, licence)
    write_whole(
        path / "README.md",
        f"---\n{dump_yaml(header)}---\n\n{data_card(task, counted, len(whole), split, stated or Statements(licence))}",
    )


EXPORTS: Mapping[str, Callable[..., None]] = {"jsonl": export_jsonl, "csv": export_csv, "parquet": export_parquet}
"""Format to what writes it; a data set (`export_dataset`) is a folder and needs to know where clips lie."""


def _table(
    task: RatingTask,
    ratings: Sequence[Rating],
    adjudications: Adjudications,
    rows: Rows,
    screened: Mapping[str, Screening] | None,
) -> tuple[Columns, Iterator[Row]]:
    counted = counted_ratings(task, ratings)
    if rows == "ratings":
        return rating_layout(task).columns, rating_rows(task, counted, screened)
    return item_layout(task).columns, item_rows(task, aggregates(task, counted, adjudications))


def _with_sounds(row: Row, item: RatingItem, clips: Mapping[str, str], folder: Path) -> dict[str, Any]:
    return {**row, **{column: _sound(item.audio.get(name), folder) for column, name in clips.items()}}


def _sound(audio: AudioRef | None, folder: Path) -> dict[str, Any] | None:
    if audio is None:
        return None
    path = folder / audio.path
    name = PurePosixPath(audio.path).name
    if audio.start == 0 and audio.end is None:
        try:
            return {"bytes": path.read_bytes(), "path": name}
        except OSError as error:
            raise AudioError(message("studio.cannot-read-clip-belongs-task", name=path, what=error.strerror)) from error
    data, suffix = encode_lossless(read_ref(AudioRef(str(path), audio.start, audio.end), rate=None, channel="mix"))
    return {"bytes": data, "path": f"{PurePosixPath(name).stem}-{audio.start:g}{suffix}"}


def _header(
    task: RatingTask, columns: Mapping[str, Columns], parts: Sequence[str], options: Mapping[str, Any], licence: str
) -> dict[str, Json]:
    configs: list[Json] = []
    features: list[Json] = []
    for name, kinds in columns.items():
        files: list[Json] = [{"split": part, "path": f"data/{name}-{part}.parquet"} for part in parts]
        configs.append({"config_name": name, "data_files": files, **({"default": True} if name == "items" else {})})
        described: list[Json] = [_feature(column, kind, options) for column, kind in kinds.items()]
        features.append({"config_name": name, "features": described})
    languages: list[Json] = [
        *sorted({str(item.hidden["language"]) for item in task.items if "language" in item.hidden})
    ]
    header: dict[str, Json] = {"pretty_name": task.title.get("en", task.name), "tags": ["speech", "human-ratings"]}
    if languages:
        header["language"] = languages
    if licence:
        header["license"] = licence
    return {**header, "configs": configs, "dataset_info": features}


def _feature(name: str, kind: Kind, options: Mapping[str, Any]) -> dict[str, Json]:
    """Describe a column for the dataset card."""
    if kind == "ids":
        return {"name": name, "struct": [_feature(one, "text", options) for one in options["ids"]]}
    if kind == "annotations":
        inside: list[Json] = [_feature(one, of, options) for one, of in options["annotations"].items()]
        return {"name": name, "list": inside}
    types = {"text": "string", "number": "float64", "whole": "int64", "truth": "bool", "audio": "audio"}
    if kind in types:
        return {"name": name, "dtype": types[kind]}
    return {"name": name, "sequence": "string" if kind == "texts" else "float64"}


DATASET = "dataset"
FORMATS = (*EXPORTS, DATASET, *WRITERS)
FOLDERS = (DATASET, *WRITERS)
"""Formats that are folders; the others are files."""


def export_to(
    project: Project,
    name: str,
    form: str,
    path: Path,
    *,
    rows: Rows = "ratings",
    split: Split | None = None,
    licence: str = "",
    stated: Statements | None = None,
    with_names: bool = False,
) -> Path:
    """Write the ratings of a task, people by the pseudonyms of exports, in one of `FORMATS`.

    A dataset is a folder for Hugging Face's tools, and has both kinds of rows.

    Args:
        stated: what the card of a dataset states; without a consent text of its own, that of the project is taken.
        with_names: whether people's names stand before their pseudonyms.
    """
    task = project.tasks.get(name).task
    names = export_names(project, with_names=with_names)
    ratings = renamed([row.rating for row in project.results.ratings(name)], names)
    settled = {item: one.answers for item, one in project.results.adjudications(name).items()}
    screened = screenings(project, name, names)
    if form == DATASET:
        stated = with_own_consent(project, stated or Statements(licence))
        export_dataset(
            task,
            ratings,
            settled,
            path,
            folder=project.folder,
            split=split,
            licence=licence,
            stated=stated,
            screened=screened,
        )
    elif form in WRITERS:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise UsageError(f"{path}: is there already; name a new folder.")
        make_folder(path)
        WRITERS[form](task, ratings, path, folder=project.folder)
    else:
        EXPORTS[form](task, ratings, settled, path, rows=rows, screened=screened)
    return path


def with_own_consent(project: Project, stated: Statements) -> Statements:
    """Return statements with the project's consent text, in all its languages, where they have none."""
    own = project.gates.consent("").text
    if stated.consent.strip() or own is None:
        return stated
    return replace(stated, consent="\n\n".join(own.words.values()), consent_version=own.version)
