"""Options that choose what judges answers, for every verb that does."""

from dataclasses import dataclass

import click

from aptone.cli.gathering import gather_options
from aptone.cli.names import names_of
from aptone.cli.settings import setting
from aptone.rooms.answer.judges import ENGINES, WIDTHS
from aptone.rooms.answer.parts import LISTENERS
from aptone.types import Json


@dataclass(frozen=True, slots=True)
class Hearing:
    """What says how answers sound and what is said in them, and the options of all parts.

    Args:
        listener: its name.
        transcriber: its name; ``None`` for the one that needs no server.
        transcribe_questions: whether the words of questions are taken from their recordings.
        swap: whether answers are judged as if asked in the other way of their pair as well.
        settings: options of the parts, as they were typed.
    """

    listener: str
    transcriber: str | None
    transcribe_questions: bool
    swap: bool
    settings: tuple[str, ...]

    @property
    def options(self) -> dict[str, Json]:
        """The options of the parts, by name."""
        return dict(map(setting, self.settings))

    def width(self, engine: str) -> int:
        """How many answers are worked on at once unless told otherwise."""
        return min(width for name, width in WIDTHS.items() if name in (engine, self.listener))


_OPTIONS = (
    click.option(
        "--listener",
        type=click.Choice(LISTENERS),
        default="built-in",
        show_default=True,
        help="What says how an answer sounds: the built-in ear, or a model that hears and chats.",
    ),
    click.option(
        "--transcriber",
        shell_complete=names_of("transcribers"),
        help="What writes down the answers; by default the one that comes with aptone[speech].",
    ),
    click.option(
        "--transcribe-questions",
        is_flag=True,
        help="Take the words of questions from their recordings, as the paper does, not from the benchmark.",
    ),
    click.option(
        "--swap/--no-swap",
        default=True,
        show_default=True,
        help="Judge every answer of a contrast pair as if it had been asked the other way, too: the pair measure "
        "needs it.",
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="PART.OPTION=VALUE",
        help="An option of the judge, the listener or the transcriber; the value is JSON or text. May be given "
        "several times.",
    ),
)

hearing_options = gather_options(Hearing, argument="hearing", options=_OPTIONS)
"""Adds the options of `Hearing` to a verb, which receives them as its argument ``hearing``."""

engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="built-in",
    show_default=True,
    help="What judges; see aptone doctor.",
)
