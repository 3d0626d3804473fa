"""Cost of a search over 10,000 clips, in CPU time, beside other indexes.

    python -m benchmarks.style_search [--model NAME]

Vectors are random and of length 1, in as many dimensions as a style embedder has. *Search* is the product with the
description's vector and the choice of the ten best, as `aptone search` does it, on an index that is in memory; *with
text* adds the embedding of the description by the model, where there is one. *Opening* is what every new command pays
besides: reading the vectors from their file. Rivals, where they are installed: faiss (exact, inner product) and usearch
(approximate: HNSW with its defaults), searched one description at a time, in the same process; for usearch the time to
build its index stands beside it, and how many of the true ten best it finds. Every figure is the median over repeats.
"""

import argparse
import json
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from aptone.errors import AptoneError
from aptone.models import load_style_embedder
from aptone.models.parts import Vectors
from aptone.rooms.style.embedding.vectors import VectorFile, key_of
from aptone.rooms.style.search import best_places

CLIPS, TOP, QUERIES = 10_000, 10, 50
GOAL = 0.05
SIZES = (128, 256, 512)
DESCRIPTION = "a weary but firm elderly woman, speaking slowly"


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="built-in")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "style_search.json")
    options = parser.parse_args()
    rows = {str(size): measured(size) for size in SIZES}
    for size, row in rows.items():
        print(size, json.dumps(row))
    text = text_seconds(options.model)
    print(f"text embedding: {text}")
    result = {
        "clips": CLIPS,
        "goal in seconds": GOAL,
        "by dimensions": rows,
        "text embedding": text,
        "version": version("aptone"),
        "python": platform.python_version(),
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def measured(size: int) -> dict[str, Any]:
    """CPU seconds of everything at one number of dimensions."""
    generator = np.random.default_rng(size)
    rows, queries = unit(generator.normal(size=(CLIPS, size))), unit(generator.normal(size=(QUERIES, size)))
    truth = [best_places(rows @ query, top=TOP) for query in queries]
    own = median_cpu(lambda query: best_places(rows @ query, top=TOP), queries)
    row: dict[str, Any] = {"search": own, "within goal": own < GOAL, "opening": opening(rows)}
    if find_spec("faiss"):
        row["faiss exact / ours"] = round(faiss_seconds(rows, queries) / own, 2)
    if find_spec("usearch"):
        seconds, built, recall = usearch_seconds(rows, queries, truth)
        row["usearch / ours"] = round(seconds / own, 3)
        row["usearch: to build"], row["usearch: found of the true ten"] = built, recall
    return row


def median_cpu(search: Callable[[Vectors], object], queries: Vectors) -> float:
    """The median CPU time of a query, after one that does not count."""
    search(queries[0])
    found = []
    for query in queries:
        begun = time.process_time()
        search(query)
        found.append(time.process_time() - begun)
    return round(statistics.median(found), 6)


def opening(rows: Vectors) -> float:
    """CPU seconds to read the vectors of all clips from their file."""
    keys = [key_of(place) for place in range(len(rows))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.vectors"
        VectorFile(path, signature="x", size=rows.shape[1]).put(dict(zip(keys, rows, strict=True)))
        begun = time.process_time()
        VectorFile(path, signature="x", size=rows.shape[1]).rows(keys)
        return round(time.process_time() - begun, 4)


def faiss_seconds(rows: Vectors, queries: Vectors) -> float:
    """The same search by faiss, exact."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    return median_cpu(lambda query: index.search(query[np.newaxis], TOP), queries)


def usearch_seconds(rows: Vectors, queries: Vectors, truth: list[list[int]]) -> tuple[float, float, float]:
    """Search by usearch, CPU time to build its index, and the share of the true ten best that it finds."""
    from usearch.index import Index

    begun = time.process_time()
    index = Index(ndim=rows.shape[1], metric="cos")
    index.add(np.arange(len(rows)), rows, threads=1)
    built = time.process_time() - begun
    seconds = median_cpu(lambda query: index.search(query, TOP, threads=1), queries)
    hits = [
        len(set(index.search(query, TOP).keys.tolist()) & set(best)) for query, best in zip(queries, truth, strict=True)
    ]
    return seconds, round(built, 2), round(float(np.mean(hits)) / TOP, 3)


def text_seconds(model: str) -> float | str:
    """CPU seconds to embed a description, or why there are none."""
    try:
        embedder = load_style_embedder(model)
    except AptoneError as error:
        return f"not measured: {error}"
    texts = [f"{DESCRIPTION}, {number}" for number in range(QUERIES)]
    embedder.embed_texts(texts[:1])
    found = []
    for text in texts:
        begun = time.process_time()
        embedder.embed_texts([text])
        found.append(time.process_time() - begun)
    return round(statistics.median(found), 6)


def unit(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Vectors:
    """Rows of length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


if __name__ == "__main__":
    main()
