"""What the rows of an ablation say, on the disk."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from aptone.files import make_folder, write_whole
from aptone.messages import message
from aptone.train.ablation.results import EXPECTED, Floats, RowResult, lcc, write_result
from aptone.train.judge.evaluate import Verdict

SHOWN = 6
"""Replies that are kept for people to read."""


def result_file(folder: Path, row: int, part: str, control: str = "") -> Path:
    """Where the result of a row lies."""
    return folder / f"row-{row:02d}-{part}{f'-{control}' if control else ''}.json"


def write_verdicts(
    out: Path, said: Sequence[Verdict], *, row: int, control: str, truth: Floats, groups: tuple[str, ...]
) -> str:
    """Write what a row said, also as it expected it, and some replies; the file of the result itself comes last.

    Returns:
        A line about it.
    """
    result = RowResult(row, control, truth, np.array([one.value for one in said]), groups)
    weighed = RowResult(row, f"{control} {EXPECTED}".strip(), truth, np.array([one.expected for one in said]), groups)
    make_folder(out.parent)
    write_whole(out.with_suffix(".txt"), "\n\n".join(one.reply for one in said[:SHOWN]) + "\n")
    write_result(out.with_name(f"{out.stem}-{EXPECTED}.json"), weighed)
    write_result(out, result)
    return message(
        "train.lcc-expected-unreadable",
        name=out.stem,
        lcc=lcc(result.given, truth),
        expected=lcc(weighed.given, truth),
        count=result.unreadable,
        all=len(truth),
    )
