"""``aptone build ceaeval-d``."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from aptone.cli.options.language import lang_option, names_of
from aptone.cli.options.run import Running, WithinLimits, running_options
from aptone.cli.options.values import (
    EXISTING,
    LANGUAGES,
    PartSettings,
    choice_option,
    ear_option,
    folder_option,
    number_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_text, stop_code
from aptone.ear.perceive import ear_name
from aptone.errors import UsageError
from aptone.messages import translate, words
from aptone.models import About
from aptone.models.parts import OFFLINE, REPEATABLE
from aptone.planner import LARGEST_WINDOW
from aptone.rooms.aptness.books.book import find_recordings
from aptone.rooms.aptness.books.chapters import Division
from aptone.rooms.aptness.books.transcription import choose_transcriber
from aptone.rooms.aptness.books.works import WORKS_FILES, SpeechKind, Work, read_works
from aptone.rooms.aptness.build.ceaeval_d import (
    RATERS,
    CeaevalDSettings,
    Costs,
    Prices,
    Workload,
    build_ceaeval_d,
    cost_bound,
    estimate_workload,
    languages_to_hear,
    read_books,
)
from aptone.rooms.aptness.build.files import MANIFEST, REJECTS, REPORT, TASK_FILE, BuildResult
from aptone.rooms.aptness.build.report import CALIBRATION_MINUTES, PortionSettings
from aptone.rooms.aptness.build.weak_labels import WeakStep
from aptone.rooms.style.build.captions import CAPTIONERS, make_captioner
from aptone.run import display_for
from aptone.types import Json, Language

SHOWN_REASONS = 8
"""Reasons for lost lines that are printed; all are in a file."""

YIELDS: Mapping[str, Mapping[str, str]] = {
    "works": {"out": "out", "in_": "in"},
    "speech": {"minutes": "minutes", "spoken": "minutes of speech"},
    "transcript": {
        "found": "words found",
        "words": "words of the texts",
        "heard": "words heard",
        "extras": "stretches not in the texts",
    },
    "lines": {"out": "out", "in_": "in"},
    "described": {"out": "out", "in_": "in", "silent": "without caption"},
    "task": {
        "lines": "lines",
        "minutes": "minutes",
        "calibration_lines": "calibration lines",
        "calibration": "calibration minutes",
    },
}
"""Steps whose yield is printed: the values of each message, and under which key the yield holds them."""


def print_ahead(ahead: Sequence[Workload], costs: Costs, about: About, lang: Language, *, as_json: bool) -> None:
    """Print what would be heard and sent, and what it costs at most."""
    if as_json:
        listed: list[Json] = [
            {"work": one.work, "minutes": round(one.minutes, 2), "lines": one.lines, "problem": one.problem}
            for one in ahead
        ]
        costed: dict[str, Json] = {"transcripts": costs.transcripts, "captions": costs.captions, "total": costs.total}
        print_json({"works": listed, "sends_audio_to": list(about.sends_audio_to), "costs_at_most": costed})
        return
    word = words(lang, "aptness.ceaeval-d")
    for one in ahead:
        if one.problem:
            print_text(word("ahead_problem", work=one.work, reason=translate(one.problem, lang)))
        else:
            print_text(word("ahead", work=one.work, minutes=f"{one.minutes:.1f}", lines=one.lines))
    if not about.sends_audio_to:
        print_text(word("sends_nothing"))
        return
    print_text(word("sends", machines=", ".join(about.sends_audio_to)))
    shown = {
        name: word("not_known") if math.isnan(cost) else f"{cost:.2f}"
        for name, cost in (("transcripts", costs.transcripts), ("captions", costs.captions))
    }
    print_text(word("costs", **shown))


def built_json(built: BuildResult) -> dict[str, Json]:
    """Return the summary of a build as JSON."""
    return {
        "folder": str(built.folder),
        "lines": built.lines,
        "seconds": round(built.seconds, 3),
        "task_lines": built.task_lines,
        "calibration": built.calibration,
        "yields": {name: dict(counts) for name, counts in built.yields.items()},
        "reasons": {name: dict(counts) for name, counts in built.reasons.items()},
        "unfinished": built.unfinished,
        "stopped": built.stopped,
    }


def print_built(built: BuildResult, works: Sequence[Work], lang: Language) -> None:
    """Print what was built, what fell and why, and where it lies."""
    word = words(lang, "aptness.ceaeval-d")
    if built.yields:
        for step, keys in YIELDS.items():
            print_text(word(step, **{name: built.yields[step][key] for name, key in keys.items()}))
        lost = [(count, reason) for why in built.reasons.values() for reason, count in why.items()]
        for count, reason in sorted(lost, key=lambda one: (-one[0], one[1]))[:SHOWN_REASONS]:
            print_text(word("fell", count=count, reason=translate(reason, lang)))
        if unknown := [work.name for work in works if not work.licence]:
            print_text(word("no_licence", works=", ".join(unknown)))
    if built.stopped:
        print_text(word("stopped", why=translate(built.stopped, lang)))
    elif built.unfinished:
        print_text(word("unfinished", count=built.unfinished))
    if built.yields:
        files = {"manifest": MANIFEST, "task": TASK_FILE, "report": REPORT, "rejects": REJECTS}
        print_text(word("files", **{name: built.folder / file for name, file in files.items()}))


SETTINGS = PartSettings(("transcriber", "captioner"), example="captioner.model")


@click.command()
@click.argument("sources", metavar="RECORDINGS… | WORKS", nargs=-1, type=EXISTING)
@click.option("--story", type=EXISTING, help="Text that is read in the recordings.")
@click.option(
    "--transcript",
    "transcripts",
    type=EXISTING,
    multiple=True,
    help="Subtitles (.srt) of a recording, instead of a transcriber; one for each, in their order.",
)
@click.option("--work", "name", help="Name of the work; by default that of its text.")
@click.option("--story-name", default="", help="Name that works of one story share; no split separates them.")
@click.option("--licence", default="", help="Licence of the recordings.")
@click.option("--source", default="", help="Source of the recordings.")
@shown_option("--speech", type=click.Choice(["human", "synthetic"]), default="human")
@folder_option("Folder of the set")
@click.option("--language", type=LANGUAGES, help="Language of the text; by default detected from its characters.")
@choice_option(
    "--chapters", "division", ["headings", "blank", "none"], "Chapter breaks: at headings, at two empty lines, or none."
)
@click.option(
    "--transcriber",
    shell_complete=names_of("transcribers"),
    help="Transcriber of the recordings; by default one that needs no server.",
)
@click.option(
    "--by-phrase/--by-piece",
    default=None,
    help="Transcribe every phrase by itself, or half a minute at a time. By default by phrase where the transcriber "
    "gives no times of its own.",
)
@choice_option(
    "--captioner",
    "captioner",
    CAPTIONERS,
    "Captioner: the ear and our grammar, a server (--set captioner.model=…), or an audio model on this machine.",
)
@ear_option("listens")
@number_option("--context", LARGEST_WINDOW, "Context lines of the story for each line.", least=0)
@click.option("--hours", type=float, default=math.nan, help="Hours for people to annotate, evenly from all works.")
@click.option(
    "--portion",
    type=float,
    default=math.nan,
    help="Minutes of the longest contiguous portion; without --hours, one of each work.  [default: 10 with --hours]",
)
@shown_option(
    "--calibration-minutes",
    type=float,
    default=CALIBRATION_MINUTES,
    help="Minutes of recordings that every annotator rates first.",
)
@number_option("--raters", RATERS, "Raters per line.")
@choice_option(
    "--shards", "shards", ["flac", "ogg", "none"], "Clips with captions for aptone train distil, and their format."
)
@SETTINGS.option
@click.option("--dry-run", is_flag=True, help="Print what would be heard and sent, and the highest cost.")
@lang_option("Language of the output", default="en")
@running_options
@json_option
def ceaeval_d(
    sources: Sequence[Path],
    story: Path | None,
    transcripts: Sequence[Path],
    name: str | None,
    story_name: str,
    licence: str,
    source: str,
    speech: SpeechKind,
    output: Path,
    language: Language | None,
    division: Division,
    transcriber: str | None,
    by_phrase: bool | None,
    captioner: str,
    ear: str | None,
    context: int,
    hours: float,
    portion: float,
    calibration_minutes: float,
    raters: int,
    shards: str,
    settings: Sequence[str],
    dry_run: bool,
    lang: Language,
    running: Running,
    as_json: bool,
) -> int:
    """Lines of audiobooks in their stories, cut out and described, for people to annotate.

    RECORDINGS are those of one work, files or folders, with its text (--story). Several works stand in a file WORKS
    (.jsonl, .json, .csv) with work, recordings, text and, where there are any, transcripts, language, story, licence,
    source and speech.

    \b
    aptone build ceaeval-d book/ --story book.txt --work lighthouse --licence "CC BY 4.0" -o set/
    aptone build ceaeval-d works.jsonl -o set/ --hours 16.1 --transcriber api --set transcriber.model=paraformer \\
        --captioner api --set captioner.model=qwen3-omni-captioner --dry-run
    """  # noqa: D301  (\b keeps click from joining the lines)
    if not sources:
        raise UsageError("from which recordings? Name files or a folder with --story TEXT, or a file that lists works.")
    works = _works(
        sources,
        story,
        about={"story": story_name, "licence": licence, "source": source, "name": name},
        transcripts=tuple(transcripts),
        language=language,
        speech=speech,
    )
    options = SETTINGS.read(settings)
    books = read_books(works, division)
    heard = languages_to_hear(works, books)
    timeless = any(_repeatable(transcriber, one) for one in heard)
    chosen = CeaevalDSettings(
        context=context,
        division=division,
        portions=PortionSettings(hours, portion, calibration_minutes, seed=running.seed),
        raters=raters,
        shards=shards,
        by_phrase=timeless if by_phrase is None else by_phrase,
    )
    heard_by = ear_name(ear)
    hears = {
        one: choose_transcriber(
            transcriber, language=one, settings={**_repeatable(transcriber, one), **_of("transcriber", options)},
            otherwise="",
        )
        for one in heard
    }  # fmt: skip
    says = None
    if captioner != CAPTIONERS[0]:
        says = make_captioner(captioner, _of("captioner", options), ear=heard_by, spoken="en")
    step = WeakStep(heard_by, says)
    about = sum((one.about for one in hears.values()), step.about)
    ahead = estimate_workload(works, books)
    if dry_run:
        costs = cost_bound(
            ahead,
            Prices.of(options),
            pays_transcripts=any(one.about.sends_audio_to for one in hears.values()),
            pays_captions=says is not None and bool(says.about.sends_audio_to),
        )
        print_ahead(ahead, costs, about, lang, as_json=as_json)
        return int(all(one.problem for one in ahead))
    consent = running.consent(about, clips=sum(one.lines for one in ahead), folder=output)
    config = running.config(
        "build ceaeval-d",
        captioner,
        {
            **chosen.decisive(),
            "weak": step.signature,
            "transcribers": {one: hearer.signature for one, hearer in hears.items()},
        },
        about,
        inputs=sources,
        consent=consent,
    )
    built = build_ceaeval_d(
        works,
        chosen,
        step=step,
        transcribers=hears,
        folder=output,
        config=config,
        carry_out=WithinLimits(replace(running, repeat=1)),
        width=1 if says is None else 8,
        shows=lambda label: display_for(label=label),
    )
    if as_json:
        print_json(built_json(built))
    else:
        print_built(built, works, lang)
    return stop_code(built.stopped, failed=not built.lines)


def _works(
    sources: Sequence[Path],
    story: Path | None,
    *,
    about: Mapping[str, str | None],
    transcripts: tuple[Path, ...],
    language: Language | None,
    speech: SpeechKind,
) -> list[Work]:
    """The works that were named: one with its text, or those of a file."""
    if story is None:
        if len(sources) != 1 or sources[0].suffix.lower() not in WORKS_FILES:
            raise UsageError("which text is read in these recordings? Name it with --story, or list works in a file.")
        if transcripts or any(about.values()):
            raise UsageError("--transcript, --work, --story-name, --licence and --source stand in the file of works.")
        return read_works(sources[0])
    return [
        Work(
            name=about["name"] or story.stem,
            recordings=tuple(find_recordings(sources)),
            text=story,
            transcripts=transcripts,
            language=language,
            story=about["story"] or "",
            licence=about["licence"] or "",
            source=about["source"] or "",
            speech=speech,
        )
    ]


def _of(part: str, options: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in options.items() if name.partition(".")[0] == part}


def _repeatable(name: str | None, language: Language) -> Mapping[str, Json]:
    """Options with which a transcriber hears a piece the same every time: a build that was killed gives equal bytes."""
    return REPEATABLE.get(name or OFFLINE.get(language, ""), {})
