"""Options of the verbs over answers: judge, listener and transcriber, systems under test, human ratings."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import (
    Running,
    named_systems,
    system_env_option,
    system_memory_option,
    system_option,
    timeout_option,
)
from aptone.cli.options.source import SourceChoice, say_reading
from aptone.cli.options.values import (
    EXISTING_FOLDER,
    LANGUAGES,
    PATH,
    choice_option,
    setting,
    settings_option,
    several_option,
    shown_option,
)
from aptone.errors import UsageError
from aptone.ratings.storage import read_ratings
from aptone.rooms.answer.bench.real import with_releases
from aptone.rooms.answer.data import HIGHEST, LOWEST, AnswerSample, Source, read_answers, read_manifest
from aptone.rooms.answer.parts import ENGINES, LISTENERS, WIDTHS, make_step
from aptone.rooms.answer.step import AnswerStep, assign_systems
from aptone.run import RunConfig
from aptone.run.system import System
from aptone.types import Json, Language


@dataclass(frozen=True, slots=True)
class Inputs:
    """Systems under test, and what their answers are compared with.

    Args:
        timeout: seconds for an answer.
        system_env: names of the environment variables that commands get.
        system_memory: GB that a command may take.
        expected: known averages, as they were typed.
        blind: name of the system that ignores how it is asked.
        iemocap: folder of the official release, for the recordings of its lines; `meld` likewise.
        language: spoken language; `lang` is that of tables and report.
    """

    systems: tuple[str, ...]
    timeout: float
    system_env: tuple[str, ...]
    system_memory: float | None
    ratings: Path | None
    expected: tuple[str, ...]
    blind: str | None
    iemocap: Path | None
    meld: Path | None
    language: Language | None
    lang: Language | None

    @property
    def given(self) -> dict[str, object]:
        """The options that belong to a manifest, and their values."""
        return {
            "--system": self.systems,
            "--ratings": self.ratings,
            "--expect": self.expected,
            "--blind": self.blind,
            "--iemocap": self.iemocap,
            "--meld": self.meld,
        }

    @property
    def releases(self) -> dict[Source, Path]:
        """Folders of the corpora of real speech that were named."""
        named = {Source.IEMOCAP: self.iemocap, Source.MELD: self.meld}
        return {source: folder for source, folder in named.items() if folder is not None}

    def under_test(self) -> dict[str, System]:
        """The systems, by their names.

        Raises:
            UsageError: if one cannot be used.
        """
        return named_systems(self.systems, self.timeout, environment=self.system_env, memory=self.system_memory)

    def averages(self) -> dict[str, float]:
        """The averages that systems are known to have.

        Raises:
            UsageError: if one is no average.
        """
        found = {}
        for text in self.expected:
            name, equals, value = text.rpartition("=")
            try:
                found[name] = float(value)
            except ValueError:
                found[name] = math.nan
            if not equals or not name or not LOWEST <= found[name] <= HIGHEST:
                known = f"{LOWEST:g} to {HIGHEST:g}"
                raise UsageError(f"--expect {text}: expected SYSTEM=VALUE with an average from {known}.")
        return found

    def samples(
        self, source: Path, systems: Mapping[str, System], listed: SourceChoice | None = None
    ) -> list[AnswerSample]:
        """Return the samples to judge: recorded answers, and every question once for each system.

        Args:
            listed: what the user says of the source, where it may be of any kind; ``None`` for a manifest.

        Raises:
            RecordError: if manifest or ratings cannot be understood, or a release lacks a recording.
            UsageError: if there is nothing to judge, or ratings and expectations are of answers that are not there.
        """
        if listed is None:
            read = with_releases(read_manifest(source), self.releases)
        else:
            answers, reading = read_answers(source, listed.options())
            say_reading(reading)
            read = with_releases(answers, self.releases)
        if not systems and not any(sample.answer is not None for sample in read):
            raise UsageError(f"{source}: there are questions, but no answers. Name what answers them with --system.")
        if self.language is not None:
            spoken = self.language
            read = [replace(one, prompt=replace(one.prompt, language=spoken)) for one in read]
        samples = assign_systems(read, list(systems))
        known = list(dict.fromkeys(sample.ids["system"] for sample in samples))
        for name in [*self.averages(), *([self.blind] if self.blind else [])]:
            if name not in known:
                raise UsageError(f"there is no system {name!r}; there are {', '.join(known)}.")
        return samples if self.ratings is None else _rated(samples, self.ratings)


def _rated(samples: Sequence[AnswerSample], path: Path) -> list[AnswerSample]:
    given = read_ratings(path, item="answer")
    if unknown := sorted(set(given) - {one.id for one in samples}):
        raise UsageError(
            f"{path}: there is no answer {unknown[0]!r}; ratings go by the ids of the answers, such as "
            f"{samples[0].id!r}."
        )
    for name, by_rater in given.items():
        if off := [value for value in by_rater.values() if not LOWEST <= value <= HIGHEST]:
            raise UsageError(f"{path}: {name!r} got {off[0]:g}; people rate from {LOWEST:g} to {HIGHEST:g}.")
    means = {name: math.fsum(by_rater.values()) / len(by_rater) for name, by_rater in given.items() if by_rater}
    return [
        replace(one, ratings=given[one.id], human_score=means[one.id]) if one.id in means else one for one in samples
    ]


_INPUT_OPTIONS = (
    system_option("the questions"),
    timeout_option,
    system_env_option,
    system_memory_option,
    click.option(
        "--ratings",
        type=PATH,
        help="Human ratings of the answers, 1 to 5 (.csv or .jsonl with answer, rating and rater).",
    ),
    several_option(
        "--expect",
        "expected",
        metavar="SYSTEM=VALUE",
        help="The average that a system is known to have: is it reproduced?",
    ),
    click.option(
        "--blind", metavar="SYSTEM", help="Name of a system that ignores how it is asked, which the others must beat."
    ),
    click.option(
        "--iemocap",
        type=EXISTING_FOLDER,
        help="Official release of IEMOCAP, where a benchmark has lines of it: their recordings are found by id.",
    ),
    click.option("--meld", type=EXISTING_FOLDER, help="Official release of MELD, likewise."),
    click.option("--language", type=LANGUAGES, help="Spoken language; by default what the manifest says, or en."),
    lang_option("Language of tables, reasons and report", otherwise="the spoken one"),
)

input_options = gather_options(Inputs, argument="inputs", options=_INPUT_OPTIONS)
"""Adds the options of `Inputs` to a verb, which receives them as its argument ``inputs``."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """Listener and transcriber of answers, with the options of all parts.

    Args:
        transcriber: name of the transcriber; ``None`` for the one that needs no server.
        transcribe_questions: whether the words of questions are taken from their recordings.
        swap: whether answers are judged as if asked in the other way of their pair as well.
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
        """Return the default number of concurrent answers: servers take many, a local model one."""
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
        consent = running.consent(about, clips=clips, folder=folder)
        settings = {**step.settings(), **self.options}
        return running.config(verb, engine, settings, about, inputs=[source], consent=consent)


_OPTIONS = (
    choice_option(
        "--listener",
        "listener",
        LISTENERS,
        "Listener that describes how an answer sounds: the built-in ear, or an audio chat model.",
    ),
    click.option(
        "--transcriber",
        shell_complete=names_of("transcribers"),
        help="Transcriber of the answers; by default the one that comes with aptone[speech].",
    ),
    click.option(
        "--transcribe-questions",
        is_flag=True,
        help="Take the words of questions from their recordings, as the paper does, not from the benchmark.",
    ),
    shown_option(
        "--swap/--no-swap",
        default=True,
        help="Judge every answer of a contrast pair as if it had been asked the other way, too: the pair measure "
        "needs it.",
    ),
    settings_option("the judge, the listener or the transcriber"),
)

hearing_options = gather_options(Hearing, argument="hearing", options=_OPTIONS)
"""Adds the options of `Hearing` to a verb, which receives them as its argument ``hearing``."""

engine_option = choice_option("--engine", "engine", ENGINES, "Judge engine; see aptone doctor.")
