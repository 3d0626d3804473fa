"""Production report of a book: are lines that are read wrongly among the first to record again?

    python -m benchmarks.book_report --speech RAVDESS   # a few minutes on a CPU
    python -m benchmarks.book_report                    # the shipped example and the sheet alone

**RAVDESS, test part.** A made-up book of 112 lines: ten little stories whose feeling is said outright, the same with
the feeling only implied (``benchmarks/stories/takes.json``), and eight scenes that ask for nothing (`PLAIN`), each read
by four actors whom the ear never heard. In every book one line in five is planted: the take of another emotion, chosen
at random; calm counts as a fitting reading of a plain line. Plans are read from the stories by the built-in planner;
clips are heard against what all clips of the book sound like, as ``aptone score`` does. Counted is the share of planted
lines among the first N of a list, N being their number: the retake list, the order of the raw score, chance. Then the
same within the lines whose feeling is said outright. The rule was chosen on RAVDESS's dev part (``--part dev``), among
some twenty; the test part was seen once before, with the score discounted by trust alone (0.536).

**Lighthouse.** The six lines of the shipped example, all fifteen choices of two that are read flat.

**Sheet.** ``aptone plan`` of a made-up novel: CPU time of its run and files beside the planner alone on the same lines,
and the peak of memory with 2,000 and 20,000 lines and a planner that does nothing.

RAVDESS does not come with Aptone.
"""

import argparse
import csv
import itertools
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from aptone.ear import load_ear
from aptone.ear.reference import make_references
from aptone.judge import BuiltInJudge
from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.api import line_to_plan
from aptone.rooms.aptness.books.book_text import Book, make_line
from aptone.rooms.aptness.data import read_manifest
from aptone.rooms.aptness.delivery.book_plan import BookPlanStep, BookWindows, LineChoice, PlanItems, planned_lines
from aptone.rooms.aptness.delivery.sheet import SheetOptions, write_sheet
from aptone.rooms.aptness.production.book_lines import gather_lines
from aptone.rooms.aptness.production.retakes import order_retakes
from aptone.rooms.aptness.story import make_story
from aptone.run import Call, RunConfig, run_items
from aptone.types import AudioRef, Entry, Item, Json, Line, Outcome, Perception, Plan, Sample, to_json
from benchmarks.lighthouse import EXAMPLE
from benchmarks.made_with import with_revisions
from benchmarks.story_takes import STORIES, heard

RESULT = Path(__file__).parent / "results" / "book_report.json"
SENTENCES = ("Kids are talking by the door", "Dogs are sitting by the door")
BOOKS, PLANTED, SEED = 100, 0.2, 0
PLAIN = (
    (
        "The bus was due at ten past four. Ann had her bag on her knees and a timetable in her hand.",
        "“{line},” said Ann.",
        "The driver turned a page of his newspaper.",
    ),
    (
        "They had come to measure the hall. The carpet would be laid on Thursday.",
        "“{line},” he said.",
        "She wrote down another number: two metres forty.",
    ),
    (
        "The inventory took all morning. There were nine chairs, a table and a lamp on the list.",
        "“{line},” said the clerk.",
        "The other clerk made a tick.",
    ),
    (
        "At the crossing the road divides, one branch to the mill, one to the station. A man with a map stood there.",
        "“{line},” the man said.",
        "It was Wednesday, and the shops closed at one.",
    ),
)
"""Scenes that ask for no feeling."""
CALM = frozenset({"neutral", "calm"})
ORDERS = ("retakes", "raw score", "chance")

Scene = tuple[str, str, Sample, Plan]
"""Kind of a scene, the emotion that it asks for, its line, and the plan of the built-in planner."""


def scenes() -> list[Scene]:
    """Return the lines of the book with their plans, which every actor reads."""
    planner = BuiltInPlanner()
    told = json.loads(STORIES.read_text(encoding="utf-8"))
    written = [(kind, one["emotion"], one["line"], one[kind]) for one in told for kind in ("explicit", "implicit")]
    written += [
        ("plain", "neutral", line, [text.format(line=line) for text in scene]) for line in SENTENCES for scene in PLAIN
    ]
    samples = [
        (kind, emotion, line_to_plan(make_story(text, language="en"), line=line))
        for kind, emotion, line, text in written
    ]
    return [(kind, emotion, sample, planner.plan(sample, Call())) for kind, emotion, sample in samples]


def takes_of(folder: Path, part: str) -> dict[tuple[str, str], list[tuple[str, Path]]]:
    """Return the takes of each actor and sentence: emotion and file."""
    found: dict[tuple[str, str], list[tuple[str, Path]]] = {}
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["split"] == part:
                key = (row["speaker"], row["text"].rstrip("."))
                found.setdefault(key, []).append((row["emotion"], folder / row["file"]))
    return found


