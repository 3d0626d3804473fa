"""``aptone hear``."""

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

import click

from aptone.audio import Channel, find_speech, read
from aptone.cli.options.language import lang_option
from aptone.cli.options.reference import NONE, read_references, reference_option
from aptone.cli.options.source import SOURCE, SourceChoice, say_reading, source_options
from aptone.cli.options.values import shown_option, weights_option
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.ear import Ear, load_ear
from aptone.ear.perceive import HEARING_RATE
from aptone.ear.reference import Clip, References
from aptone.errors import AptoneError, UsageError
from aptone.messages import message
from aptone.report.clips import LONGEST_CLIP
from aptone.report.hearing.findings import Heard, hearing_json, hearing_table, hearings_table, trajectory_table
from aptone.report.hearing.plot import drawn_step, hearing_html, hearing_svg
from aptone.run import Silent, Tally, display_for, write_whole
from aptone.run.sources.clips import ListedClip, read_clips
from aptone.run.sources.folders import RECORDINGS_FOLDER
from aptone.run.sources.remote import local
from aptone.types import Audio, AudioRef, Json, Language, Perception, dumps

PICTURES = {".svg": hearing_svg, ".html": hearing_html}


def _seconds(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    try:
        seconds = None if text is None else float(text)
    except ValueError:
        seconds = math.nan
    if seconds is not None and not 0 < seconds < math.inf:
        # A clip behind the bare option is taken for its value.
        raise click.BadParameter(
            f"expected seconds above 0, got {text!r}; name the clips first, or write =1 behind it."
        )
    return seconds


def _channel(context: click.Context, parameter: click.Parameter, text: str) -> Channel:
    if text == "mix":
        return "mix"
    if not (text.isascii() and text.isdigit() and len(text) < 5):
        raise click.BadParameter(f"expected mix, or a number from 0 on, got {text!r}.")
    return int(text)


@dataclass(frozen=True, slots=True)
class Listening:
    """Settings for listening to clips."""

    ear: Ear
    channel: Channel
    language: str | None
    trajectory: float | None
    tracks: bool
    references: References | None = None

    def read(self, clip: AudioRef, *, rate: int | None) -> Audio:
        """The clip at a rate, or at its own."""
        return read(clip.path, rate=rate, channel=self.channel, start=clip.start, end=clip.end)

    def hear(self, audio: Audio, *, voice: str = "") -> Perception:
        """Return the perception of a clip, against the reference of its voice if there is one."""
        heard = self.ear.perceive(audio, language=self.language, trajectory=self.trajectory, tracks=self.tracks)
        return heard if self.references is None else self.references.applied(heard, voice=voice)


@click.command()
@click.argument("clips", metavar="CLIP_OR_LIST...", nargs=-1, required=True, type=SOURCE)
@weights_option("ear_name")
@click.option(
    "--language",
    metavar="en|zh|…",
    help="Language spoken in the clips: pitch and tempo are compared with what is usual in it.",
)
@click.option(
    "--trajectory",
    callback=_seconds,
    is_flag=False,
    flag_value="1",
    metavar="[SECONDS]",
    help="Also valence, arousal and dominance over time, a point every so many seconds (default 1).",
)
@click.option("--tracks", is_flag=True, help="In the JSON, also pitch and loudness over time.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Plot one clip over time: a picture (.svg), or a page with a player (.html).",
)
@reference_option()
@shown_option(
    "--channel", callback=_channel, default="mix", metavar="mix|NUMBER", help="Channel, from 0 on, or the mean of all."
)
@click.option("--start", type=click.FloatRange(0), default=0.0, help="Seconds where to begin.")
@click.option("--end", type=click.FloatRange(0), help="Seconds where to stop.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="New file with one JSON object per line and clip, written as it goes.",
)
@source_options
@lang_option("Language of the output", default="en")
@json_option
def hear(
    clips: Sequence[Path],
    ear_name: str | None,
    language: str | None,
    trajectory: float | None,
    tracks: bool,
    plot: Path | None,
    reference: str | None,
    channel: Channel,
    start: float,
    end: float | None,
    output: Path | None,
    listed: SourceChoice,
    lang: Language,
    as_json: bool,
) -> int:
    """Describe what a recording sounds like.

    Emotion, delivery, pitch, tempo, loudness, voice, sounds, recording, and what could not be judged and why. Several
    clips, a folder, or a list of recordings (a manifest, a table, a dataset, a list of another toolkit; --source) give
    a line each, and with --json an object a line.

    \b
    aptone hear clip.wav --plot clip.html
    aptone hear takes/ -o takes.jsonl
    aptone hear clips.parquet --json
    """  # noqa: D301  (\b keeps click from joining the lines)
    if not (math.isfinite(start) and (end is None or start < end < math.inf)):
        part = f"--start {start:g}" + ("" if end is None else f" and --end {end:g}")
        raise UsageError(f"{part} can be no part of a clip; begin at 0 s or later, and end after that.")
    if tracks and not (as_json or output):
        raise UsageError("--tracks are given as JSON only; add --json, or a file with -o.")
    if plot is not None and plot.suffix.lower() not in PICTURES:
        raise UsageError(f"{plot}: a picture ends in {' or '.join(PICTURES)}; choose one of these.")
    if plot is not None and not plot.parent.is_dir():
        raise UsageError(f"{plot}: there is no folder {plot.parent}; make it first, or choose another place.")
    found = list(_recordings(clips, listed, start=start, end=end))
    several = len(clips) > 1 or clips[0].is_dir() or listed.is_list(clips[0])
    if several and plot is not None:
        raise UsageError(f"--plot draws one clip, but {len(found)} were named; name one of them.")
    listening = Listening(load_ear(ear_name), channel, language, trajectory, tracks)
    if reference not in (None, NONE):
        own = [Clip("", str(place), clip.audio) for place, clip in enumerate(found)]
        listening = replace(listening, references=read_references(str(reference), own, ear=listening.ear.name))
    with ExitStack() as opened:
        file = opened.enter_context(_new_file(output)) if output else None
        if several:
            return _hear_many(found, listening, file=file, language=lang, as_json=as_json)
        return _hear_one(found[0].audio, listening, file=file, plot=plot, language=lang, as_json=as_json)


def _recordings(
    given: Sequence[Path], listed: SourceChoice, *, start: float, end: float | None
) -> Iterator[ListedClip]:
    for path in given:
        if listed.is_plain_folder(path):
            yield from (ListedClip(AudioRef(str(path / row.id), start, end)) for row in RECORDINGS_FOLDER.rows(path))
            continue
        if not listed.is_list(path):
            yield ListedClip(AudioRef(str(local(path)), start, end))
            continue
        clips, reading = read_clips(path, listed.options())
        say_reading(reading)
        if (start or end is not None) and any(clip.is_part for clip in clips):
            raise UsageError(message("sources.parts-of-parts", name=path))
        for clip in clips:
            yield clip if clip.is_part else replace(clip, audio=replace(clip.audio, start=start, end=end))


def _new_file(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8")
    except FileExistsError as error:
        raise UsageError(f"{path}: exists already; name another file, or delete this one first.") from error


def _hear_one(
    clip: AudioRef, listening: Listening, *, file: TextIO | None, plot: Path | None, language: Language, as_json: bool
) -> int:
    audio = listening.read(clip, rate=HEARING_RATE)
    if plot is None:
        perception = listening.hear(audio)
    else:
        step = listening.trajectory or drawn_step(audio.seconds)
        drawn = replace(listening, trajectory=step, tracks=True).hear(audio)
        shown = listening.read(clip, rate=None) if audio.seconds <= LONGEST_CLIP else audio
        picture = PICTURES[plot.suffix.lower()]
        write_whole(plot, picture(drawn, shown, clip=clip, speech=find_speech(audio), language=language))
        perception = replace(
            drawn,
            trajectory=drawn.trajectory if listening.trajectory else None,
            tracks=drawn.tracks if listening.tracks else None,
        )
    heard = Heard(clip, perception)
    row: dict[str, Json] = hearing_json(heard) | ({"plot": str(plot)} if plot else {})
    if file:
        file.write(dumps(row) + "\n")
    if as_json:
        print_json(row)
        return 0
    print_rich(hearing_table(heard, language=language))
    if perception.trajectory is not None:
        print_rich(trajectory_table(perception.trajectory, language=language))
    if plot is not None:
        print_text(f"Picture: {plot}")
    return 0


def _hear_many(
    clips: Sequence[ListedClip], listening: Listening, *, file: TextIO | None, language: Language, as_json: bool
) -> int:
    out = sys.stdout  # a progress bar takes its place while it moves
    tally = Tally(total=len(clips), before=0)
    display = Silent() if as_json and out.isatty() else display_for(label="hear")
    rows: list[Heard] = []
    interrupted = False
    display.start(tally)
    try:
        for clip in clips:
            heard = _try_to_hear(clip.audio, listening)
            line = dumps({**clip.told, **hearing_json(heard)}) + "\n"
            for stream in filter(None, (file, out if as_json else None)):
                stream.write(line)
                stream.flush()
            kept = heard.perception and replace(heard.perception, trajectory=None, tracks=None)
            rows.append(replace(heard, perception=kept))  # the tracks of thousands of clips would fill the memory
            tally.now += 1
            tally.failed += bool(heard.error)
            display.update(tally)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        display.stop(tally)
    if not as_json:
        print_rich(hearings_table(rows, language=language))
    if tally.failed:
        click.echo(f"aptone: {tally.failed} of {len(clips)} clips could not be heard.", err=True)
    if interrupted:
        click.echo(f"aptone: interrupted after {len(rows)} of {len(clips)} clips.", err=True)
        return 130
    return int(tally.failed > 0)


def _try_to_hear(clip: AudioRef, listening: Listening) -> Heard:
    try:
        return Heard(clip, listening.hear(listening.read(clip, rate=HEARING_RATE)))
    except (AptoneError, OSError) as error:
        return Heard(clip, error=str(error))
