"""Fit the style model of the answer room to StyleTalk: the style of an answer, given the style of the question.

Two models of one form (`aptone.rooms.answer.judge.style_model`): with and without the words of the answer. Maximum
likelihood with ridge penalties, by L-BFGS. The penalty of the words, and the share of a style's frequency that is
subtracted from its score, are chosen by cross-validation over the dialogues of the training part, five folds, for the
highest mean of two figures: how often the recorded style is preferred to another one that is sampled uniformly, and to
one that is sampled by frequency. The eval part is not read.

Departures from a plain multinomial regression: rare styles share weights with those that have a term in common, and the
frequency of a style counts for less (see the model).
"""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from aptone.errors import RecordError
from aptone.files import write_bytes_whole
from aptone.planner.labelled_dialogues import read_table
from aptone.rooms.answer.judge.style_model import (
    FILE,
    JOINED,
    LICENCE,
    PAIRED,
    READ_EMOTIONS,
    SINGLE,
    STYLES,
    Floats,
    StyleModel,
    log_shares,
    read_style_model,
    text_vector,
    with_words,
    without_words,
)

REVISION = 1
FOLDS = 5
SEED = 0
STEPS = 300
BIAS_PENALTY = 0.05
STYLE_PENALTY = 1.0
TEXT_PENALTIES = (3.0, 10.0, 30.0, 100.0)
TAKEN_BACK = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Candidate shares of a style's frequency that are subtracted."""
FEELING_PENALTY = 3.0
QUESTION_PENALTY = 6.0
"""Penalty of the question's words, as a multiple of that of the answer's: they carry less information."""
FEELINGS = len(READ_EMOTIONS) + 3
"""Size of the feeling of a text: emotions and three dimensions."""
OTHER_ANSWERS = (100, 200, 300, 400, 500)
"""Row offset of answers that do not belong to a question."""
DECIMALS = 4
"""Decimals of stored weights: other processors add up in another order."""

MEANT = {"excited": "cheerful", "hopeful": "friendly"}
"""Two feelings that StyleTalk has a handful of turns for, and the nearest ones of ours."""

Style = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a dialogue and its answer.

    Args:
        dialogue: id of the dialogue.
        question: words of the question.
        asked: feeling, rate and volume of the question.
        answer: words of the answer.
        answered: feeling, rate and volume of the answer.
    """

    dialogue: str
    question: str
    asked: Style
    answer: str
    answered: Style


class Made(NamedTuple):
    """The model's file, and its cross-validation results.

    Args:
        data: bytes of the file.
        model: the model.
        penalties: chosen penalties of the words, by model.
        taken_back: chosen share of a style's frequency, by model.
        uniform: share of preferences for the recorded style over uniformly sampled ones, by model.
        frequent: the same over styles sampled by frequency.
    """

    data: bytes
    model: StyleModel
    penalties: dict[str, float]
    taken_back: dict[str, float]
    uniform: dict[str, float]
    frequent: dict[str, float]


class _Tried(NamedTuple):
    """A choice, its results on held-out dialogues, and its scores there."""

    penalty: float
    taken_back: float
    uniform: float
    frequent: float
    scores: Floats


def read_styletalk(data: Path, *, part: str) -> list[Turn]:
    """Read the turns of a part of StyleTalk.

    Args:
        data: folder that holds ``styletalk``.
        part: ``train`` or ``eval``.

    Raises:
        UsageError: if the file cannot be read.
        RecordError: if it lacks a column, or a style is unknown.
    """
    terms = ("emotion", "speed", "volume")
    columns = ("diag_id", "curr_text", "res_text", *(f"{who}_{term}" for who in ("curr", "res") for term in terms))
    path = data / "styletalk" / f"{part}.csv"
    turns = []
    for number, row in enumerate(read_table(path, columns=columns), start=1):
        asked, answered = (
            (row[f"{who}_emotion"], row[f"{who}_speed"], row[f"{who}_volume"]) for who in ("curr", "res")
        )
        if any(meant(style) not in STYLES for style in (asked, answered)):
            raise RecordError(f"{path}, row {number}: {asked} or {answered} is no style of StyleTalk.")
        turns.append(Turn(row["diag_id"], _said(row["curr_text"]), asked, _said(row["res_text"]), answered))
    return turns


def meant(style: Style) -> Style:
    """Return a style in the model's terms.

    >>> meant(("hopeful", "slow", "normal"))
    ('friendly', 'slow', 'normal')
    """
    return MEANT.get(style[0], style[0]), style[1], style[2]


def _said(text: str) -> str:
    """Return a turn without the speaker's name; one without words is a mark, which has a vector as well."""
    return text.strip().removeprefix("B:").strip() or "."


