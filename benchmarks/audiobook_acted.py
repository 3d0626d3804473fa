"""Lines of real acted speech found in a long recording, with times that other people gave them.

Replies of The Ur-Quan Masters (`uqm`: 277 replies of six characters) are strung together into one recording for each
character, with pauses of 0.25 to 1.2 s, transcribed by Moonshine, and cut into lines. The game knows how long each
line of a reply is, so that its subtitles change in time. What was chosen was chosen on other clips and by the errors of
three characters (dev); the other three (held-out) were only measured.

Those times are cues, not cuts: some fall into the word before or behind the pause. So a line is compared with them in
three ways. *Speech*: its start and end with the first and last speech of the labelled stretch. *Label*: with the label
itself, pauses included. *Arbiter*: where a start is off by more than 0.3 s from the speech, Moonshine hears both clips
without the rest; which of the two has fewer errors in the first four words of the line? How many labels begin within
0.3 s of the end of a pause is printed, too: the others begin amid words, where few lines do.

Replies whose text breaks off where the game puts in a name are left out of the count; their number is printed.

    python -m benchmarks.audiobook_acted UQM
"""

import argparse
import asyncio
import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.audio import find_speech, read
from aptone.errors import AudioError
from aptone.models.moonshine import Moonshine
from aptone.rooms.aptness.books.alignment import tokens_of
from aptone.rooms.aptness.books.book import PlacedLine, place_lines
from aptone.types import Audio, Segment
from benchmarks.audiobook_recordings import RATE, Studio, book_of, find_lines, record_of, write_record
from benchmarks.made_with import with_revisions

DEV = ("commander", "starbase", "spathi")
HELD_OUT = ("arilou", "druuge", "syreen")
PAUSES = (0.25, 1.2)
SPILL = 0.15
"""Seconds of speech at an end of a labelled stretch, before a pause, that belong to the neighbour."""


@dataclass(frozen=True, slots=True)
class Acted:
    """A line: its words, the stretch that the label names, the speech in it, and whether the text is whole."""

    text: str
    label: Segment
    speech: Segment
    is_whole: bool


def speech_within(speech: Sequence[Segment], start: float, end: float) -> Segment:
    """The speech of a stretch, without what spills over from its neighbours."""
    own = [Segment(max(one.start, start), min(one.end, end)) for one in speech if one.end > start and one.start < end]
    while len(own) > 1 and own[0].start <= start and own[0].seconds < SPILL:
        own.pop(0)
    while len(own) > 1 and own[-1].end >= end and own[-1].seconds < SPILL:
        own.pop()
    return Segment(own[0].start, own[-1].end) if own else Segment(start, end)


def strung_together(folder: Path, character: str, seed: int) -> tuple[Audio, list[Acted]]:
    """The replies of a character as one recording."""
    studio, lines = Studio(np.random.default_rng([seed, *character.encode()])), list[Acted]()
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["speaker"] == f"uqm_{character}"]
    for row in rows:
        try:
            audio = read(folder / row["file"], rate=RATE, channel="mix")
        except AudioError:
            continue  # one file of the set is damaged
        texts, lengths = json.loads(row["lines"]), json.loads(row["line_ms"])
        if len(lengths) != len(texts) - 1:
            texts, lengths = [row["text"]], []
        edges = [0.0, *(float(edge) / 1000 for edge in np.cumsum(lengths)), audio.seconds]
        speech, offset = find_speech(audio), studio.size / RATE
        is_whole = row["text"].rstrip().rstrip("\"')").endswith((".", "!", "?", "…"))
        for text, start, end in zip(texts, edges[:-1], edges[1:], strict=True):
            own = speech_within(speech, start, min(end, audio.seconds))
            lines.append(
                Acted(
                    text,
                    Segment(offset + start, offset + min(end, audio.seconds)),
                    Segment(offset + own.start, offset + own.end),
                    is_whole,
                )
            )
        studio.add(audio.samples, pause=PAUSES)
    return studio.audio(), lines


