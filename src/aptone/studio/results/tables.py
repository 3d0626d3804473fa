"""Results of a listening test as rows for files: systems, differences, and single numbers."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from aptone.studio.results.methods import methods_paragraph
from aptone.studio.results.observations import read_test
from aptone.studio.results.report import TestReport
from aptone.types import Estimate, Json, Rating, RatingTask, to_json

Part = Literal["systems", "pairs", "ratings"]
PARTS: tuple[Part, ...] = ("systems", "pairs", "ratings")


def result_rows(
    report: TestReport, part: Part, *, task: RatingTask, ratings: Iterable[Rating]
) -> list[dict[str, Json]]:
    """Rows of one part: systems as in the leaderboard, pairs of them, or every number by rater, text and system."""
    if part == "systems":
        return [
            {
                "system": one.system,
                "role": one.role,
                **_columns("mean", one.mean),
                **_columns("median", one.median),
                "quartile_1": one.quartiles[0],
                "quartile_3": one.quartiles[1],
                **_columns("plain_mean", one.plain),
                "strength": one.strength,
                "ratings": one.ratings,
                "better_than": "; ".join(one.better_than),
            }
            for one in report.systems
        ]
    if part == "pairs":
        compared: list[dict[str, Json]] = [
            {
                "first": one.first,
                "second": one.second,
                **_columns("difference", one.difference),
                "p": one.p_value,
                "p_holm": one.adjusted,
                "significant": one.significant,
            }
            for one in report.pairs
        ]
        trials: list[dict[str, Json]] = [
            {
                "first": one.first,
                "second": one.second,
                "hits": one.hits,
                "trials": one.trials,
                **_columns("share", one.share),
                "p": one.p_value,
                "p_holm": one.adjusted,
                "significant": one.significant,
            }
            for one in report.abx
        ]
        return compared + trials
    return _numbers(report, task, ratings)


def _numbers(report: TestReport, task: RatingTask, ratings: Iterable[Rating]) -> list[dict[str, Json]]:
    data = read_test(task, ratings)
    if data is None:
        return []
    single: list[dict[str, Json]] = [
        {"rater": one.rater, "item": one.item, "system": one.system, "value": one.value} for one in data.observations
    ]
    compared: list[dict[str, Json]] = [
        {
            "rater": one.rater,
            "item": one.item,
            "first": one.first,
            "second": one.second,
            "shown_first": one.shown_first,
            "value": one.value,
        }
        for one in data.comparisons
    ]
    return [{**row, "set_aside": report.set_aside.get(str(row["rater"]), "")} for row in single + compared]


def _columns(name: str, one: Estimate) -> dict[str, Json]:
    return {name: one.value, f"{name}_low": one.low, f"{name}_high": one.high}


def csv_text(rows: Sequence[Mapping[str, Json]]) -> str:
    """Write rows as CSV; an empty field for what is undefined, and a space before what a spreadsheet would compute."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_cell(row.get(name)) for name in columns] for row in rows])
    return out.getvalue()


def _cell(value: Json) -> Json:
    if value is None or value != value:
        return ""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f" {value}"
    return value


def result_json(report: TestReport) -> dict[str, Json]:
    """Whole report with the methods paragraph, for machines; undefined numbers are ``null``."""
    found = to_json(report)
    assert isinstance(found, dict)
    return {**found, "methods": {**methods_paragraph(report)}}
