"""What the built-in planner's text model reads out of a story, beside TF-IDF with logistic regression.

    python -m benchmarks.planner --data TEXTS --run seed1.npz --run seed2.npz --run seed3.npz

`TEXTS` holds ``meld/``, ``cped/`` and ``emobank/`` as `aptone.planner.labelled_dialogues` and
`aptone.train.planner_data` read them; none of it comes with Aptone. A *run* is a file that ``aptone train planner``
wrote; the first figure of every row is that of the model that comes with Aptone. Everything is chosen on dev (MELD's
own; one TV series of CPED), the rival's regularisation too.

MELD: seven emotions, its test part. CPED: thirteen emotions, five TV series of its test part; trained on ``valid`` and
on the other four series. The score is the weighted F1; intervals are 95 %, by bootstrap over dialogues. Needs
scikit-learn.
"""

import argparse
import json
import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from aptone.planner.context_network import LONGEST_CONTEXT
from aptone.planner.text_model import TextModel, load_text_model, read_model
from aptone.train.planner_balance import choose_balance, weighted_f1
from aptone.train.planner_data import read_emobank
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from aptone.planner.label_sets import LABEL_SETS
from aptone.planner.labelled_dialogues import Dialogue, read_cped, read_meld

RESULTS = Path(__file__).parent / "results" / "planner.json"
STRENGTHS = (0.5, 1.0, 2.0, 4.0, 8.0)
DRAWS = 1000
RUN_CONTEXTS = (0, 5, 10, 15)
"""Lines of context at which the other runs are measured too."""
Numbers = npt.NDArray[np.int64]


def truths(dialogues: Sequence[Dialogue]) -> Numbers:
    """The number of every line's label."""
    return np.array([LABEL_SETS[one.set].index(next(iter(line.labels))) for one in dialogues for line in one.lines])


def texts(dialogues: Sequence[Dialogue]) -> list[str]:
    """The text of every line."""
    return [line.line.text for one in dialogues for line in one.lines]


def answers(model: TextModel, dialogues: Sequence[Dialogue], *, context: int) -> Numbers:
    """What the model says about every line, through its own interface."""
    found = []
    for one in dialogues:
        lines = [line.line for line in one.lines]
        for place, line in enumerate(lines):
            before = lines[max(place - context, 0) : place] if context else []
            shares = model.read(before, line, language=one.language).labels
            found.append(max(range(len(shares)), key=list(shares.values()).__getitem__))
    return np.array(found)


def interval(
    dialogues: Sequence[Dialogue], truth: Numbers, answer: Numbers, other: Numbers | None = None
) -> list[float]:
    """A 95 % interval of the weighted F1, or of how far it lies above another's, by bootstrap over dialogues."""
    edges = np.cumsum([0, *(len(one.lines) for one in dialogues)])
    generator = np.random.default_rng(1)
    scores = []
    for _ in range(DRAWS):
        rows = np.concatenate(
            [np.arange(edges[one], edges[one + 1]) for one in generator.integers(0, len(dialogues), len(dialogues))]
        )
        below = 0.0 if other is None else weighted_f1(truth[rows], other[rows])
        scores.append(weighted_f1(truth[rows], answer[rows]) - below)
    return [round(float(end), 4) for end in np.quantile(scores, (0.025, 0.975))]


def rival(train: Sequence[Dialogue], dev: Sequence[Dialogue], test: Sequence[Dialogue]) -> dict[str, Numbers]:
    """TF-IDF of words and character runs with logistic regression: answers on test, by name.

    Once as it is, once with rare labels favoured as ours favours them; both are chosen on dev.
    """
    makers = [
        TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), sublinear_tf=True, min_df=3),
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2, token_pattern=r"[\w']+|[!?.]+"),
    ]
    taught = hstack([maker.fit_transform(texts(train)) for maker in makers]).tocsr()
    tried, tested = (hstack([maker.transform(texts(part)) for maker in makers]) for part in (dev, test))
    shares = np.bincount(truths(train)) / len(truths(train))
    plain: tuple[float, Any] = (-1.0, None)
    favoured: tuple[float, Any] = (-1.0, None)
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=100).fit(taught, truths(train))
        logits, asked = model.decision_function(tried), model.decision_function(tested)
        balance = choose_balance(logits, truths(dev), shares)
        plain = max(plain, (weighted_f1(truths(dev), logits.argmax(axis=1)), asked), key=lambda one: one[0])
        favoured = max(favoured, (balance.score, asked + balance.shift), key=lambda one: one[0])
    return {
        "tfidf_logistic_regression": plain[1].argmax(axis=1),
        "tfidf_logistic_regression_balanced": favoured[1].argmax(axis=1),
    }