def fits(asked: str, read: str) -> bool:
    """Return true if a take is a reading that a scene asks for."""
    return read == asked or (asked == "neutral" and read in CALM)


def entry_of(number: int, actor: str, kind: str, outcome: Outcome, sample: Sample) -> Entry:
    """Return a line of the book as a run keeps it."""
    line = Sample(f"{number:06d}", AudioRef("-"), Line(sample.target.text, actor), ids={"chapter": kind, "role": actor})
    start = 3.0 * number
    place: dict[str, Json] = {"recording": "book.wav", "start": start, "end": start + 2.0, "confidence": 1.0}
    return Entry(Item.make(line.id, {**to_json(line), "alignment": place}, position=number), outcome)


def hits(order: Sequence[int], planted: set[int]) -> float:
    """Return the share of planted lines among the first of an order, as many as there are."""
    return len(planted & set(order[: len(planted)])) / len(planted)


def orders_of(entries: Sequence[Entry]) -> dict[str, list[int]]:
    """Return the positions of lines in the order of the retake list, and of the raw score."""
    lines = gather_lines(entries, "aptness")
    found = order_retakes(lines)
    listed = [one.line.position for group in (found.retakes, found.fine, found.apart) for one in group]
    scored = sorted(lines, key=lambda line: math.inf if math.isnan(line.score) else line.score)
    return {"retakes": listed, "raw score": [line.position for line in scored]}


def planted_book(
    rng: np.random.Generator, told: Sequence[Scene], takes: dict[tuple[str, str], list[tuple[str, Path]]]
) -> tuple[list[Entry], set[int]]:
    """Return the entries of a book read by all actors, and the positions of the lines that are read wrongly."""
    lines = [(actor, scene) for actor in sorted({actor for actor, _ in takes}) for scene in told]
    wrong = set(rng.choice(len(lines), round(PLANTED * len(lines)), replace=False).tolist())
    perceptions: list[Perception] = []
    for number, (actor, (_, asked, sample, _)) in enumerate(lines):
        pool = [
            path
            for read, path in takes[actor, sample.target.text.rstrip(",.!")]
            if fits(asked, read) is (number not in wrong)
        ]
        perceptions.append(heard(str(pool[int(rng.integers(len(pool)))])))
    ear = load_ear()
    references = make_references([("", one) for one in perceptions], ear=ear.signature, prosody=ear.prosody)
    judge = BuiltInJudge().with_references(references)
    entries = []
    for number, ((actor, (kind, _, sample, plan)), perception) in enumerate(zip(lines, perceptions, strict=True)):
        outcome = judge.verdict(judge.heard_against(perception), plan, sample)
        entries.append(entry_of(number, actor, kind, outcome, sample))
    return entries, wrong


def ravdess(folder: Path, part: str) -> dict[str, Any]:
    """Count planted lines among the first in many books."""
    told, takes = scenes(), takes_of(folder, part)
    rng = np.random.default_rng(SEED)
    shares: dict[str, list[float]] = {order: [] for order in ORDERS}
    said: dict[str, list[float]] = {order: [] for order in ORDERS}
    lines = planted = 0
    for _ in range(BOOKS):
        entries, wrong = planted_book(rng, told, takes)
        lines, planted = len(entries), len(wrong)
        sure = [entry for entry in entries if entry.item.payload["ids"]["chapter"] == "explicit"]  # type: ignore[index,call-overload]
        among = wrong & {entry.item.position for entry in sure}
        for found, some, bad in ((shares, entries, wrong), (said, sure, among)):
            if not bad:
                continue
            for order, positions in orders_of(some).items():
                found[order].append(hits(positions, bad))
            found["chance"].append(len(bad) / len(some))
    better = float(np.mean(np.array(shares["retakes"]) > np.array(shares["raw score"])))
    return {
        "part": part,
        "books": BOOKS,
        "lines": lines,
        "planted": planted,
        "planted among the first N": {order: summary(values) for order, values in shares.items()},
        "the same where the feeling is said": {order: summary(values) for order, values in said.items()},
        "books in which the retake list has more": round(better, 3),
    }


def summary(values: Sequence[float]) -> dict[str, float]:
    """Return the mean over books, and the range of 95 % of them."""
    low, high = np.quantile(values, (0.025, 0.975))
    return {"mean": round(float(np.mean(values)), 3), "low": round(float(low), 3), "high": round(float(high), 3)}