def fit_style_model(turns: Sequence[Turn], *, log: Callable[[str], None]) -> Made:
    """Choose the penalties, and fit both models to all turns.

    Args:
        turns: turns of the training part.
        log: receives a line for every choice.
    """
    asked, answered = (
        np.array([STYLES.index(meant(style)) for style in styles])
        for styles in ([turn.asked for turn in turns], [turn.answered for turn in turns])
    )
    counts = np.bincount(answered, minlength=len(STYLES)).astype(np.float64)
    arrays: dict[str, npt.NDArray[Any]] = {
        "asked": np.bincount(asked, minlength=len(STYLES)).astype(np.float64),
        "answered": counts,
        "relevance": _rounded(_relevance(turns)),
    }
    folds = _folds(turns)
    best: dict[str, _Tried] = {}
    for name, x in _inputs(turns, asked).items():
        for penalty in TEXT_PENALTIES:
            likely, common = _unseen(x, answered, folds, _penalties(name, x, penalty))
            for share in TAKEN_BACK:
                scores = likely - share * common
                even, often = (
                    float(preferred(scores, answered, weights).mean())
                    for weights in ((counts > 0).astype(float), counts)
                )
                log(f"{name}, penalty {penalty:g}, {share:g} taken back: {even:.4f} uniform, {often:.4f} by frequency")
                if name not in best or even + often > best[name].uniform + best[name].frequent:
                    best[name] = _Tried(penalty, share, even, often, scores)
        weights, bias = _fit(x, answered, _penalties(name, x, best[name].penalty))
        arrays[f"{name}.weights"] = _rounded(weights)
        arrays[f"{name}.bias"] = _rounded(bias)
        line = _line(best[name].scores, answered, counts)
        arrays[f"{name}.line"] = _rounded(np.append(line, best[name].taken_back))
    about = {
        "revision": REVISION,
        "trained_on": "StyleTalk, train (MIT)",
        "turns": len(turns),
        "penalties": {name: one.penalty for name, one in best.items()},
        "taken_back": {name: one.taken_back for name, one in best.items()},
        "licence": LICENCE,
    }
    arrays["about"] = np.frombuffer(json.dumps(about, sort_keys=True).encode("utf-8"), dtype=np.uint8)
    held = io.BytesIO()
    np.savez(held, **{name: arrays[name] for name in sorted(arrays)})  # type: ignore[arg-type]
    data = held.getvalue()
    return Made(
        data,
        read_style_model(data),
        penalties={name: one.penalty for name, one in best.items()},
        taken_back={name: one.taken_back for name, one in best.items()},
        uniform={name: one.uniform for name, one in best.items()},
        frequent={name: one.frequent for name, one in best.items()},
    )


