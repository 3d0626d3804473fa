"""Report of 200 Opus clips: encoders that ran, and its CPU time beside one that encodes every clip again.

    python -m benchmarks.report_clips [--clips 200] [--turns 5]

Clips of four seconds are cut from the shipped example and written as Ogg Opus; a run names each in an item with a
score. Counted are files that libsndfile opens for writing, which every encoder of ours does, whoever calls it: while
`finish_run` makes the report, and while all clips are put into a page, of which a report shows at most a few dozen.
Beside it, in turns and in the same process, the same clips are read and encoded, as reports did before. The control
shows that the count would notice: a report of the same run over wav files opens encoders.
"""

import argparse
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from aptone.audio import read, read_ref, write
from aptone.report.clips import ClipEmbedder, sound_uri
from aptone.report.plots.geometry import waveform
from aptone.report.run_report import finish_run
from aptone.run import Call, RunConfig, load_run, run_items
from aptone.run.payload import Clip
from aptone.types import Audio, AudioRef, Item, Outcome, Score, State, to_json

EXAMPLE = Path(__file__).parent.parent / "examples" / "lighthouse" / "clips"
RESULTS = Path(__file__).parent / "results" / "report_clips.json"
RATE, SECONDS = 16_000, 4.0
CONFIG = RunConfig("score", "made-up", version="1", seed=0)
ROOM = 10**9


def made(folder: Path, count: int, *, ending: str) -> list[AudioRef]:
    """Return clips of one format."""
    folder.mkdir()
    sources = [read(path, rate=RATE, channel="mix").samples for path in sorted(EXAMPLE.glob("*.opus"))]
    found = []
    for number in range(count):
        piece = np.resize(sources[number % len(sources)], int(SECONDS * RATE)) * np.float32(0.5 + 0.4 * number / count)
        path = folder / f"{number:04d}.{ending}"
        write(path, Audio(piece, rate=RATE, source=str(number)))
        found.append(AudioRef(str(path)))
    return found


def step(item: Item, call: Call) -> Outcome:
    """Score an item by its place."""
    return Outcome(State.DONE, {"aptness": Score(item.position % 51 / 10, range=(0.0, 5.0), higher_is_better=True)})


def run_over(clips: list[AudioRef], folder: Path) -> Path:
    """Make a run whose items name the clips."""
    items = [Item.make(Path(one.path).name, {"audio": to_json(one)}, position=at) for at, one in enumerate(clips)]
    run_items(items, step, folder=folder, config=CONFIG)
    return folder


@contextmanager
def counted_encoders() -> Iterator[list[str]]:
    """Collect the format of every file that libsndfile opens for writing."""
    opened: list[str] = []
    original = soundfile.SoundFile.__init__

    def watched(self: Any, file: Any, mode: str | None = "r", *rest: Any, **options: Any) -> None:
        if mode is not None and set(mode) & set("wx+"):
            opened.append(str(options.get("format")))
        original(self, file, mode, *rest, **options)

    soundfile.SoundFile.__init__ = watched
    try:
        yield opened
    finally:
        soundfile.SoundFile.__init__ = original


def main() -> None:
    """Print the figures and write the result file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        clips = made(place / "opus", arguments.clips, ending="opus")
        run = load_run(run_over(clips, place / "run"))
        with counted_encoders() as encoders:
            page = finish_run(run).report.read_text(encoding="utf-8")
        players = page.count("data:audio/ogg;base64,")
        control = load_run(run_over(made(place / "wav", 20, ending="wav"), place / "control"))
        with counted_encoders() as control_encoders:
            finish_run(control)
        as_they_are, again, all_encoders = [], [], 0
        for _ in range(arguments.turns):
            embedder = ClipEmbedder(room=ROOM)
            begun = time.process_time()
            with counted_encoders() as opened:
                embedded = [embedder.embed(Clip("audio", one)) for one in clips]
            as_they_are.append(time.process_time() - begun)
            assert all(one.uri for one in embedded)
            all_encoders += len(opened)
            begun = time.process_time()
            for one in clips:
                audio = read_ref(one, rate=None, channel="mix")
                waveform(audio.samples)
                sound_uri(audio)
            again.append(time.process_time() - begun)
    ratio = statistics.median(one / other for one, other in zip(as_they_are, again, strict=True))
    result = {
        "python": platform.python_version(),
        "clips": arguments.clips,
        "report": {"players": players, "encoders that ran": len(encoders)},
        "report of 20 wav clips, as a control": {"encoders that ran": len(control_encoders)},
        "all clips put into a page": {
            "encoders that ran": all_encoders,
            "CPU milliseconds a clip": round(1000 * statistics.median(as_they_are) / arguments.clips, 2),
            "CPU milliseconds a clip, encoded again": round(1000 * statistics.median(again) / arguments.clips, 2),
            "times encoding again": round(ratio, 3),
        },
        "goals": {"encoders that ran": 0},
    }
    print(json.dumps(result, indent=1))
    assert players, "the report has no player"
    assert control_encoders, "the count does not notice encoders"
    assert not encoders, encoders
    assert not all_encoders, all_encoders
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
