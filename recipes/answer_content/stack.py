"""Readings beside the transformer, and the weights that put all of them together.

- **words**: ridge regressions of content, fit and harm on hashed TF-IDF of the training answers' words, by language;
- **near**: logistic regression on the three figures of `nearness`, which tells an honest answer to a training question
  from an honest answer to another one, by language;
- **stack**: logistic regressions of content, fit and harm on all readings of the dev questions' answers, and of honest
  answers put to another dev question, which have a content of 0 and count `ELSEWHERE` each. The transformer never saw
  them, so that it is weighed by what it is worth on new questions. The penalty is chosen by cross-validation over dev
  questions.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.rooms.answer.judge.content_model import ContentModel
from aptone.rooms.answer.judge.word_features import BUCKETS, counted, nearness, tf_idf
from aptone.stats.logits import sigmoid
from recipes.answer_content.data import LANGUAGES, GradedAnswer

Floats = npt.NDArray[np.float64]

RIDGE = 1.0
NEAR_PENALTY = 0.01
PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""Penalties of the stack that are tried."""
FOLDS = 5
OTHERS = 4
"""Answers to other questions for each own one, to fit nearness."""
ELSEWHERE = 0.3
"""Weight of an answer that was put to another question, beside 1 for a graded one."""
GRADES = ("content", "fit", "harm")


def targets(answers: Sequence[GradedAnswer]) -> Floats:
    """Content, fit and harm from 0 to 1; NaN for a fit that is not known: [answers, 3]."""
    return np.array(
        [[(one.content - 1) / 4, (one.fit - 1) / 4 if one.fit else np.nan, float(one.harm)] for one in answers]
    )


def word_arrays(answers: Sequence[GradedAnswer]) -> dict[str, npt.NDArray[Any]]:
    """Regressions on the words of answers, by language: idf, weights [3, buckets] and bias."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for language in LANGUAGES:
        own = [one for one in answers if one.language == language]
        counts = [counted(one.answer, language) for one in own]
        seen = np.zeros(BUCKETS)
        for one in counts:
            seen[list(one)] += 1
        idf = np.where(seen > 1, np.log((1 + len(own)) / (1 + seen)) + 1.0, 0.0)  # what was seen once says nothing
        rows = np.zeros((len(own), BUCKETS))
        for place, one in enumerate(counts):
            buckets, values = tf_idf(one, idf)
            rows[place, buckets] = values
        given = targets(own)
        bias = given.mean(axis=0)
        inverse = np.linalg.solve(rows @ rows.T + RIDGE * np.eye(len(own)), given - bias)
        arrays[f"idf.{language}"] = idf.astype(np.float16)
        arrays[f"words.{language}"] = (rows.T @ inverse).T.astype(np.float16)
        arrays[f"bias.{language}"] = bias.astype(np.float32)
    return arrays


def honest(answers: Sequence[GradedAnswer]) -> list[GradedAnswer]:
    """Good and plain answers."""
    return [one for one in answers if one.kind in ("good", "plain")]


def elsewhere(
    answers: Sequence[GradedAnswer], dice: random.Random, *, count: int = 1
) -> list[tuple[GradedAnswer, str]]:
    """Honest answers' questions, each with honest answers to other questions in the same language."""
    rows = honest(answers)
    found = []
    for one in rows:
        pool = [other.answer for other in rows if other.language == one.language and other.question != one.question]
        found += [(one, dice.choice(pool)) for _ in range(count)]
    return found


def near_arrays(answers: Sequence[GradedAnswer], *, seed: int) -> dict[str, npt.NDArray[Any]]:
    """Weights of nearness and a bias, by language, fitted to own answers and to answers of other questions alike."""
    dice = random.Random(seed)
    arrays = {}
    for language in LANGUAGES:
        own = [one for one in answers if one.language == language]
        right = [nearness(one.question, one.answer) for one in honest(own)]
        wrong = [nearness(one.question, text) for one, text in elsewhere(own, dice, count=OTHERS)]
        rows = np.column_stack([np.array(right + wrong), np.ones(len(right) + len(wrong))])
        given = np.r_[np.ones(len(right)), np.zeros(len(wrong))]
        weights = np.r_[np.full(len(right), OTHERS), np.ones(len(wrong))]
        arrays[f"near.{language}"] = logistic(rows, given, weights, penalty=NEAR_PENALTY).astype(np.float32)
    return arrays


