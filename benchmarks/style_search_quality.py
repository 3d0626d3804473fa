"""Search by emotion on corpora that nothing was trained on: the share of the five best clips that are meant so.

    python -m benchmarks.style_search_quality --data FOLDER_WITH_THE_SETS [--cache FOLDER]

Every corpus is one folder that is searched for each of its emotions, in four wordings and two languages; P@5 is the
mean share of the five best clips whose label is that emotion, over emotions first. *Hundred clips*: the mean over 30
folders of a hundred clips drawn at random, which is steadier. *One speaker*: the same with the clips of each speaker
as a folder of their own (those with ten clips or more and two emotions). *Self*: heard against the clips that are
searched, as with ``--reference self``; where fewer than eight of them hold a second of speech there is no such
reference, and the row says so. *Cosine*: the order by the cosine, as it was before fits were graded by evidence.
*Denied*: the share of the five best clips for "not EMOTION" that are of that emotion; lower is better, and by chance
it is that emotion's share of the corpus. *Chance*: one over the number of emotions. *Left out*: the same order over
the test speakers of RAVDESS, nEMO, EmoDB and CSEMOTIONS, by what ears said that were trained without the set
(``results/ear_predictions``), by emotion alone.

Sets: turev (test only), korean and emospeech, whole and their test parts; the order of clips was chosen on answers of
ears about the corpora that they were trained without (RAVDESS, nEMO, EmoDB, CSEMOTIONS), never on these.
"""

import argparse
import functools
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.ear import load_ear
from aptone.ear.claims.limits import EVIDENCE
from aptone.ear.reading import Reading, read_description
from aptone.ear.reference import References, chosen, make_references
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.rooms.style.evidence.judge import rank_keys
from aptone.rooms.style.evidence.odds import VALUES, evidence_signature, load_calibration
from aptone.rooms.style.search import best_places
from aptone.types import Emotion, Language, Perception
from benchmarks.made_with import with_revisions
from benchmarks.style_words import ADJECTIVES, SINGLE, article
from recipes.style.calibrate import LEFT_OUT, claim_row, read_answers
from recipes.style.heard import Heard, heard_clips

CORPORA = ("turev", "korean", "emospeech")
LANGUAGES: tuple[Language, ...] = ("en", "zh")
TOP = 5
FEWEST = 10
SEED, DRAWS, DRAWN = 24, 30, 100
GOAL = 0.70
DENIED: dict[Language, str] = {"en": "a voice that is not {word} at all", "zh": "毫不{word}的声音"}
Floats = npt.NDArray[np.float64]


@functools.cache
def read(text: str) -> Reading:
    """What is read in a description."""
    return read_description(text)


class Folder:
    """Clips that are searched."""

    def __init__(self, heard: Heard, *, against: References | None = None) -> None:
        clips = [perception if against is None else against.applied(perception) for _, perception in heard]
        self.labels = [Emotion.parse(clip.emotion) for clip, _ in heard]
        self._odds = np.stack([log_odds(one) for one in clips])
        self._voices = np.stack([BuiltInStyleEmbedder().embed_perception(one) for one in clips])

    def by_evidence(self, text: str) -> Floats:
        """Numbers to order the clips by, as a search does."""
        return rank_keys(read(text), self._odds)

    def by_cosine(self, text: str) -> Floats:
        """Cosines with a description."""
        cosines: Floats = (self._voices @ embedded(text)).astype(np.float64)
        return cosines

    def precision(self, emotion: Emotion, keys: Floats) -> float:
        """Share of the best clips that are of an emotion."""
        return float(np.mean([self.labels[place] is emotion for place in best_places(keys, top=TOP)]))


def log_odds(perception: Perception) -> Floats:
    """Log odds of every value in a clip."""
    return load_calibration().log_odds(perception)


@functools.cache
def embedded(text: str) -> Any:
    """Vector of a description."""
    return BuiltInStyleEmbedder().embed_texts([text])[0]


