"""Other people's caption metrics on the same captions: which can run here, what they give, and why the others cannot.

BLEU-4, ROUGE-L and CIDEr are computed here (`aptone.rooms.caption.bench.word_overlap`). METEOR 1.5 and SPICE are the
Java programs inside ``pycocoevalcap`` (extra ``metrics``); SPICE also needs parser models that the package fetches from
Stanford by itself, and SPIDEr is the mean of CIDEr and SPICE. MACE is that of ``aac-metrics``, which fetches CLAP. A
metric that cannot run has no numbers and a reason; the others go on without it.
"""

import importlib
import importlib.util
import json
import math
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aptone.errors import AptoneError, MissingExtraError, UsageError
from aptone.rooms.caption.bench.word_overlap import bleu_4, cider, rouge_l, words_of

Words = tuple[str, ...]
TOOLKIT = "pycocoevalcap"
MEMORY = "2G"
TIMEOUT = 1800.0
"""Seconds after which a Java program is given up."""
PARSER = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")
LONGEST_REASON = 300
RIVALS = ("BLEU-4", "ROUGE-L", "METEOR", "CIDEr", "SPIDEr", "SPICE", "MACE")
"""The metrics of EmoSURA's Table 1, in its order."""

_SEGMENT = re.compile(r"^Segment \d+ score:\s*(\S+)", re.MULTILINE)
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Captioned:
    """A caption with at least one reference, and the recording for metrics that hear it; empty without one."""

    caption: str
    references: tuple[str, ...]
    audio: str = ""


@dataclass(frozen=True, slots=True)
class MetricScores:
    """Scores of a metric: a value for each caption, NaN where it has none, or the reason why it could not run."""

    name: str
    values: tuple[float, ...]
    reason: str = ""


def rival_scores(captions: Sequence[Captioned], *, names: Sequence[str] | None = None) -> list[MetricScores]:
    """Every rival on the same captions, in the order of `RIVALS`.

    Args:
        captions: all of them: CIDEr weighs words by how rare they are in the references.
        names: names of the metrics; ``None`` for all.

    Raises:
        UsageError: if there is no metric of a name.
    """
    wanted = RIVALS if names is None else tuple(names)
    if unknown := [name for name in wanted if name not in RIVALS]:
        raise UsageError(f"there is no metric {unknown[0]!r} among the rivals; there are {', '.join(RIVALS)}.")
    found: dict[str, MetricScores] = {}

    def scores(name: str) -> MetricScores:
        if name not in found:
            found[name] = _mean(name, scores("CIDEr"), scores("SPICE")) if name == "SPIDEr" else _ran(name, captions)
        return found[name]

    return [scores(name) for name in RIVALS if name in wanted]


def _mean(name: str, first: MetricScores, second: MetricScores) -> MetricScores:
    values = tuple((one + other) / 2 for one, other in zip(first.values, second.values, strict=True))
    return MetricScores(name, values, first.reason or second.reason)


def _ran(name: str, captions: Sequence[Captioned]) -> MetricScores:
    try:
        values = tuple(map(float, MEASURES[name](captions)))
    except AptoneError as error:
        return _refused(name, str(error), captions)
    except Exception as error:  # other people's programs fail in other people's ways; the table says how
        return _refused(name, f"{type(error).__name__}: {error}", captions)
    if len(values) != len(captions):
        return _refused(name, f"gave {len(values)} numbers for {len(captions)} captions", captions)
    return MetricScores(name, values)


def _refused(name: str, reason: str, captions: Sequence[Captioned]) -> MetricScores:
    return MetricScores(
        name, (math.nan,) * len(captions), " ".join(reason.split())[:LONGEST_REASON] or "no reason given"
    )


def _each(measure: Callable[[Words, list[Words]], float], captions: Sequence[Captioned]) -> list[float]:
    return [measure(words_of(one.caption), list(map(words_of, one.references))) for one in captions]


def _cider(captions: Sequence[Captioned]) -> list[float]:
    return cider([words_of(one.caption) for one in captions], [list(map(words_of, one.references)) for one in captions])


