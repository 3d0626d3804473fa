"""Does reading survive damaged files? Makes recordings in every format, damages them, reads each in a worker process.

A file may load (the damage hit something that does not matter, or cannot be told from sound) or be refused with an
`AudioError`. Anything else is a bug: another exception, a crash of the worker, or no answer in time.

    python -m benchmarks.audio_fuzz            2,000 damaged files, writes benchmarks/results/audio_fuzz.json
    python -m benchmarks.audio_fuzz --guided   5,000 files and 5,000 replies: benchmarks/results/guided_fuzz.json

Guided means by atheris, which has to be installed (``pip install atheris``): it keeps inputs that reach new code of
ours (`benchmarks.fuzz_targets`) and mutates those. It ends at the first input that raises anything but an error of
ours, takes more than 60 s, or more than 2 GB of memory.
"""

import argparse
import io
import json
import platform
import queue
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import av
import numpy as np
import soundfile
import soxr

from aptone.audio import read
from aptone.errors import AudioError, MissingExtraError

RESULTS = Path(__file__).parent / "results" / "audio_fuzz.json"
GUIDED_RESULTS = RESULTS.with_name("guided_fuzz.json")
GUIDED_RUNS, GUIDED_MB = 5_000, 2_000
LIMIT_SECONDS = 60.0
OUTCOMES = ("loaded", "refused", "other", "crash", "hang")
Kind = Literal["flip", "flip-header", "truncate", "extreme-length", "splice", "delete", "repeat", "insert"]
Samples = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


class Damaged(NamedTuple):
    """A damaged file: which format it was, what was done to it, and its bytes."""

    format: str
    kind: str
    data: bytes


def seed_files() -> dict[str, bytes]:
    """One second of a modulated tone with noise, in every format that can be written here."""
    rate = 16_000
    generator = np.random.default_rng(7)
    time = np.arange(rate) / rate
    tone = 0.3 * np.sin(2 * np.pi * 220 * time) * np.sin(np.pi * 3 * time) ** 2
    samples = (tone + 0.01 * generator.standard_normal(rate)).astype(np.float32)
    stereo = np.stack([samples, samples[::-1]], axis=1)
    return {
        "wav pcm16": _by_soundfile(samples, rate, "WAV", "PCM_16"),
        "wav pcm24 stereo": _by_soundfile(stereo, rate, "WAV", "PCM_24"),
        "wav float": _by_soundfile(samples, rate, "WAV", "FLOAT"),
        "rf64": _by_soundfile(samples, rate, "RF64", "PCM_16"),
        "flac": _by_soundfile(samples, rate, "FLAC", "PCM_16"),
        "ogg vorbis": _by_soundfile(samples, rate, "OGG", "VORBIS"),
        "ogg opus": _by_soundfile(samples, rate, "OGG", "OPUS"),
        "mp3": _by_soundfile(samples, rate, "MP3", "MPEG_LAYER_III"),
        "mp3 without tag": _by_av(samples, rate, "libmp3lame", "mp3", {"write_xing": "0"}),
        "m4a": _by_av(samples, rate, "aac", "ipod", {}),
        "mp4 fragmented": _by_av(samples, rate, "aac", "mp4", {"movflags": "frag_keyframe+empty_moov"}),
        "aac": _by_av(samples, rate, "aac", "adts", {}),
        "webm": _by_av(samples, 48_000, "libopus", "webm", {}),
    }


def _by_soundfile(samples: Samples, rate: int, format: str, subtype: str) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate, format=format, subtype=subtype)
    return buffer.getvalue()


def _by_av(samples: Samples, rate: int, codec: str, container: str, options: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container, options=options) as output:
        stream = output.add_stream(codec, rate=rate, layout="mono")
        if not isinstance(stream, av.AudioStream):
            raise TypeError(f"{codec} is no audio codec")
        frame = av.AudioFrame.from_ndarray(samples[np.newaxis], format="fltp", layout="mono")
        frame.sample_rate = 16_000
        resampler = av.AudioResampler(format=stream.codec_context.format, layout="mono", rate=rate)
        for resampled in [*resampler.resample(frame), *resampler.resample(None), None]:
            output.mux(stream.encode(resampled))
    return buffer.getvalue()