def wordings(emotion: Emotion, language: Language) -> list[str]:
    """Four descriptions of an emotion."""
    texts = [pattern.format(word=word) for word in ADJECTIVES[language][emotion] for pattern in SINGLE[language][:2]]
    return [article(text) if language == "en" else text for text in texts]


def reference_of(heard: Heard) -> References | None:
    """The reference of a folder, as an index makes it of its own clips; ``None`` if too few of them hold speech."""
    places = chosen([clip.path.name for clip, _ in heard])
    made = make_references(
        [("", heard[place][1]) for place in places], ear=load_ear("full").signature, prosody=load_ear("full").prosody
    )
    return made if made.whole is not None else None


def measured(folder: Folder, way: str) -> dict[str, float]:
    """Mean precision over emotions, by language, and over both."""
    known = sorted(set(folder.labels))
    order = folder.by_cosine if way == "cosine" else folder.by_evidence
    found: dict[str, float] = {}
    for language in LANGUAGES:
        each = [
            np.mean([folder.precision(emotion, order(text)) for text in wordings(emotion, language)])
            for emotion in known
        ]
        found[language] = float(np.mean(each))
    return {**found, "both": float(np.mean(list(found.values())))}


def denied(folder: Folder, way: str) -> dict[str, float]:
    """Share of the best clips for a denied emotion that are of that emotion, and what chance would give."""
    known = sorted(set(folder.labels))
    order = folder.by_cosine if way == "cosine" else folder.by_evidence
    shares = [
        folder.precision(emotion, order(DENIED[language].format(word=ADJECTIVES[language][emotion][0])))
        for language in LANGUAGES
        for emotion in known
    ]
    return {"share": float(np.mean(shares)), "chance": 1.0 / len(known)}


def corpus_rows(name: str, heard: Heard) -> dict[str, Any]:
    """Everything about one corpus."""
    reference = reference_of(heard)
    alone = Folder(heard)
    row: dict[str, Any] = {
        "clips": len(heard),
        "chance": 1.0 / len(set(alone.labels)),
        "cosine": measured(alone, "cosine"),
        "evidence": measured(alone, "evidence"),
        "denied": {"evidence": denied(alone, "evidence"), "cosine": denied(alone, "cosine")},
    }
    if reference is None:
        row["evidence, self"] = "no reference: too few clips hold a second of speech"
    else:
        against = Folder(heard, against=reference)
        row["cosine, self"], row["evidence, self"] = measured(against, "cosine"), measured(against, "evidence")
    row["hundred clips"] = drawn_rows(heard)
    row["one speaker"] = speaker_rows(heard)
    print(name, json.dumps(row), flush=True)
    return row


def drawn_rows(heard: Heard) -> dict[str, Any]:
    """Mean over folders of a hundred clips that are drawn at random: steadier than five clips of a whole corpus."""
    dice = np.random.default_rng(SEED)
    ways: dict[str, list[float]] = {"cosine": [], "evidence": [], "evidence, self": []}
    for _ in range(DRAWS):
        each = [heard[place] for place in dice.permutation(len(heard))[:DRAWN].tolist()]
        alone, reference = Folder(each), reference_of(each)
        ways["cosine"].append(measured(alone, "cosine")["both"])
        ways["evidence"].append(measured(alone, "evidence")["both"])
        if reference is not None:
            ways["evidence, self"].append(measured(Folder(each, against=reference), "evidence")["both"])
    return {"folders": DRAWS, **{way: float(np.mean(values)) for way, values in ways.items() if values}}


def speaker_rows(heard: Heard) -> dict[str, Any]:
    """Mean over speakers."""
    counts = Counter(clip.speaker for clip, _ in heard)
    folders = [[one for one in heard if one[0].speaker == speaker] for speaker, n in counts.items() if n >= FEWEST]
    folders = [each for each in folders if len({clip.emotion for clip, _ in each}) > 1]
    if not folders:
        return {"speakers": 0}
    ways: dict[str, list[float]] = {"cosine": [], "evidence": [], "evidence, self": []}
    for each in folders:
        alone, reference = Folder(each), reference_of(each)
        ways["cosine"].append(measured(alone, "cosine")["both"])
        ways["evidence"].append(measured(alone, "evidence")["both"])
        if reference is not None:
            ways["evidence, self"].append(measured(Folder(each, against=reference), "evidence")["both"])
    return {"speakers": len(folders), **{way: float(np.mean(values)) for way, values in ways.items() if values}}