def first_words_wrong(audio: Audio, text: str, start: float, end: float, listener: Moonshine) -> int:
    """Errors in the first four words of a line, heard by themselves."""
    first, last = round(max(0.0, start) * RATE), round(min(end, start + 6.0) * RATE)
    silence = np.zeros(RATE // 5, dtype=np.float32)
    clip = Audio(np.concatenate([silence, audio.samples[first:last], silence]), rate=RATE)
    heard = tokens_of(asyncio.run(listener.transcribe(clip, language="en")).text, "en")[:6]
    row = list(range(len(heard) + 1))
    for place, word in enumerate(tokens_of(text, "en")[:4], start=1):
        above, row = row, [place]
        for column, other in enumerate(heard):
            row.append(min(above[column] + (word != other), above[column + 1] + 1, row[column] + 1))
    return min(row)


def label_at_a_pause(line: Acted, starts: Sequence[float]) -> bool:
    """Whether any speech begins within 0.3 s of where a label says that a line does; else it begins amid words."""
    return any(abs(start - line.speech.start) <= 0.3 for start in starts)


def figures(lines: Sequence[Acted], placed: Sequence[PlacedLine]) -> dict[str, float]:
    """Shares over all lines of which the text is whole; those of starts and ends over the placed ones."""
    counted = [(line, one.time) for line, one in zip(lines, placed, strict=True) if line.is_whole]
    found = [(line, time.time) for line, time in counted if not time.problem and time.time is not None]
    result: dict[str, float] = {"lines": len(counted), "placed": len(found) / len(counted)}
    overlap = [min(time.end, line.speech.end) - max(time.start, line.speech.start) for line, time in found]
    wrong = [shared < line.speech.seconds / 2 for shared, (line, _) in zip(overlap, found, strict=True)]
    result["placed_wrongly"] = float(np.mean(wrong))
    for name, truths in (
        ("speech", [line.speech for line, _ in found]),
        ("label", [line.label for line, _ in found]),
    ):
        starts = np.array([abs(time.start - truth.start) for truth, (_, time) in zip(truths, found, strict=True)])
        ends = np.array([abs(time.end - truth.end) for truth, (_, time) in zip(truths, found, strict=True)])
        result[f"start_within_0.3_s_of_{name}"] = float((starts <= 0.3).mean())
        result[f"both_ends_within_0.5_s_of_{name}"] = float((np.maximum(starts, ends) <= 0.5).mean())
        result[f"median_seconds_off_{name}"] = float(np.median(starts))
        late = np.array([time.start - truth.start for truth, (_, time) in zip(truths, found, strict=True)])
        result[f"late_by_more_than_0.3_s_of_{name}"] = float((late > 0.3).mean())
        result[f"early_by_more_than_0.3_s_of_{name}"] = float((late < -0.3).mean())
    return {name: round(value, 4) for name, value in result.items()}


def arbitrated(audio: Audio, lines: Sequence[Acted], placed: Sequence[PlacedLine]) -> dict[str, int]:
    """Whose start has the words of the line, where ours and the label's differ by more than 0.3 s."""
    listener, verdicts = Moonshine(pauses=False), {"placed": 0, "ours": 0, "label": 0, "undecided": 0}
    for line, one in zip(lines, placed, strict=True):
        time_ = one.time.time
        if not line.is_whole or one.time.problem or time_ is None:
            continue
        verdicts["placed"] += 1
        if abs(time_.start - line.speech.start) <= 0.3:
            continue
        ours = first_words_wrong(audio, line.text, time_.start, time_.end, listener)
        theirs = first_words_wrong(audio, line.text, line.speech.start - 0.05, time_.end, listener)
        verdicts["ours" if ours < theirs else "label" if theirs < ours else "undecided"] += 1
    return verdicts


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Lines of acted speech in long recordings.")
    parser.add_argument("folder", type=Path, help="Folder of the set uqm.")
    parser.add_argument("--part", choices=("dev",), help="Measure the characters of dev only, and write nothing.")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "audiobook_acted.json")
    parser.add_argument("--cache", type=Path, help="Folder in which transcripts are kept between runs.")
    options = parser.parse_args()
    truth: dict[str, list[Acted]] = {}
    found: dict[str, dict[str, list[PlacedLine]]] = {"by the sound": {}, "by the transcript": {}}
    verdicts: dict[str, dict[str, int]] = {}
    within: dict[str, list[bool]] = {}
    aligning = seconds = 0.0
    for character in DEV if options.part else (*DEV, *HELD_OUT):
        audio, lines = strung_together(options.folder, character, options.seed)
        seconds += audio.seconds
        book = book_of([line.text for line in lines], "en", "uqm")
        result = find_lines(audio, book, cache=options.cache)
        placed = result.placed
        aligning += result.seconds
        pauses = [part.start for part in result.pieces.speech()[0]]
        within[character] = [label_at_a_pause(line, pauses) for line in lines if line.is_whole]
        truth[character] = lines
        found["by the sound"][character] = placed
        found["by the transcript"][character] = place_lines(book, result.text, result.pieces.speech())[0]
        if options.part:
            print(character, figures(lines, placed), f"labels at a pause {np.mean(within[character]):.3f}", flush=True)
            continue
        verdicts[character] = arbitrated(audio, lines, placed)
    if options.part:
        return
    groups = {"dev": DEV, "held-out": HELD_OUT, "all": (*DEV, *HELD_OUT)}
    results: dict[str, object] = {}
    for way, placed_by in found.items():
        results[way] = {one: figures(truth[one], placed_by[one]) for one in truth} | {
            group: figures(
                [line for one in names for line in truth[one]], [line for one in names for line in placed_by[one]]
            )
            for group, names in groups.items()
        }
    decided = {
        group: {verdict: sum(verdicts[one][verdict] for one in names) for verdict in verdicts[DEV[0]]}
        for group, names in groups.items()
    }
    results["starts more than 0.3 s apart: whose has the words"] = decided
    results["starts of labels within 0.3 s of the end of a pause"] = {
        group: round(float(np.mean([one for name in names for one in within[name]])), 4)
        for group, names in ({one: (one,) for one in truth} | groups).items()
    }
    results["lines not counted, since their text breaks off"] = sum(
        not line.is_whole for lines in truth.values() for line in lines
    )
    results["seconds of work to align an hour"] = round(aligning * 3600 / seconds, 1)
    print(json.dumps(results, indent=2))
    what = "lines of real acted speech found in long recordings, by the sound and by the transcript alone"
    record = record_of(what, results, seed=options.seed)
    write_record(options.output, with_revisions(record))


if __name__ == "__main__":
    main()