def _flip(data: bytearray, generator: np.random.Generator, limit: int) -> bytes:
    for _ in range(int(generator.integers(1, 21))):
        data[int(generator.integers(min(limit, len(data))))] ^= int(generator.integers(1, 256))
    return bytes(data)


def _extreme(data: bytearray, generator: np.random.Generator) -> bytes:
    extremes = (0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x00FF_FFFF, 44)
    for _ in range(int(generator.integers(1, 4))):
        width = int(generator.choice([2, 4, 8]))
        begin = int(generator.integers(min(256, len(data) - width)))
        value = extremes[int(generator.integers(len(extremes)))]
        order: Literal["little", "big"] = "little" if generator.integers(2) else "big"
        data[begin : begin + width] = (value & (1 << 8 * width) - 1).to_bytes(width, order)
    return bytes(data)


def _stretch(length: int, generator: np.random.Generator) -> slice:
    begin, end = sorted(int(place) for place in generator.integers(length + 1, size=2))
    return slice(begin, end)


def damage(data: bytes, other: bytes, kind: Kind, generator: np.random.Generator) -> bytes:
    """The file with one kind of damage; ``other`` is a second file, for splices."""
    changed = bytearray(data)
    part = _stretch(len(data), generator)
    ways: dict[Kind, Callable[[], bytes]] = {
        "flip": lambda: _flip(changed, generator, len(data)),
        "flip-header": lambda: _flip(changed, generator, 128),
        "truncate": lambda: data[: int(generator.integers(len(data)))],
        "extreme-length": lambda: _extreme(changed, generator),
        "splice": lambda: data[: part.start] + other[int(generator.integers(len(other))) :],
        "delete": lambda: data[: part.start] + data[part.stop :],
        "repeat": lambda: data[: part.stop] + data[part.start :],
        "insert": lambda: data[: part.start] + generator.bytes(int(generator.integers(1, 2_000))) + data[part.start :],
    }
    return ways[kind]()


def damaged_files(count: int, *, seed: int) -> Iterator[Damaged]:
    """Damaged files, formats and kinds of damage taking turns."""
    generator = np.random.default_rng(seed)
    seeds = seed_files()
    formats = list(seeds)
    kinds: tuple[Kind, ...] = get_args(Kind)
    for number in range(count):
        name = formats[number % len(formats)]
        kind = kinds[number // len(formats) % len(kinds)]
        other = seeds[formats[int(generator.integers(len(formats)))]]
        yield Damaged(name, kind, damage(seeds[name], other, kind, generator))


def work() -> None:
    """The worker: reads paths from its input, answers with the outcome of each."""
    for line in sys.stdin:
        detail = ""
        try:
            read(line.rstrip("\n"), rate=16_000, channel="mix", max_seconds=600.0)
            outcome = "loaded"
        except (AudioError, MissingExtraError):
            outcome = "refused"
        except BaseException as error:  # whatever escapes is what this looks for
            outcome, detail = "other", repr(error)
        print(json.dumps([outcome, detail]), flush=True)


class Worker:
    """A process that reads files, started again after a crash or a hang."""

    def __init__(self, command: Sequence[str] = (sys.executable, __file__, "--worker")) -> None:
        self._command = command
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, args=(self._process, self._answers), daemon=True).start()

    @staticmethod
    def _listen(process: subprocess.Popen[str], answers: "queue.Queue[str]") -> None:
        if process.stdout is not None:
            for line in process.stdout:
                answers.put(line)
        answers.put("")

    def read(self, path: Path, *, limit_seconds: float = LIMIT_SECONDS) -> tuple[str, str]:
        """Outcome and detail of one file."""
        if self._process.stdin is None:
            raise RuntimeError("the worker has no input")
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        try:
            answer = self._answers.get(timeout=limit_seconds)
        except queue.Empty:
            self.close()
            self._start()
            return "hang", f"no answer within {limit_seconds:g} s"
        if not answer:
            code = self._process.wait()
            self.close()
            self._start()
            return "crash", f"exit code {code}"
        outcome, detail = json.loads(answer)
        return outcome, detail

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def run(count: int, *, seed: int, keep: Path | None = None) -> dict[str, object]:
    """Read damaged files and count what comes of them; ``keep`` is a folder for those that should not have passed."""
    total: Counter[str] = Counter()
    tables: dict[str, dict[str, Counter[str]]] = {"by_format": {}, "by_damage": {}}
    failures = []
    worker = Worker()
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "damaged"
            for number, damaged in enumerate(damaged_files(count, seed=seed)):
                path.write_bytes(damaged.data)
                outcome, detail = worker.read(path)
                total[outcome] += 1
                tables["by_format"].setdefault(damaged.format, Counter())[outcome] += 1
                tables["by_damage"].setdefault(damaged.kind, Counter())[outcome] += 1
                if outcome not in ("loaded", "refused"):
                    detail = detail.replace(str(path), "FILE")
                    failures.append(
                        {"number": number, "format": damaged.format, "damage": damaged.kind, "what": detail}
                    )
                    if keep is not None:
                        (keep / f"{number}.bin").write_bytes(damaged.data)
    finally:
        worker.close()
    return {
        "files": count,
        "seed": seed,
        "limit_seconds": LIMIT_SECONDS,
        "versions": versions(),
        "total": {outcome: total[outcome] for outcome in OUTCOMES},
        **{
            name: {key: {outcome: counts[outcome] for outcome in OUTCOMES} for key, counts in table.items()}
            for name, table in tables.items()
        },
        "failures": failures,
    }


