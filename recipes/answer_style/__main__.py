"""``python -m recipes.answer_style``."""

import sys
from pathlib import Path

import click

from aptone.cli.main import exit_code
from aptone.cli.options.language import lang_option
from aptone.cli.output import json_option, print_json, print_text
from aptone.cli.train.log import log_to_people
from aptone.cli.train.stage import training_parts
from aptone.messages import words
from aptone.types import Language


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
@lang_option("Of what is printed", default="en")
@json_option
def answer_style(data: Path, out: Path, lang: Language, as_json: bool) -> None:
    """The style model of the built-in judge of answers, from recorded dialogues (StyleTalk).

    It says how well feeling, pace and loudness of an answer fit how a question was asked. Fitted to the training part,
    in about a minute; the same turns give the same file.
    """
    with training_parts():
        from recipes.answer_style.fit import fit_style_model, read_styletalk, write_style_model

    made = fit_style_model(read_styletalk(data, part="train"), log=log_to_people(lang))
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
    word = words(lang, "cli.training")
    for name, value in made.uniform.items():
        print_text(word(f"style_{name}", uniform=value, frequent=made.frequent[name]))
    print_text(word("model", path=path))


if __name__ == "__main__":
    sys.exit(exit_code(answer_style, sys.argv[1:], name="python -m recipes.answer_style"))
