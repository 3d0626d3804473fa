"""Speed of the ear: processor seconds from a file to its Perception, beside openSMILE's eGeMAPS features.

The comparison runs in a process of its own that is held to one core, with one thread for every library that reads
``OMP_NUM_THREADS`` or ``OPENBLAS_NUM_THREADS``; processor time counts all threads of the process in any case. For each
of 60 clips, 15 of each set, three times over: our ear from the file, the same with everything over time, openSMILE from
samples that are already in memory (its features alone), and openSMILE from the file. One clip before the clock starts
warms up all of them. Of each clip the median of its three times counts.

The cold start is a child process, ``aptone hear`` on one clip: user and system time, and the largest resident memory.
It is started by a small process, since Linux counts the memory of whoever starts a process as the process's own.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from aptone.audio import read, write
from aptone.ear.perceive import Ear, load_ear
from aptone.types import Audio
from benchmarks.ear_conditions import RATE, base_clips
from benchmarks.ear_data import SPEECH_SETS, Clip, load_set
from benchmarks.ear_rival import rival_module

CLIPS_PER_SET = 15
ROUNDS = 3
COLD_STARTS = 5
LONG_SECONDS = 600.0
TRAJECTORY_STEP = 0.5
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
LAUNCHER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit]))
"""


def mixed_clips(data: Path) -> list[Clip]:
    """The same clips every time, of the test parts of all sets."""
    return [clip for name in SPEECH_SETS for clip in base_clips(load_set(data, name, part="test"), count=CLIPS_PER_SET)]


def processor_seconds(call: Callable[[Path, Audio], object], path: Path, audio: Audio) -> float:
    """Processor time of one call, all threads together."""
    begin = time.process_time()
    call(path, audio)
    return time.process_time() - begin


def compare(ear: Ear, clips: Sequence[Clip], *, rival: bool) -> dict[str, float]:
    """Processor time of our ear and of openSMILE on the same clips, one after the other."""
    calls: dict[str, Callable[[Path, Audio], object]] = {
        "ours": lambda path, _: ear.perceive(read(path, rate=RATE)),
        "ours_over_time": lambda path, _: ear.perceive(read(path, rate=RATE), trajectory=TRAJECTORY_STEP, tracks=True),
    }
    if rival:
        opensmile = rival_module("opensmile")
        smile = opensmile.Smile(
            feature_set=opensmile.FeatureSet.eGeMAPSv02, feature_level=opensmile.FeatureLevel.Functionals
        )
        calls["features"] = lambda _, audio: smile.process_signal(audio.samples, audio.rate)
        calls["features_from_file"] = lambda path, _: smile.process_file(str(path))
    sounds = [(clip.path, read(clip.path, rate=None)) for clip in clips]
    for call in calls.values():
        call(*sounds[0])
    times: dict[str, list[float]] = {name: [] for name in calls}
    for path, audio in sounds:
        rounds = [{name: processor_seconds(call, path, audio) for name, call in calls.items()} for _ in range(ROUNDS)]
        for name in calls:
            times[name].append(statistics.median(one[name] for one in rounds))
    seconds = sum(audio.seconds for _, audio in sounds)
    result = {
        "clips": float(len(clips)),
        "seconds_of_sound": round(seconds, 1),
        "times_real_time": round(seconds / sum(times["ours"]), 1),
        "times_real_time_with_tracks_and_trajectory": round(seconds / sum(times["ours_over_time"]), 1),
    }
    if rival:
        ratios = np.array(times["features"]) / np.array(times["ours"])
        result |= {
            "times_faster_than_features": round(sum(times["features"]) / sum(times["ours"]), 2),
            "times_faster_than_features_10th_percentile": round(float(np.quantile(ratios, 0.1)), 2),
            "times_faster_than_features_from_file": round(sum(times["features_from_file"]) / sum(times["ours"]), 2),
            "features_times_real_time": round(seconds / sum(times["features"]), 1),
        }
    return result


def in_one_core(data: Path, *, ear: str, rival: bool) -> dict[str, float]:
    """The comparison, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.ear_speed", "--data", str(data), "--ear", ear]
    done = subprocess.run(
        command + ([] if rival else ["--without-rival"]),
        env=os.environ | ONE_THREAD,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def started(arguments: Sequence[str]) -> tuple[float, float]:
    """Processor seconds and megabytes (10⁶ bytes) of ``aptone`` with these arguments, as a process of its own.

    Raises:
        RuntimeError: if it fails.
    """
    command = [sys.executable, "-c", LAUNCHER, sys.executable, "-m", "aptone", *arguments]
    done = subprocess.run(command, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, check=True, text=True)
    code, seconds, size = json.loads(done.stdout)
    if code:
        raise RuntimeError(f"aptone {' '.join(arguments)} ended with {code}.")
    return float(seconds), float(size) / 1e6


def cold_start(clip: Clip, *, ear: str) -> dict[str, float]:
    """Median processor seconds and largest memory of ``aptone hear`` on one clip."""
    runs = [started(["hear", str(clip.path), "--ear", ear]) for _ in range(COLD_STARTS)]
    return {
        "processor_seconds": round(statistics.median(seconds for seconds, _ in runs), 2),
        "megabytes": round(max(size for _, size in runs), 1),
        "clip_seconds": round(read(clip.path, rate=None).seconds, 2),
    }


def ten_minutes(clips: Sequence[Clip], *, ear: str) -> dict[str, float]:
    """The same on ten minutes of speech in one file: the clips one after the other, over and over."""
    row = np.concatenate([read(clip.path, rate=RATE).samples for clip in clips])
    samples = np.tile(row, math.ceil(LONG_SECONDS * RATE / row.size))[: round(LONG_SECONDS * RATE)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ten-minutes.wav"
        write(path, Audio(np.clip(samples, -1, 1), rate=RATE), bits=16)
        seconds, size = started(["hear", str(path), "--ear", ear])
    return {
        "processor_seconds": round(seconds, 2),
        "times_real_time": round(LONG_SECONDS / seconds, 1),
        "megabytes": round(size, 1),
    }


def main() -> None:
    """The comparison on one core; prints its result as JSON."""
    parser = argparse.ArgumentParser(description="Processor time of the ear beside openSMILE's features.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--ear", default="full")
    parser.add_argument("--without-rival", action="store_true")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    clips = mixed_clips(options.data)
    print(json.dumps(compare(load_ear(options.ear), clips, rival=not options.without_rival)))


if __name__ == "__main__":
    main()
