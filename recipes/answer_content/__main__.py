"""``python -m recipes.answer_content``: make the scorer of answers' words, or take in graded answers."""

import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.main import exit_code
from aptone.cli.output import json_option, print_json, print_text
from aptone.types import Json

if TYPE_CHECKING:
    from recipes.answer_content.network import Scorer

WEIGHTS = Path(__file__).parents[2] / "src" / "aptone" / "rooms" / "answer" / "weights"
AVERAGED = 2
"""Trainings at the end of a plan whose weights are averaged."""


@click.group("answer-content")
def answer_content() -> None:
    """Make the scorer that reads a question and an answer together."""


@answer_content.command("import")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True)
@json_option
def take_in(files: tuple[Path, ...], as_json: bool) -> None:
    """Take graded answers in: check every line, leave out what is broken or there twice, and say how much."""
    from recipes.answer_content.data import FOLDER, clean_lines

    told: dict[str, Json] = {}
    for path in files:
        kept, wrong = clean_lines(path.read_text(encoding="utf-8").splitlines())
        (FOLDER / path.name).write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        told[path.name] = {"kept": len(kept), "left_out": dict(wrong)}
        if not as_json:
            print_text(f"{path.name}: {len(kept)} kept, left out: {dict(wrong) or 'none'}")
    if as_json:
        print_json(told)


@answer_content.command("train")
@click.option(
    "--start",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    default=WEIGHTS / "content.npz",
    help="Scorer to go on from.",
)
@click.option(
    "--plan",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    default=Path(__file__).with_name("cpu_plan.json"),
    help="Settings of the trainings, one after the other.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=WEIGHTS, help="Folder for content.npz."
)
@json_option
def train_scorer(start: Path, plan: Path, out: Path, as_json: bool) -> None:
    """Train a scorer further on the graded answers, on a CPU, and write the shipped file.

    Arrays, training and export in one command, without the texts of dialogues. Every training goes on from the one
    before; the mean of the last two ships. Held-out questions are never trained on.
    """
    import json

    from recipes.answer_content.arrays import answer_arrays, embedding_arrays
    from recipes.answer_content.data import read_answers
    from recipes.answer_content.network import Embeddings
    from recipes.answer_content.shipped import shipped_scorer
    from recipes.answer_content.train import AnswerSettings, mean_of, train_on_answers

    log = partial(click.echo, err=True)
    arrays = embedding_arrays() | answer_arrays(read_answers())
    made = [shipped_scorer(start)]
    for number, settings in enumerate(json.loads(plan.read_text(encoding="utf-8")), start=1):
        log(f"training {number}: {settings}")
        made.append(
            train_on_answers(made[-1], Embeddings(arrays), arrays, AnswerSettings(**settings), device="cpu", log=log)
        )
    _export(mean_of(made[1:][-AVERAGED:]), out, as_json=as_json)


@answer_content.command("prepare")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False, exists=True), help="Texts.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File for the arrays.")
def prepare_arrays(data: Path | None, out: Path) -> None:
    """Write all that training needs as one file of arrays; without texts, to go on from the shipped scorer."""
    import numpy as np

    from recipes.answer_content.arrays import prepare, shipped_arrays

    arrays = prepare(data) if data is not None else shipped_arrays(WEIGHTS / "content.npz")
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]
    print_text(f"Arrays: {out}, {out.stat().st_size / 2**20:.0f} MiB")


@answer_content.command("export")
@click.argument("weights", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=WEIGHTS, help="Folder for content.npz."
)
@json_option
def export_scorer(weights: Path, out: Path, as_json: bool) -> None:
    """Fit the readings beside the trained scorer, and write the shipped file.

    Held-out questions are never trained on; benchmarks/answer_content.py reports on them.
    """
    from recipes.answer_content.export import load_scorer

    _export(load_scorer(weights), out, as_json=as_json)


def _export(scorer: "Scorer", out: Path, *, as_json: bool) -> None:
    from recipes.answer_content.data import read_answers, split_of
    from recipes.answer_content.export import write_scorer

    answers = read_answers()
    parts = split_of(answers)
    chosen = {part: [one for one in answers if parts[one.language, one.question] == part] for part in ("train", "dev")}
    about: dict[str, Json] = {
        "answers": dict(Counter(parts[one.language, one.question] for one in answers)),
        "questions": dict(Counter(parts.values())),
    }
    log = partial(click.echo, err=True)
    path = write_scorer(scorer, out, train=chosen["train"], dev=chosen["dev"], about=about, log=log)
    found: dict[str, Json] = {"model": str(path), "bytes": path.stat().st_size, **about}
    if as_json:
        print_json(found)
    else:
        print_text(f"Model: {path}, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    sys.exit(exit_code(answer_content, sys.argv[1:], name="python -m recipes.answer_content"))
