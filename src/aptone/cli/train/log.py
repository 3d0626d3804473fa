"""Lines of a training for whoever waits for it, in English or Mandarin."""

from collections.abc import Callable

import click

from aptone.messages import translate
from aptone.types import Language


def log_to_people(language: Language) -> Callable[[str], None]:
    """Return what a training may call with its lines: they go to the terminal, beside what the verb prints at its end.

    Trainings log messages; a language changes what is shown, not what a model's card keeps.
    """
    return lambda line: click.echo(translate(line, language), err=True)