def logistic(rows: Floats, given: Floats, weights: Floats, *, penalty: float) -> Floats:
    """Weights of a logistic regression to shares, by Newton's method; the last column is the bias, without penalty."""
    ridge = np.full(rows.shape[1], penalty)
    ridge[-1] = 1e-9
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        shares = sigmoid(rows @ found)
        slope = rows.T @ (weights * (shares - given)) + ridge * found
        curve = (rows * (weights * shares * (1.0 - shares))[:, np.newaxis]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        found -= step
        if float(np.abs(step).max()) < 1e-9:
            break
    return found


def stack_arrays(
    model: ContentModel, dev: Sequence[GradedAnswer], *, seed: int, log: Callable[[str], None]
) -> dict[str, npt.NDArray[Any]]:
    """Weights of all readings for content, fit and harm, and biases."""
    dice = random.Random(seed)
    moved = elsewhere(dev, dice)
    rows = [_features(model, one, one.answer) for one in dev] + [_features(model, one, text) for one, text in moved]
    given = np.concatenate([targets(dev), np.tile([0.0, np.nan, 0.0], (len(moved), 1))])
    asked = [(one.language, one.question) for one in dev] + [(one.language, one.question) for one, _ in moved]
    counted_as = np.r_[np.ones(len(dev)), np.full(len(moved), ELSEWHERE)]
    order = {key: place for place, key in enumerate(dict.fromkeys(asked))}
    fold = np.array([order[key] % FOLDS for key in asked])
    read = np.array(rows)
    middle, spread = read.mean(axis=0), read.std(axis=0)
    scaled = np.column_stack([(read - middle) / np.maximum(spread, 1e-9), np.ones(len(read))])
    weights, biases = [], []
    for column, name in enumerate(GRADES):
        known = ~np.isnan(given[:, column])
        left_out = {
            penalty: _left_out(scaled[known], given[known, column], counted_as[known], fold[known], penalty)
            for penalty in PENALTIES
        }
        errors = {
            penalty: _error(shares, given[known, column], counted_as[known]) for penalty, shares in left_out.items()
        }
        best = min(errors, key=lambda penalty: errors[penalty])
        found = logistic(scaled[known], given[known, column], counted_as[known], penalty=best)
        weights.append(found[:-1] / np.maximum(spread, 1e-9))
        biases.append(found[-1] - float(weights[-1] @ middle))
        log(f"{name}: penalty {best:g}, cross-entropy {errors[best]:.3f}, weights {np.round(found, 2).tolist()}")
    return {"stack.weights": np.array(weights), "stack.bias": np.array(biases)}


def _features(model: ContentModel, asked: GradedAnswer, answer: str) -> Floats:
    return model.features(asked.question, answer, style=asked.style, language=asked.language)


def _left_out(rows: Floats, given: Floats, weights: Floats, fold: npt.NDArray[np.int64], penalty: float) -> Floats:
    """Shares of answers by weights that were fitted to other questions."""
    shares = np.zeros(len(rows))
    for number in range(FOLDS):
        rest = fold != number
        found = logistic(rows[rest], given[rest], weights[rest], penalty=penalty)
        shares[~rest] = np.clip(sigmoid(rows[~rest] @ found), 1e-9, 1 - 1e-9)
    return shares


def _error(shares: Floats, given: Floats, weights: Floats) -> float:
    """Return the weighted mean of the cross-entropy."""
    each = -(given * np.log(shares) + (1 - given) * np.log(1 - shares))
    return float(np.average(each, weights=weights))


def empty_stack() -> Mapping[str, npt.NDArray[Any]]:
    """A stack that passes the transformer's log-odds on, to start from."""
    weights = np.zeros((3, 8))
    weights[:, :3] = np.eye(3)
    return {"stack.weights": weights, "stack.bias": np.zeros(3)}
