"""``aptone build surabench``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import Running, running_options
from aptone.cli.options.values import (
    EXISTING,
    EXISTING_FOLDER,
    PartSettings,
    choice_option,
    ear_option,
    folder_option,
    language_option,
    number_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_text, stop_code
from aptone.ear.perceive import ear_name
from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.messages import words
from aptone.rooms.caption.build.captions import CAPTIONERS, make_captioner, read_examples
from aptone.rooms.caption.build.selection import (
    SPLIT,
    RatedClip,
    SelectionSettings,
    read_msp_podcast,
    read_ratings,
    select,
)
from aptone.rooms.caption.build.surabench import (
    ABOUT,
    PAGE,
    REJECTS,
    BuildResult,
    SurabenchStep,
    collect,
    distribution_page,
    durations,
    make_items,
    measured_examples,
)
from aptone.run import write_whole
from aptone.types import Language

USUAL = SelectionSettings()
SETTINGS = PartSettings(("writer",), example="writer.model")
RENAMED = {"--deviation": "--max-deviation", "--in-cell": "--max-per-cell"}


@click.command(cls=CommandWithRenames, renamed=RENAMED)
@click.argument("source", metavar="CORPUS", type=EXISTING)
@folder_option()
@shown_option("--split", default=SPLIT, help="Split of MSP-Podcast.")
@click.option("--audio", type=EXISTING_FOLDER, help="Folder of the recordings.")
@click.option(
    "--scale",
    type=(float, float),
    metavar="LOW HIGH",
    help="Lowest and highest rating in a table; needed unless CORPUS is MSP-Podcast.",
)
@shown_option("--shortest", type=float, default=USUAL.shortest, help="Shortest clip, in seconds.")
@shown_option("--longest", type=float, default=USUAL.longest, help="Longest clip, in seconds.")
@shown_option(
    "--max-deviation",
    type=float,
    default=USUAL.largest_deviation,
    help="Largest standard deviation over the raters, on the scale from 1 to 7.",
)
@number_option("--grid", USUAL.grid, "Cells along each side.")
@number_option("--max-per-cell", USUAL.most_in_cell, "Largest number of recordings from one cell.")
@choice_option(
    "--captions",
    "captions",
    CAPTIONERS,
    "Writer of captions: our grammar, a server (--set writer.model=…), or a model on this machine.",
)
@click.option(
    "--examples",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Captions that people wrote, for a chat model: caption, and evidence or file.",
)
@language_option("the captions")
@ear_option("measures")
@click.option("--copy-audio", is_flag=True, help="Copy the recordings into the folder, instead of naming them.")
@SETTINGS.option
@lang_option("Language of the output", default="en")
@running_options
@json_option
def surabench(
    source: Path,
    output: Path,
    split: str,
    audio: Path | None,
    scale: tuple[float, float] | None,
    shortest: float,
    longest: float,
    max_deviation: float,
    grid: int,
    max_per_cell: int,
    captions: str,
    examples: Path | None,
    language: Language,
    ear: str | None,
    copy_audio: bool,
    settings: Sequence[str],
    lang: Language,
    running: Running,
    as_json: bool,
) -> int:
    """Recordings evenly over valence and arousal, with captions, for aptone caption.

    CORPUS is the folder of MSP-Podcast as released, or a table (.csv, .jsonl) with one row a rating: file, rater,
    valence, arousal and, if there is one, dominance.

    \b
    aptone build surabench MSP-Podcast/ -o surabench/
    aptone build surabench ratings.csv --scale 1 5 -o surabench/
    """  # noqa: D301  (\b keeps click from joining the lines)
    chosen = SelectionSettings(shortest, longest, max_deviation, grid, max_per_cell)
    options = SETTINGS.read(settings)
    clips = _read(source, split=split, audio=audio, scale=scale)
    heard_by = ear_name(ear)
    if examples and captions == CAPTIONERS[0]:
        raise UsageError("--examples are for a chat model; say --captions api or local, or leave them out.")
    shown = read_examples(examples) if examples else []
    shown = measured_examples(shown, clips, language=language, ear=heard_by)
    step = SurabenchStep(make_captioner(captions, options, examples=shown), language, heard_by)
    selection = select(clips, durations(clips), settings=chosen)
    if not selection.clips:
        raise UsageError(
            f"{source}: nothing was picked from {len(clips)} recordings; left after each step: {selection.yields}. "
            "Loosen --shortest, --longest or --max-deviation."
        )
    folder = output.absolute()
    make_folder(folder)
    about = step.about
    consent = running.consent(about, clips=len(selection.clips), folder=folder)
    made_by = {"captions": step.signature, "language": language}
    config = running.config("build surabench", captions, made_by, about, consent=consent)
    ended = running.run(make_items(selection), step, folder=folder, config=config, width=1, label="captions")
    built = collect(ended.run, selection, step, folder=folder, settings=chosen, copy_audio=copy_audio)
    write_whole(folder / PAGE, distribution_page(built, chosen, language=lang))
    if as_json:
        print_json(
            manifest=str(built.manifest),
            page=str(folder / PAGE),
            recordings=len(built.clips),
            rejected=built.rejects,
            unfinished=built.unfinished,
            yields={name: dict(counts) for name, counts in built.yields.items()},
            stopped=ended.stopped,
        )
    else:
        print_text(_summary(built, folder, lang))
    return stop_code(ended.stopped, failed=not built.clips)


def _read(source: Path, *, split: str, audio: Path | None, scale: tuple[float, float] | None) -> list[RatedClip]:
    if source.is_dir():
        if audio is not None or scale is not None:
            raise UsageError("--audio and --scale are for a table of ratings; MSP-Podcast is read as released.")
        return read_msp_podcast(source, split=split)
    if scale is None:
        raise UsageError(f"{source}: say between which numbers people rated, as --scale 1 5.")
    return read_ratings(source, audio=audio, scale=scale)


def _summary(built: BuildResult, folder: Path, lang: Language) -> str:
    word = words(lang, "cli.surabench")
    lines = [
        word(step, out=counts["out"], in_=counts["in"], cells=counts.get("cells filled", 0))
        for step, counts in built.yields.items()
    ]
    if built.unfinished:
        lines.append(word("unfinished", count=built.unfinished))
    lines.append(word("files", about=folder / ABOUT, rejects=folder / REJECTS, page=folder / PAGE))
    lines.append(word("manifest", manifest=built.manifest))
    return "\n".join(lines)
