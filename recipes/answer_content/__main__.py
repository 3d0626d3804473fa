"""``python -m recipes.answer_content``: train the scorer of answers' words, or take in graded answers."""

import dataclasses
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.output import json_option, print_json, print_text
from aptone.types import Json

WEIGHTS = Path(__file__).parents[2] / "src" / "aptone" / "rooms" / "answer" / "weights"


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
    "--out", type=click.Path(path_type=Path, file_okay=False), default=WEIGHTS, help="Folder for content.npz."
)
@click.option("--epochs", type=click.IntRange(1), help="Passes over the training questions.")
@click.option("--seed", type=int, default=0, help="Random seed.")
@click.option("--threads", type=click.IntRange(1), default=1, help="Threads of torch.")
@click.option("--device", type=click.Choice(("cpu", "cuda")), default="cpu", help="Device to train on.")
@json_option
def train_scorer(out: Path, epochs: int | None, seed: int, threads: int, device: str, as_json: bool) -> None:
    """Train on the graded answers of the training questions, and write the shipped file.

    Held-out questions are never trained on; benchmarks/answer_content.py reports on them.
    """
    import torch

    from recipes.answer_content.data import read_answers, split_of
    from recipes.answer_content.export import write_scorer
    from recipes.answer_content.train import TrainingSettings, read_all, train

    torch.set_num_threads(threads)
    answers = read_answers()
    parts = split_of(answers)
    chosen = {part: [one for one in answers if parts[one.language, one.question] == part] for part in ("train", "dev")}
    settings = TrainingSettings(seed=seed)
    settings = dataclasses.replace(settings, epochs=epochs or settings.epochs)
    begun = time.monotonic()
    dev = read_all(chosen["dev"])
    scorer = train(chosen["train"], settings, dev=dev, device=device, log=partial(click.echo, err=True))
    about: dict[str, Json] = {
        "answers": dict(Counter(parts[one.language, one.question] for one in answers)),
        "questions": dict(Counter(parts.values())),
        "settings": dataclasses.asdict(settings),
    }
    log = partial(click.echo, err=True)
    path = write_scorer(scorer, out, train=chosen["train"], dev=chosen["dev"], about=about, seed=seed, log=log)
    found: dict[str, Json] = {
        "model": str(path),
        "bytes": path.stat().st_size,
        "seconds": round(time.monotonic() - begun),
        **about,
    }
    if as_json:
        print_json(found)
    else:
        print_text(f"Model: {path}, {path.stat().st_size / 1e6:.1f} MB, {found['seconds']} s")


if __name__ == "__main__":
    sys.exit(exit_code(answer_content, sys.argv[1:], name="python -m recipes.answer_content"))
