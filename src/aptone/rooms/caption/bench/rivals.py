"""Other people's caption metrics on the same captions: which can run here, what they give, and why the others cannot.

BLEU-4, ROUGE-L and CIDEr count shared words and phrases; they are computed here, as the COCO toolkit defines them. They
compare a caption with reference captions and never hear the recording. `words_of` makes the words: lower case without
punctuation, Mandarin by character.

METEOR 1.5 and SPICE are the Java programs inside ``pycocoevalcap`` (extra ``metrics``); SPICE also needs parser models
that the package fetches from Stanford by itself, and SPIDEr is the mean of CIDEr and SPICE. MACE is that of
``aac-metrics``, which fetches CLAP. A metric that cannot run has no numbers and a reason; the others go on without it.
"""

import importlib
import importlib.util
import json
import math
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aptone.errors import AptoneError, MissingExtraError, UsageError

Tokens = Sequence[str]
Weights = Mapping[tuple[str, ...], float]

LONGEST = 4
"""Words in the longest phrases that are counted."""
ROUGE_BETA = 1.2
CIDER_SIGMA = 6.0
CIDER_SCALE = 10.0
TINY, SMALL = 1e-15, 1e-9
"""Constants that keep a caption without a shared phrase of four words from being 0 / 0; the toolkit's own numbers."""

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+(?:[-'’][^\W_\u3400-\u9fff]+)*")


def words_of(text: str) -> tuple[str, ...]:
    """The words of a caption, in lower case, without punctuation; each Chinese character is one.

    >>> words_of("Her low-pitched voice: 很低！")
    ('her', 'low-pitched', 'voice', '很', '低')
    """
    return tuple(_WORD.findall(text.lower()))


def bleu_4(candidate: Tokens, references: Sequence[Tokens]) -> float:
    """BLEU-4 of one caption (Papineni et al. 2002): the geometric mean of how many of its phrases the references hold.

    ``min(1, exp(1 - r / c)) · (p₁ p₂ p₃ p₄)^¼`` with pₙ the share of the caption's phrases of n words that a reference
    holds (each as often as in one reference at most), c its length and r that of the reference nearest in length. From
    0 to 1, higher is better; nearly 0 without a shared phrase of four words.

    Undefined (NaN) without a word in the references.

    >>> round(bleu_4("a b c d e".split(), ["a b c d f".split()]), 4)  # (4/5 · 3/4 · 2/3 · 1/2)^¼
    0.6687
    """
    if not any(references):
        return math.nan
    product = 1.0
    for size in range(1, LONGEST + 1):
        own = _ngrams(candidate, size)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= _ngrams(reference, size)
        shared = sum((own & most).values())
        product *= (shared + TINY) / (own.total() + SMALL)
    nearest = min((abs(len(one) - len(candidate)), len(one)) for one in references)[1]
    ratio = (len(candidate) + TINY) / (nearest + SMALL)
    return float(product ** (1 / LONGEST) * math.exp(min(0.0, 1 - 1 / ratio)))


def rouge_l(candidate: Tokens, references: Sequence[Tokens]) -> float:
    """ROUGE-L (Lin 2004): how long a sequence of words a caption and a reference have in common, with gaps.

    With L the length of the longest common subsequence, P the highest ``L / length of the caption`` and R the highest
    ``L / length of the reference`` over the references: ``(1 + β²) P R / (R + β² P)``, β = 1.2. From 0 to 1, higher is
    better. A caption without words has 0.

    Undefined (NaN) without a word in the references.

    >>> round(rouge_l("a b c".split(), ["a x c d".split()]), 4)  # L = 2: P = 2/3, R = 1/2
    0.5571
    """
    if not any(references):
        return math.nan
    common = [longest_common(candidate, reference) for reference in references]
    if not any(common):
        return 0.0
    precision = max(common) / len(candidate)
    recall = max(length / len(reference) for length, reference in zip(common, references, strict=True) if reference)
    return (1 + ROUGE_BETA**2) * precision * recall / (recall + ROUGE_BETA**2 * precision)


def longest_common(first: Tokens, second: Tokens) -> int:
    """Length of the longest common subsequence.

    >>> longest_common("abcbdab", "bdcaba")
    4
    """
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for place, other in enumerate(second, start=1):
            before, row[place] = row[place], before + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]


def cider(candidates: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> list[float]:
    """CIDEr-D of every caption (Vedantam et al. 2015): shared phrases, rare ones weighing more.

    For phrases of n = 1 to 4 words, g(·) counts them, each weighted by the logarithm of how many times more reference
    sets there are than sets that hold it. For a caption c and a reference s:
    ``Σₙ min(g(c), g(s)) · g(s) / (|g(c)| |g(s)|) · exp(-(l_c - l_s)² / 2σ²) · 10 / 4``, averaged over the references,
    with l the length and σ = 6. From 0 to 10, higher is better.

    A score depends on the whole set: with one reference set every weight is 0. Undefined (NaN) without a word in the
    references.

    >>> [round(score, 2) for score in cider(["a b".split(), "a c".split()], [["a b".split()], ["a d".split()]])]
    [5.0, 0.0]
    """
    documents: Counter[tuple[str, ...]] = Counter()
    for texts in references:
        documents.update({ngram for text in texts for size in range(1, LONGEST + 1) for ngram in _ngrams(text, size)})
    whole = math.log(len(references)) if references else 0.0

    def weighted(text: Tokens) -> list[Weights]:
        return [
            {
                ngram: count * (whole - math.log(max(1, documents[ngram])))
                for ngram, count in _ngrams(text, size).items()
            }
            for size in range(1, LONGEST + 1)
        ]

    scores = []
    for candidate, texts in zip(candidates, references, strict=True):
        if not any(texts):
            scores.append(math.nan)
            continue
        own = weighted(candidate)
        similar = [_similarity(own, weighted(text), _pairs(candidate) - _pairs(text)) for text in texts]
        scores.append(CIDER_SCALE * sum(similar) / len(similar))
    return scores


def _similarity(own: Sequence[Weights], other: Sequence[Weights], longer: int) -> float:
    total = 0.0
    for mine, theirs in zip(own, other, strict=True):
        product = sum(min(weight, theirs.get(ngram, 0.0)) * theirs.get(ngram, 0.0) for ngram, weight in mine.items())
        size = math.hypot(*mine.values()) * math.hypot(*theirs.values())
        total += product / size if size else 0.0
    return total / LONGEST * math.exp(-(longer**2) / (2 * CIDER_SIGMA**2))


def _pairs(text: Tokens) -> int:
    """Neighbouring pairs, which the toolkit takes for the length."""
    return max(0, len(text) - 1)


def _ngrams(text: Tokens, size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(text[place : place + size]) for place in range(len(text) - size + 1))


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
    _, scores = importlib.import_module("aac_metrics.functional").mace(
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
