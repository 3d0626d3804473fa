"""Ablation of the planner's training sources: a row for each one left out.

    python -m benchmarks.planner_sources FOLDER --first FIRST/weights.NAME.words.npz FIRST/weights.NAME.body.npz

`FOLDER` is what `recipes.planner.prepare` and `make_starts` wrote; `--first` are the weights of the first phase of the
training (masked pieces, tags, narrated feelings, GoEmotions, CPED), before any label of a careful reader. Training
everything again for each row takes a GPU; here the encoder of the first phase stays as it is, and a logistic regression
on its states (first piece, opening mark, mean of the line) is fitted to readers' labels with one source left out, on a
CPU. So a row says what labels add on top of the same encoder; "without tags" has the encoder that training starts from
in its place. Acceptable emotions on held-out scenes, contrast sets and lines of books. The result file is of the labels
before talk, the last contrast sets and the last tricky scenes came. Needs scikit-learn and torch.
"""

import argparse
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from aptone.types import Language
from benchmarks.made_with import with_revisions
from recipes.planner.batches import Source, batch_of, on_device
from recipes.planner.evaluation import answers
from recipes.planner.gpu_job import first_weights, joined
from recipes.planner.network import HEADS, Encoder
from recipes.planner.packed_weights import unpacked

RESULTS = Path(__file__).parent / "results" / "planner_sources.json"
SOURCES = ("scenes", "contrast", "books")
WEIGHTS = {"scenes": 1.0, "contrast": 1.0, "books": 0.5}
STRENGTH = 0.3
LANGUAGES: tuple[Language, ...] = ("en", "zh")
OF_TAGS = (0, 1, 2, 3, 4, 5, 6, 7)
"""Numbers of the tag head are those of the first eight emotions of the readers."""
Floats = npt.NDArray[np.float32]


def states(network: Encoder, source: Source, rows: npt.NDArray[np.int64]) -> Floats:
    """Return the features of each row for a regression: first piece, opening mark, mean of the line."""
    network.eval()
    held = on_device(source, "cpu")
    order = np.argsort(source.lengths[rows])
    found = np.zeros((len(rows), 3 * network.words.weight.shape[1]), dtype=np.float32)
    with torch.no_grad():
        for start in range(0, len(rows), 64):
            chosen = order[start : start + 64]
            batch = batch_of([(held, torch.from_numpy(rows[chosen]))], "cpu")
            with torch.autocast("cpu", dtype=torch.bfloat16):
                out = network.states(batch)
            inside = batch.in_target.to(out.dtype).unsqueeze(-1)
            mean = (out * inside).sum(1) / inside.sum(1).clamp(min=1.0)
            first = out[torch.arange(len(out)), batch.opened]
            found[chosen] = torch.cat([out[:, 0], first, mean], dim=-1).float().numpy()
    return found


def fitted(parts: dict[str, tuple[Floats, Any]], training: tuple[str, ...]) -> LogisticRegression:
    """A regression on some sources; several acceptable emotions count by share."""
    features, labels, weights = [], [], []
    for name in training:
        own, target = parts[name]
        places, classes = np.nonzero(target)
        features.append(own[places])
        labels.append(classes)
        weights.append(target[places, classes] * WEIGHTS[name])
    model = LogisticRegression(C=STRENGTH, max_iter=150)
    model.fit(np.concatenate(features), np.concatenate(labels), sample_weight=np.concatenate(weights))
    return model


def acceptable(answer: npt.NDArray[np.int64], target: Any) -> float:
    """The share of answers that the reader accepts."""
    return round(float((target[np.arange(len(answer)), answer] > 0).mean()), 3)


def table(language: Language, sources: dict[str, Source], networks: dict[str, Encoder]) -> dict[str, dict[str, float]]:
    """A row for each source left out."""
    size = HEADS["reader"]
    own = {name: sources[f"{name}.{language}"] for name in SOURCES}
    rows = {(name, dev): source.rows(dev=dev) for name, source in own.items() for dev in (False, True)}
    found: dict[str, dict[str, float]] = {}
    for kind, network in networks.items():
        training = {
            name: (states(network, own[name], rows[name, False]), own[name].target[rows[name, False], :size])
            for name in SOURCES
        }
        tried = {
            name: (states(network, own[name], rows[name, True]), own[name].target[rows[name, True], :size])
            for name in SOURCES
        }
        every = tuple(SOURCES)
        wanted = {"all sources": every} if kind == "first phase" else {"without tags": every}
        if kind == "first phase":
            wanted |= {f"without {name}": tuple(other for other in every if other != name) for name in every}
        for title, names in wanted.items():
            model = fitted(training, names)
            found[title] = {
                name: acceptable(model.classes_[model.predict_proba(features).argmax(axis=1)], target)
                for name, (features, target) in tried.items()
            }
            print(language, title, found[title], flush=True)
    found["without any reader's label"] = {}
    for name in SOURCES:
        held = on_device(own[name], "cpu")
        with torch.no_grad():
            logits = answers(networks["first phase"], held, rows[name, True], "cpu", "tags")
        numbers = np.array(OF_TAGS)[logits[:, : len(OF_TAGS)].argmax(axis=1)]
        found["without any reader's label"][name] = acceptable(numbers, own[name].target[rows[name, True], :size])
    print(language, "without any reader's label", found["without any reader's label"], flush=True)
    return found


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=Path, nargs="+", required=True)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    sources, _ = joined(options.folder, {})
    start = first_weights(options.folder)
    arrays: dict[str, Any] = {}
    for path in options.first:
        arrays |= dict(np.load(path))
    networks = {}
    for name, weights in (("first phase", unpacked(arrays)), ("start", start)):
        networks[name] = Encoder(len(start["words.weight"]))
        networks[name].load_state_dict(weights, strict=False)
    record: dict[str, Any] = {
        "what": "acceptable emotions on dev by a regression on the encoder of the first phase, a source left out a row",
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("aptone", "torch")},
    }
    for language in LANGUAGES:
        record[language] = table(language, sources, networks)
    options.output.write_text(json.dumps(with_revisions(record, "planner"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
