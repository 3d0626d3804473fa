"""Options that choose what judges captions, for every verb that does."""

from dataclasses import dataclass

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.values import choice_option, setting, settings_option
from aptone.rooms.caption.parts import ENGINES, WIDTHS, make_step
from aptone.rooms.caption.step import CaptionStep
from aptone.types import Json, Language


@dataclass(frozen=True, slots=True)
class Judging:
    """Decomposer, verifier and matcher of captions, with their settings as they were typed."""

    engine: str
    decomposer: str | None
    verifier: str | None
    matcher: str | None
    show_reference: bool
    settings: tuple[str, ...]

    @property
    def options(self) -> dict[str, Json]:
        """The options of the models, by name."""
        return dict(map(setting, self.settings))

    @property
    def width(self) -> int:
        """Return the default number of concurrent captions."""
        used = (self.decomposer or self.engine, self.verifier or self.engine, self.matcher or self.engine)
        return min(width for name, width in WIDTHS.items() if name in used)

    def step(self, *, main: str, language: Language | None) -> CaptionStep:
        """The parts, ready to work."""
        return make_step(
            self.engine,
            decomposer=self.decomposer,
            verifier=self.verifier,
            matcher=self.matcher,
            settings=self.options,
            show_reference=self.show_reference,
            main=main,
            language=language,
        )


_OPTIONS = (
    choice_option(
        "--engine", "engine", ENGINES, "Engine that decomposes, verifies and matches captions; see aptone doctor."
    ),
    *(
        click.option(f"--{part}", type=click.Choice(ENGINES), help=f"Another engine's {part}.")
        for part in ("decomposer", "verifier", "matcher")
    ),
    click.option(
        "--show-reference",
        is_flag=True,
        help="Let a model that verifies read the reference caption, as the paper does.",
    ),
    settings_option("the reader (takes apart and matches) or the verifier"),
)

judging_options = gather_options(Judging, argument="judging", options=_OPTIONS)
"""Adds the options of `Judging` to a verb, which receives them as its argument ``judging``."""
