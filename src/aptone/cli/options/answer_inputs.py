"""What the verbs over answers work on: questions, who answers them, what people gave, what is expected."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from aptone.cli.options.group import gather_options
from aptone.cli.options.language import lang_option
from aptone.cli.options.system import named_systems, system_option, timeout_option
from aptone.errors import UsageError
from aptone.ratings.storage import read_ratings
from aptone.rooms.answer.bench.real import with_releases
from aptone.rooms.answer.data import AnswerSample, read_manifest
from aptone.rooms.answer.records import HIGHEST, LOWEST, Source
from aptone.rooms.answer.step import assign_systems
from aptone.run.system import System
from aptone.types import Language


@dataclass(frozen=True, slots=True)
class Inputs:
    """Who answers, and what their answers are compared with.

    Args:
        systems: under test, as they were typed.
        timeout: seconds for an answer.
        ratings: file with what people gave.
        expected: known averages, as they were typed.
        blind: name of the system that ignores how it is asked.
        iemocap: folder of the official release, for the recordings of its lines.
        meld: the same of the other corpus.
        language: that is spoken.
        lang: of tables and report.
    """

    systems: tuple[str, ...]
    timeout: float
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
        return named_systems(self.systems, self.timeout)

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

    def samples(self, source: Path, systems: Mapping[str, System]) -> list[AnswerSample]:
        """What is to be judged: recorded answers, and every question once for each system.

        Raises:
            RecordError: if manifest or ratings cannot be understood, or a release lacks a recording.
            UsageError: if there is nothing to judge, or ratings and expectations are of answers that are not there.
        """
        read = with_releases(read_manifest(source), self.releases)
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
    return [_with_ratings(one, given.get(one.id, {})) for one in samples]


def _with_ratings(sample: AnswerSample, given: Mapping[str, float]) -> AnswerSample:
    if not given:
        return sample
    return replace(sample, ratings=given, human_score=math.fsum(given.values()) / len(given))


_OPTIONS = (
    system_option("the questions"),
    timeout_option,
    click.option(
        "--ratings",
        type=click.Path(path_type=Path),
        help="What people gave the answers, 1 to 5 (.csv or .jsonl with answer, rating and rater).",
    ),
    click.option(
        "--expect",
        "expected",
        multiple=True,
        metavar="SYSTEM=VALUE",
        help="The average that a system is known to have: is it reproduced? May be given several times.",
    ),
    click.option(
        "--blind", metavar="SYSTEM", help="Name of a system that ignores how it is asked, which the others must beat."
    ),
    click.option(
        "--iemocap",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        help="Official release, where a benchmark has lines of it: their recordings are found by id.",
    ),
    click.option("--meld", type=click.Path(path_type=Path, file_okay=False, exists=True), help="The same of MELD."),
    click.option(
        "--language", type=click.Choice(["en", "zh"]), help="Spoken; by default what the manifest says, or en."
    ),
    lang_option("Of tables, reasons and report", otherwise="the spoken one"),
)

input_options = gather_options(Inputs, argument="inputs", options=_OPTIONS)
"""Adds the options of `Inputs` to a verb, which receives them as its argument ``inputs``."""