def _meteor(captions: Sequence[Captioned]) -> list[float]:
    """METEOR 1.5 in English, the best over the references. Mandarin is matched by equal characters."""
    jar = _toolkit("METEOR") / "meteor" / "meteor-1.5.jar"
    pairs = [(one.caption, reference) for one in captions for reference in one.references]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for place, name in enumerate(("captions.txt", "references.txt")):
            files.append(Path(folder) / name)
            files[-1].write_text("".join(f"{_one_line(pair[place])}\n" for pair in pairs), encoding="utf-8")
        said = _java("METEOR", ["-jar", str(jar), *map(str, files), "-l", "en", "-norm"], folder=jar.parent)
    scores = iter([float(score) for score in _SEGMENT.findall(said)])
    return [max(next(scores) for _ in one.references) for one in captions]


def _spice(captions: Sequence[Captioned]) -> list[float]:
    """SPICE's F over scene graphs; English only."""
    folder = _toolkit("SPICE") / "spice"
    if lacking := [name for name in PARSER if not (folder / "lib" / name).is_file()]:
        raise UsageError(
            f"SPICE needs {lacking[0]} in {TOOLKIT}/spice/lib, which that package fetches from nlp.stanford.edu: "
            f"python -m {TOOLKIT}.spice.get_stanford_models"
        )
    if any(_HAN.search(one.caption) for one in captions):
        raise UsageError("SPICE parses English only.")
    items = [
        {"image_id": place, "test": _one_line(one.caption), "refs": list(map(_one_line, one.references))}
        for place, one in enumerate(captions)
    ]
    with tempfile.TemporaryDirectory() as temporary:
        given, got = Path(temporary) / "captions.json", Path(temporary) / "scores.json"
        given.write_text(json.dumps(items), encoding="utf-8")
        options = [str(given), "-out", str(got), "-subset", "-silent"]
        _java("SPICE", ["-jar", str(folder / "spice-1.0.jar"), *options], folder=folder)
        scored: list[dict[str, Any]] = json.loads(got.read_bytes())
    by_place = {one["image_id"]: float(one["scores"]["All"]["f"]) for one in scored}
    return [by_place[place] for place in range(len(captions))]


def _mace(captions: Sequence[Captioned]) -> list[float]:
    """MACE from recording and references together, as `aac_metrics` computes it."""
    if importlib.util.find_spec("aac_metrics") is None:
        raise UsageError(
            "MACE needs the package aac-metrics (torch, and CLAP's weights from the hub). "
            "Install it with: pip install aac-metrics torchaudio"
        )
    if any(not one.audio for one in captions):
        raise UsageError("MACE hears the recordings, and some captions come without one.")
    functional = importlib.import_module("aac_metrics.functional")
    _, scores = functional.mace(
        [one.caption for one in captions],
        mult_references=[list(one.references) for one in captions],
        audio_paths=[one.audio for one in captions],
        mace_method="combined",
    )
    return [float(score) for score in scores["mace"]]


def _toolkit(metric: str) -> Path:
    found = importlib.util.find_spec(TOOLKIT)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(metric, extra="metrics")
    return Path(next(iter(found.submodule_search_locations)))


def _java(metric: str, options: Sequence[str], *, folder: Path) -> str:
    """Run a Java program and return its output.

    Raises:
        UsageError: if there is no Java, or the program fails or takes too long.
    """
    program = shutil.which("java")
    if program is None:
        raise UsageError(f"{metric} is a Java program, and there is no java; on Debian: apt install default-jre.")
    try:
        done = subprocess.run(  # noqa: S603  (a fixed program with files of our own)
            [program, f"-Xmx{MEMORY}", *options],
            cwd=folder,
            capture_output=True,
            check=False,
            text=True,
            timeout=TIMEOUT,
            encoding="utf-8",
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{metric} was not ready after {TIMEOUT:g} seconds.") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
        raise UsageError(f"{metric} ended with {done.returncode}: {last}")
    return done.stdout


def _one_line(text: str) -> str:
    """A text for a program that reads lines; Chinese characters apart, as words."""
    return " ".join(words_of(text) if _HAN.search(text) else text.split())


MEASURES: Mapping[str, Callable[[Sequence[Captioned]], Sequence[float]]] = {
    "BLEU-4": partial(_each, bleu_4),
    "ROUGE-L": partial(_each, rouge_l),
    "METEOR": _meteor,
    "CIDEr": _cider,
    "SPICE": _spice,
    "MACE": _mace,
}