def run_guided(*, seed: int, keep: Path | None) -> int:
    """Let atheris mutate recordings and replies, print and keep what came of it; 1 if it found anything."""
    from benchmarks.fuzz_targets import TARGETS

    figures: dict[str, object] = {"seed": seed, "runs": GUIDED_RUNS, "rss_limit_mb": GUIDED_MB, "versions": versions()}
    codes = 0
    for target, seeds in TARGETS.items():
        with tempfile.TemporaryDirectory() as folder:
            for number, data in enumerate(seeds()):
                (Path(folder) / f"seed-{number}").write_bytes(data)
            command = [sys.executable, "-m", "benchmarks.fuzz_targets", target, folder, f"-runs={GUIDED_RUNS}"]
            command += [f"-seed={seed}", f"-timeout={LIMIT_SECONDS:g}", f"-rss_limit_mb={GUIDED_MB}"]
            command += ["-max_len=65536", "-print_final_stats=1", f"-artifact_prefix={keep or folder}/"]
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
            stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", done.stderr))
            reached = [int(found) for found in re.findall(r"\bcov: (\d+)", done.stderr)]
            figures[target] = {
                "exit_code": done.returncode,
                "inputs": int(stats.get("number_of_executed_units", 0)),
                "kept": len(list(Path(folder).iterdir())),
                "coverage_of_seeds": reached[0] if reached else 0,
                "coverage": reached[-1] if reached else 0,
                "peak_mb": int(stats.get("peak_rss_mb", 0)),
                "slowest_seconds": int(stats.get("slowest_unit_time_sec", 0)),
            }
            print(target, figures[target])
            if done.returncode:
                codes = 1
                print(done.stderr[-3000:])
    GUIDED_RESULTS.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return codes


def versions() -> dict[str, str]:
    """Return the versions of the software that figures were measured with."""
    from importlib.metadata import version

    return {
        "aptone": version("aptone"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "soundfile": soundfile.__version__,
        "libsndfile": soundfile.__libsndfile_version__,
        "soxr": soxr.__version__,
        "av": av.__version__,
    }


def show(result: dict[str, object]) -> None:
    """Print the counts as a table."""
    print(f"{'':20}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES))
    for name in ("by_format", "by_damage"):
        rows = result[name]
        if isinstance(rows, dict):
            for key, counts in rows.items():
                print(f"{key:20}" + "".join(f"{counts[outcome]:9}" for outcome in OUTCOMES))
        print()
    total = result["total"]
    if isinstance(total, dict):
        print(f"{'all':20}" + "".join(f"{total[outcome]:9}" for outcome in OUTCOMES))


def main() -> int:
    """Run, print, write; 1 if anything but loading and refusing happened."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=20_250)
    parser.add_argument("--output", type=Path, default=RESULTS, help="where the counts are written as JSON")
    parser.add_argument("--keep", type=Path, help="folder for the files that crash, hang or raise something else")
    parser.add_argument("--guided", action="store_true", help="let atheris find inputs that reach new code")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return 0
    if options.guided:
        return run_guided(seed=options.seed, keep=options.keep)
    result = run(options.files, seed=options.seed, keep=options.keep)
    show(result)
    for failure in result["failures"] if isinstance(result["failures"], list) else []:
        print(failure)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
