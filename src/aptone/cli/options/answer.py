"""Options that choose what judges answers, for every verb that does."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.options.engine import setting
from aptone.cli.options.group import gather_options
from aptone.cli.options.language import names_of
from aptone.cli.options.run import Running, ask_consent
from aptone.rooms.answer.data import AnswerSample
from aptone.rooms.answer.parts import ENGINES, LISTENERS, WIDTHS, make_step
from aptone.rooms.answer.step import AnswerStep
from aptone.run import RunConfig, surroundings
from aptone.run.system import System
from aptone.types import Json, Language


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
        """How many answers are worked on at once unless told otherwise: servers take many, a model here one."""
        used = {engine, self.listener}
        return 1 if "local" in used else max(width for name, width in WIDTHS.items() if name in used)

    def step(
        self,
        engine: str,
        samples: Sequence[AnswerSample],
        *,
        language: Language,
        judge: Mapping[str, Json] | None = None,
        systems: Mapping[str, System] | None = None,
        answers: Path | None = None,
        hears_questions: bool = False,
    ) -> AnswerStep:
        """The parts, ready to work on some samples.

        Args:
            engine: what judges.
            samples: what is to be judged.
            language: of the rationales.
            judge: further options of the judge.
            systems: that answer.
            answers: folder in which their answers are kept.
            hears_questions: whether questions have to be transcribed, asked for or not.

        Raises:
            MissingExtraError: if a part cannot run here.
            UsageError: if there is no such part or option.
        """
        hears = hears_questions or self.transcribe_questions
        return make_step(
            engine,
            listener=self.listener,
            transcriber=self.transcriber,
            settings={**self.options, **(judge or {})},
            needs_words=hears or any(not sample.answer_text for sample in samples),
            spoken=samples[0].prompt.language,
            systems=systems,
            answers=answers,
            transcribe_questions=hears,
            swap=self.swap,
            language=language,
        )

    def config(
        self, verb: str, engine: str, step: AnswerStep, running: Running, *, source: Path, folder: Path, clips: int
    ) -> RunConfig:
        """The configuration of a run, once the user has agreed to where recordings go."""
        about = step.about
        return RunConfig(
            verb=verb,
            engine=engine,
            settings={**step.settings(), **self.options},
            seed=running.seed,
            version=version("aptone"),
            inputs=(str(source),),
            command=tuple(sys.argv[1:]),
            surroundings=surroundings(),
            consent=ask_consent(about.sends_audio_to, clips=clips, folder=folder, agreed=running.yes),
            notes=about.notes,
            licence=about.licence,
        )


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
