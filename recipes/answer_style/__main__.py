"""``python -m recipes.answer_style``: fit the style model of the built-in answer judge."""

import sys
from functools import partial
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.output import json_option, print_json, print_text


@click.command("answer-style")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    required=True,
    help="Folder with styletalk.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the file style.npz."
)
@json_option
def answer_style(data: Path, out: Path, as_json: bool) -> None:
    """Fit the style model of the built-in judge of answers to recorded dialogues (StyleTalk).

    It scores how well feeling, pace and loudness of an answer fit the style of a question. Fitted to the training part,
    in about a minute; the same turns give the same file.
    """
    from recipes.answer_style.fit import fit_style_model, read_styletalk, write_style_model

    made = fit_style_model(read_styletalk(data, part="train"), log=partial(click.echo, err=True))
    path = write_style_model(made, out)
    if as_json:
        print_json(
            {
                "model": str(path),
                "revision": made.model.revision,
                "penalties": dict(made.penalties),
                "taken_back": dict(made.taken_back),
                "preferred_to_another_drawn_uniformly": dict(made.uniform),
                "preferred_to_another_drawn_by_frequency": dict(made.frequent),
            }
        )
        return
    for name, value in made.uniform.items():
        print_text(
            f"Held-out dialogues, {name.replace('_', ' ')}: the recorded style is preferred to another one "
            f"in {value:.1%} (sampled uniformly) and {made.frequent[name]:.1%} (by frequency)."
        )
    print_text(f"Model: {path}")


if __name__ == "__main__":
    sys.exit(exit_code(answer_style, sys.argv[1:], name="python -m recipes.answer_style"))