def lighthouse() -> dict[str, Any]:
    """Count lines that are read flat among the first two, over all choices of two of the six."""
    judge, planner = BuiltInJudge(), BuiltInPlanner()
    readings: dict[str, dict[str, tuple[Sample, Outcome]]] = {}
    for sample in read_manifest(EXAMPLE / "manifest.jsonl"):
        line, _, reading = sample.id.rpartition("-")
        assert isinstance(sample.audio, AudioRef)
        outcome = judge.verdict(heard(sample.audio.path), planner.plan(sample, Call()), sample)
        readings.setdefault(line, {})[reading] = (sample, outcome)
    shares: dict[str, list[float]] = {"retakes": [], "raw score": [], "chance": []}
    for flat in itertools.combinations(range(len(readings)), 2):
        entries = []
        for number, takes in enumerate(readings.values()):
            sample, outcome = takes["flat" if number in flat else "apt"]
            entries.append(entry_of(number, sample.target.role, "lighthouse", outcome, sample))
        for order, positions in orders_of(entries).items():
            shares[order].append(hits(positions, set(flat)))
        shares["chance"].append(2 / len(entries))
    return {"books": len(shares["chance"]), **{order: round(float(np.mean(one)), 3) for order, one in shares.items()}}


class Idle(BuiltInPlanner):
    """Planner that returns the same plan for every line."""

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """Return a plan."""
        return Plan("angry", emotions={"angry": 1.0}, unsaid=0.0, source="idle")


def novel(lines: int) -> Book:
    """Return a made-up novel of short scenes."""
    told = json.loads(STORIES.read_text(encoding="utf-8"))
    texts = itertools.cycle([text for one in told for kind in ("explicit", "implicit") for text in one[kind]])
    made = [Line(f"{next(texts)} ({number})") for number in range(lines)]
    return Book(
        tuple(make_line(line, f"Chapter {place // 200 + 1}") for place, line in enumerate(made)), "en", "novel.txt"
    )


def write_novel(lines: int, planner: BuiltInPlanner, folder: Path) -> float:
    """Plan a novel and write its sheet, and return the CPU seconds that it took."""
    book = novel(lines)
    windows, choice = BookWindows(book), LineChoice()
    begun = time.process_time()
    items = PlanItems(book, windows, choice)
    step = BookPlanStep(planner, windows)
    ended = run_items(items, step, folder=folder, config=RunConfig("plan", "built-in"), sync_interval=0.1)
    write_sheet(folder, book, lambda: planned_lines(book, ended.run.entries, choice), SheetOptions())
    return time.process_time() - begun


def peak_memory() -> float:
    """Return the peak of resident memory of this process in MB; Linux counts the parent's into ``ru_maxrss``."""
    status = Path("/proc/self/status")
    if status.exists():
        return round(int(status.read_text(encoding="utf-8").partition("VmHWM:")[2].split()[0]) / 1e3, 1)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3), 1)


def sheet() -> dict[str, Any]:
    """Compare the cost of a sheet with that of the planner alone, and measure its memory."""
    count = 200
    book = novel(count)
    planner, windows = BuiltInPlanner(), BookWindows(book)
    planner.plan(windows.sample(1), Call())  # weights are loaded
    begun = time.process_time()
    for number in range(1, count + 1):
        BuiltInPlanner.plan(planner, windows.sample(number), Call())
    alone = time.process_time() - begun
    with tempfile.TemporaryDirectory() as folder:
        whole = write_novel(count, BuiltInPlanner(), Path(folder))
    peaks = {}
    for lines in (2_000, 20_000):
        command = [sys.executable, "-m", "benchmarks.book_report", "--memory-of", str(lines)]
        said = subprocess.run(command, check=True, capture_output=True, text=True)
        peaks[str(lines)] = float(said.stdout.split()[-1])
    return {
        "lines": count,
        "cpu of the sheet beside the planner alone": round(whole / alone, 2),
        "peak MB by lines": peaks,
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speech", type=Path, help="Folder of RAVDESS with its labels.csv.")
    parser.add_argument("--part", default="test", help="Part of RAVDESS: test, or dev to choose by.")
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--memory-of", type=int, help="Only write the sheet of a novel of so many lines.")
    options = parser.parse_args()
    if options.memory_of:
        with tempfile.TemporaryDirectory() as folder:
            write_novel(options.memory_of, Idle(), Path(folder))
        print(peak_memory())
        return
    record: dict[str, Any] = {}
    if options.speech is not None:
        record["ravdess"] = ravdess(options.speech, options.part)
    if options.part == "test":
        record |= {"lighthouse": lighthouse(), "sheet": sheet()}
    text = json.dumps(with_revisions(record, "ear", "planner", "judge"), indent=1)
    print(text)
    if options.speech is not None and options.part == "test":
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