def write_style_model(made: Made, folder: Path) -> Path:
    """Write the file into a folder; equal turns give equal bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes_whole(folder / FILE, made.data)
    return folder / FILE


def preferred(scores: Floats, truth: npt.NDArray[np.int64], weights: Floats) -> Floats:
    """Return how often each row's own style scores higher than a sampled one; ties count half.

    Args:
        scores: [rows, styles].
        truth: own style of each row.
        weights: unnormalised sampling weights of the styles; the own one is left out.
    """
    own = scores[np.arange(len(truth)), truth][:, np.newaxis]
    wins = (scores < own) + 0.5 * (scores == own)
    chances = np.tile(np.asarray(weights, dtype=np.float64), (len(truth), 1))
    chances[np.arange(len(truth)), truth] = 0.0
    shares: Floats = (wins * chances).sum(axis=1) / chances.sum(axis=1)
    return shares


def _inputs(turns: Sequence[Turn], asked: npt.NDArray[np.int64]) -> dict[str, Floats]:
    styles = PAIRED[asked]
    return {
        "without_words": np.array(
            [without_words(style, turn.question) for style, turn in zip(styles, turns, strict=True)]
        ),
        "with_words": np.array(
            [with_words(style, turn.question, turn.answer) for style, turn in zip(styles, turns, strict=True)]
        ),
    }


def _penalties(name: str, x: Floats, of_words: float) -> Floats:
    """Return the penalty of each input."""
    styles = PAIRED.shape[1]
    if name == "without_words":
        return np.concatenate([np.full(styles, STYLE_PENALTY), np.full(x.shape[1] - styles, of_words)])
    words = (x.shape[1] - styles - FEELINGS) // 2
    return np.concatenate(
        [
            np.full(styles, STYLE_PENALTY),
            np.full(words, QUESTION_PENALTY * of_words),
            np.full(FEELINGS, FEELING_PENALTY),
            np.full(words, of_words),
        ]
    )


def _folds(turns: Sequence[Turn]) -> npt.NDArray[np.int64]:
    """Return the fold of each turn; those of one dialogue are together."""
    names = sorted({turn.dialogue for turn in turns})
    np.random.default_rng(SEED).shuffle(names)
    place = {name: number % FOLDS for number, name in enumerate(names)}
    return np.array([place[turn.dialogue] for turn in turns])


def _unseen(
    x: Floats, truth: npt.NDArray[np.int64], folds: npt.NDArray[np.int64], penalties: Floats
) -> tuple[Floats, Floats]:
    """Return held-out log-likelihoods and log-frequencies of each style for every turn."""
    likely, common = np.empty((len(x), len(STYLES))), np.empty((len(x), len(STYLES)))
    for fold in range(FOLDS):
        seen = folds != fold
        weights, bias = _fit(x[seen], truth[seen], penalties)
        counts = np.bincount(truth[seen], minlength=len(STYLES)) + 0.5
        likely[~seen] = log_shares(x[~seen], weights, bias)
        common[~seen] = np.log(counts / counts.sum())
    return likely, common


def _fit(x: Floats, truth: npt.NDArray[np.int64], penalties: Floats) -> tuple[Floats, Floats]:
    """Return the weights and bias that maximise the likelihood minus half the penalty times the squared weights."""
    inputs, outputs = x.shape[1], SINGLE.shape[1]
    own = np.eye(len(STYLES))[truth]

    def loss(numbers: Floats) -> tuple[float, Floats]:
        weights, bias = numbers[: inputs * outputs].reshape(inputs, outputs), numbers[inputs * outputs :]
        likely = log_shares(x, weights, bias)
        wrong = np.exp(likely) - own
        value = -(own * likely).sum() + (penalties[:, np.newaxis] * weights**2).sum() / 2
        value += BIAS_PENALTY * (bias**2).sum() / 2
        by_weight = x.T @ (wrong @ SINGLE) + penalties[:, np.newaxis] * weights
        by_bias = wrong.sum(axis=0) @ JOINED + BIAS_PENALTY * bias
        return float(value), np.concatenate([by_weight.ravel(), by_bias])

    start = np.zeros(inputs * outputs + JOINED.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return found[: inputs * outputs].reshape(inputs, outputs), found[inputs * outputs :]


def _line(scores: Floats, truth: npt.NDArray[np.int64], counts: Floats) -> Floats:
    """Return slope and intercept of the log-odds that a style is the recorded one and not a uniformly sampled one."""
    own = scores[np.arange(len(truth)), truth]
    others = (counts > 0)[np.newaxis].repeat(len(truth), axis=0)
    others[np.arange(len(truth)), truth] = False
    return _log_odds(own, scores[others])


def _relevance(turns: Sequence[Turn]) -> Floats:
    """Return slope and intercept of the log-odds that a cosine is that of a question with its own answer."""
    questions = np.array([text_vector(turn.question) for turn in turns])
    answers = np.array([text_vector(turn.answer) for turn in turns])
    own = np.sum(questions * answers, axis=1)
    others = [np.sum(questions * np.roll(answers, shift, axis=0), axis=1) for shift in OTHER_ANSWERS]
    return _log_odds(own, np.concatenate(others))


def _log_odds(own: Floats, others: Floats) -> Floats:
    """Return slope and intercept of a logistic regression between two kinds of values, with equal priors."""
    values = np.concatenate([own, others])
    signs = np.concatenate([np.ones(own.size), -np.ones(others.size)])
    weights = np.where(signs > 0, 1.0 / own.size, 1.0 / others.size)

    def loss(line: Floats) -> tuple[float, Floats]:
        margins = signs * (line[0] * values + line[1])
        pull = -weights * signs / (1.0 + np.exp(margins))
        return float((weights * np.logaddexp(0.0, -margins)).sum()), np.array([(pull * values).sum(), pull.sum()])

    line: Floats = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x
    return line


def _rounded(values: Floats) -> Floats:
    return np.round(values, DECIMALS) + 0.0