def measure(
    name: str, dialogues: Sequence[Dialogue], models: Sequence[TextModel], *, with_rival: bool
) -> dict[str, Any]:
    """Everything about one set."""
    train, dev, test = ([one for one in dialogues if one.part == part] for part in ("train", "dev", "test"))
    truth = truths(test)
    majority = np.full_like(truth, np.bincount(truths(train)).argmax())
    record: dict[str, Any] = {
        "lines": len(truth),
        "dialogues": len(test),
        "majority": round(weighted_f1(truth, majority), 4),
    }
    curve, longest = [], truth
    for context in range(LONGEST_CONTEXT + 1):
        asked = models if context in RUN_CONTEXTS else models[:1]
        found = [answers(model, test, context=context) for model in asked]
        scores = [round(weighted_f1(truth, answer), 4) for answer in found]
        row = {
            "context": context,
            "ours": scores[0],
            "interval": interval(test, truth, found[0]),
            "runs": scores[1:],
            "accuracy": [round(float((truth == answer).mean()), 4) for answer in found],
        }
        curve.append(row)
        longest = found[0]
        print(f"{name}, {context:2d} lines: {row['ours']:.4f} {row['interval']} runs {row['runs']}", flush=True)
    record["curve"] = curve
    for rival_name, answer in (rival(train, dev, test) if with_rival else {}).items():
        record[rival_name] = {
            "weighted_f1": round(weighted_f1(truth, answer), 4),
            "interval": interval(test, truth, answer),
            "accuracy": round(float((truth == answer).mean()), 4),
            "ours_with_15_lines_above_it": interval(test, truth, longest, answer),
        }
    record["per_label_recall_at_15"] = {
        label: round(float((longest[truth == number] == number).mean()), 4)
        for number, label in enumerate(LABEL_SETS[name])
        if (truth == number).any()
    }
    return record


def feelings(dialogues: Sequence[Dialogue], model: TextModel) -> dict[str, float]:
    """Correlation of valence, arousal and dominance with EmoBank's readers, test part."""
    lines = [line for one in dialogues if one.part == "test" for line in one.lines]
    read = [model.read([], line.line, language="en").vad for line in lines]
    given = np.array([line.vad for line in lines])
    ours = np.array([(one.valence, one.arousal, one.dominance) for one in read])
    names = ("valence", "arousal", "dominance")
    return {name: round(float(np.corrcoef(ours[:, k], given[:, k])[0, 1]), 4) for k, name in enumerate(names)}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="The built-in planner's text model beside TF-IDF with regression.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with meld/, cped/ and emobank/.")
    parser.add_argument("--run", type=Path, action="append", default=[], help="An exported run; may be given again.")
    parser.add_argument("--without-rival", action="store_true", help="Leave TF-IDF out.")
    parser.add_argument("--output", type=Path, default=RESULTS, help="Where to.")
    options = parser.parse_args()
    shipped = load_text_model()
    models = [shipped, *(read_model(path.read_bytes()) for path in options.run)]
    record: dict[str, Any] = {
        "what": "weighted F1 of the emotion of a line in its dialogue, unseen dialogues",
        "revision": shipped.revision,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("numpy", "scikit-learn")},
    }
    for name, dialogues in (("meld", read_meld(options.data)), ("cped", read_cped(options.data))):
        record[name] = measure(name, dialogues, models, with_rival=not options.without_rival)
        print(json.dumps({key: value for key, value in record[name].items() if key != "curve"}, ensure_ascii=False))
    record["emobank_correlation"] = feelings(read_emobank(options.data), shipped)
    began = time.process_time()
    sample = [one for one in read_meld(options.data) if one.part == "test"][:40]
    fresh = read_model((files("aptone.planner") / "weights" / "planner.npz").read_bytes())
    loaded = time.process_time()
    answers(fresh, sample, context=LONGEST_CONTEXT)
    lines = sum(len(one.lines) for one in sample)
    record["cpu_seconds"] = {
        "load": round(loaded - began, 3),
        "line_with_15_lines_of_context": round((time.process_time() - loaded) / lines, 5),
    }
    print(record["emobank_correlation"], record["cpu_seconds"])
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