def best(row: dict[str, Any]) -> float:
    """P@5 with the reference where there is one, else without."""
    own = row["evidence, self"]
    return float(own["both"] if isinstance(own, dict) else row["evidence"]["both"])


def summary(rows: dict[str, dict[str, Any]], names: Sequence[str]) -> dict[str, float]:
    """Means over corpora."""
    return {
        "cosine": float(np.mean([rows[name]["cosine"]["both"] for name in names])),
        "evidence": float(np.mean([rows[name]["evidence"]["both"] for name in names])),
        "evidence, self where there is a reference": float(np.mean([best(rows[name]) for name in names])),
        "denied, share that is of the emotion": float(
            np.mean([rows[name]["denied"]["evidence"]["share"] for name in names])
        ),
        "denied, by the cosine": float(np.mean([rows[name]["denied"]["cosine"]["share"] for name in names])),
    }


def left_out_rows(data: Path, answers: Path) -> dict[str, Any]:
    """P@5 by ears that never heard the corpus, over the clips of its test speakers; three ears a set."""
    weights = np.array([load_calibration().emotion[name] for name in (*EVIDENCE, "bias")])
    found: dict[str, Any] = {}
    for name in ("ravdess", "nemo", "emodb", "csemotions"):
        shares = []
        for path in sorted(answers.glob(f"{LEFT_OUT}{name}-seed*.npz")):
            block = read_answers(data, answers, split="test", only=path.name).get(f"{LEFT_OUT}{name}", [])
            truths = [answer.truth for answer in block]
            for emotion in sorted(set(truths)):
                keys = np.array([claim_row(answer, emotion) for answer in block]) @ weights
                best = best_places(keys, top=TOP)
                shares.append(float(np.mean([truths[place] is emotion for place in best])))
        if shares:
            found[name] = {"P@5": float(np.mean(shares)), "clips": len(block), "chance": 1.0 / len(set(truths))}
    return found


def order_seconds() -> float:
    """Median CPU seconds to read a description and to order 10,000 clips by it."""
    odds = np.random.default_rng(SEED).normal(scale=2.0, size=(10_000, len(VALUES)))
    odds[:, ::9] = np.nan
    found = []
    for number in range(50):
        begun = time.process_time()
        reading = read_description(f"a weary but firm elderly woman, speaking slowly, not loud, {number}")
        best_places(rank_keys(reading, odds), top=TOP)
        found.append(time.process_time() - begun)
    return statistics.median(found)


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "aptone-style-heard")
    parser.add_argument("--answers", type=Path, default=Path(__file__).parent / "results" / "ear_predictions")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "style_search_quality.json")
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    for name in CORPORA:
        heard = heard_clips(options.data, name, cache=options.cache)
        rows[name] = corpus_rows(name, heard)
        rows[f"{name}, test"] = corpus_rows(f"{name}, test", [one for one in heard if one[0].split == "test"])
    means = {"whole": summary(rows, CORPORA), "test": summary(rows, [f"{name}, test" for name in CORPORA])}
    report = {
        "evidence": evidence_signature(),
        "goal": GOAL,
        "top": TOP,
        "means": means,
        "left out": left_out_rows(options.data, options.answers),
        "seconds to order 10,000 clips": round(order_seconds(), 4),
        "corpora": rows,
    }
    options.output.write_text(json.dumps(with_revisions(report, "ear"), indent=1) + "\n", encoding="utf-8")
    for part, found in means.items():
        print(part, {way: round(value, 3) for way, value in found.items()})
    print("left out", report["left out"])


if __name__ == "__main__":
    main()
