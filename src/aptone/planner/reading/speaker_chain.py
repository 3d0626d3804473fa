"""Scorer of speakers: a small network scores each candidate, and a chain adds who speaks after whom.

The chain is a conditional random field of second order: a unit's speaker depends on the two units before it, by whether
it is the same person. Its exact marginals (forward and backward) say how sure a speaker is, so that alternation counts
in both directions. Trained by `recipes/planner/fit_speakers.py`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from aptone.planner.reading.speaker_features import FEATURES, NOBODY, Candidates, fits_pronoun
from aptone.planner.reading.speaker_priors import speaker_priors, turn_priors
from aptone.planner.reading.speech_units import Events, Unit
from aptone.types import Language

Array = NDArray[np.float32]
_ENDS_SPEECH = re.compile(
    r"(?:说|话|言|道|讲|骂|念|吟)(?:罢|毕|完|着|话)|话(?:音|犹|还)?(?:未|没)|言(?:还)?未"
    r"|[Ww]ith (?:that|these words)|[Ss]o saying|[Hh]aving said"
)
_HEARS = re.compile(
    r"[^，。]{0,6}(?:听[了罢见得说到毕]|闻言|闻说|见说|闻听|见问)"
    r"|.{0,24}\b(?:heard this|at this|at these words)\b"
)
_GOES_ON = re.compile(
    r"(?:又|接着|继续|复|再|便又)[^，。：]{0,4}[道说问云曰：]|\b(?:went on|continued|added|resumed|repeated|pursued"
    r"|proceeded|concluded|finished|again|goes on|continues|adds)\b"
)
_ANSWERS = re.compile(
    r"(?:答|应|回)(?:道|说|：|了)|回答|\b(?:answered|replied|returned|retorted|rejoined|responded|echoed|answers"
    r"|replies|agreed)\b"
)
"""Words of narration that tell whether the one before speaks again."""
Exact = NDArray[np.float64]

LINKS = (
    "always", "same paragraph", "adjacent", "adjacent and begin", "near", "far", "log narration", "later begins",
    "same paragraph: clause between", "same paragraph: nothing between", "earlier asks", "later has a pronoun",
    "later has a beat", "earlier has no tag", "same pronoun", "other pronoun", "adjacent, begin, no tag",
    "nobody acts between", "narration ends the speech", "narration hears the speech", "later goes on", "later answers",
    "short story, adjacent",
)  # fmt: skip
"""Features of two units that tell whether one person says both."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the scorer of a language.

    Args:
        hidden: features × hidden units, with `bias`.
        out: hidden units to a score, beside the linear `direct` of the features.
        links: score that two units have the same speaker, one and two units apart, by `LINKS`.
        sure: least probability of a speaker who is given.
    """

    hidden: Array
    bias: Array
    out: Array
    direct: Array
    links: Array
    sure: float


@cache
def speaker_weights(language: Language) -> Weights:
    """Return the shipped weights of a language."""
    path = files("aptone.planner.reading") / "weights" / f"speakers.{language}.npz"
    with path.open("rb") as file, np.load(file) as stored:
        if list(stored["features"]) != list(FEATURES) or list(stored["link_names"]) != list(LINKS):
            raise ValueError("speakers: weights of other features; run recipes/planner/fit_speakers.py")
        parts = {name: stored[name].astype(np.float32) for name in ("hidden", "bias", "out", "direct", "links")}
        return Weights(**parts, sure=float(stored["sure"]))


def speaker_probabilities(candidates: Candidates, events: Events, weights: Weights) -> list[Array]:
    """Return for each unit the probabilities of its candidates; a speaker whom the text names has all of it."""
    if not events.units:
        return []
    scores = []
    for number, unit in enumerate(events.units):
        names, features = candidates.names[number], candidates.features[number]
        score = np.tanh(features @ weights.hidden + weights.bias) @ weights.out + features @ weights.direct
        if unit.role or unit.tag == "someone":
            score = np.where([name == unit.role for name in names], score, np.float32(-1e4))
        told = speaker_priors(unit, names, fits_pronoun(features, unit.tag), events)
        scores.append(score + told + turn_priors(number, names, events))
    links = np.stack([link_features(events, step) for step in (1, 2)])
    return marginals(scores, candidates.names, np.einsum("snl,sl->sn", links, weights.links))


def link_features(events: Events, step: int) -> Array:
    """Return units × `LINKS`, of each unit and the one `step` units before it; zeros where there is none."""
    units = events.units
    found = np.zeros((len(units), len(LINKS)), np.float32)
    for number in range(step, len(units)):
        found[number] = _link(units[number - step], units[number], events, step)
    return found


def _link(one: Unit, two: Unit, events: Events, step: int) -> list[float]:
    gap = two.place - one.place
    between = [told for event in range(one.event + 1, two.event) if (told := events.told(event)) is not None]
    behind = events.told(two.event + 1)
    if behind is not None and behind.place != two.place:
        behind = None
    beat = behind is not None or any(told.place == two.place for told in between)
    adjacent = gap == step
    begin = one.begins and two.begins
    ends = any(told.text.rstrip(" ”’」』")[-1:] in "。！？.!?；" for told in between)
    asks = one.speech.rstrip(" ”’」』\"'")[-1:] in ("?", "？")
    plain = not (two.tag or two.role or beat)
    told_pronouns = bool(one.tag and two.tag)
    acts = any(mention.is_subject and not mention.owns for told in between for mention in told.mentions)
    first, last = (between[0].text, between[-1].text[-24:]) if between else ("", "")
    tag_words = [last] if between and between[-1].opens else []
    if behind is not None:
        tag_words.append(behind.text[:40])
    return [
        1.0, gap == 0, adjacent, adjacent and begin, gap <= step + 1, gap > step + 3, np.log1p(len(between)),
        two.begins, gap == 0 and bool(between) and not ends, gap == 0 and not between, asks, bool(two.tag),
        beat, not (one.tag or one.role), told_pronouns and one.tag == two.tag,
        told_pronouns and one.tag != two.tag, adjacent and begin and plain,
        not acts, _ENDS_SPEECH.match(first) is not None, _HEARS.match(first) is not None,
        any(_GOES_ON.search(text) for text in tag_words), any(_ANSWERS.search(text) for text in tag_words),
        events.is_short and adjacent,
    ]  # fmt: skip


def marginals(scores: Sequence[Array], names: Sequence[Sequence[str]], links: Array) -> list[Array]:
    """Return the probabilities of the candidates of each unit in a chain of second order.

    Sums are in double precision, and every row of them is normalised, so that they do not lose digits in a long story.

    Args:
        scores: scores of the candidates, by unit.
        links: 2 × units: score that a unit has the same speaker as the one before it, and the one before that.
    """
    own = [np.asarray(score, np.float64) for score in scores]
    one = [float(links[0, number]) * _same(names, number, 1) for number in range(len(own))]
    two = [float(links[1, number]) * _same(names, number, 2) for number in range(len(own))]
    forward: list[Exact] = []  # of a unit's candidates and those of the unit before it
    for number, score in enumerate(own):
        if number == 0:
            forward.append(_normalised(score[None, :]))
            continue
        before = _log_sum(forward[-1][:, :, None] + two[number][:, None, :], 0)
        forward.append(_normalised(before + one[number] + score[None, :]))
    backward: list[Exact] = [np.zeros_like(forward[-1])]
    for number in range(len(own) - 1, 0, -1):
        # of the pair (before, number - 1), over the candidates of `number`
        step = backward[-1] + one[number] + own[number][None, :]
        backward.append(_normalised(_log_sum(step[None, :, :] + two[number][:, None, :], 2)))
    found = []
    for ahead, behind in zip(forward, reversed(backward), strict=True):
        total = _log_sum(ahead + behind, 0)
        share = np.exp(total - total.max())
        found.append((share / share.sum()).astype(np.float32))
    return found


def _same(names: Sequence[Sequence[str]], number: int, step: int) -> Exact:
    """Return which candidates of a unit and of the one `step` before it are the same person."""
    before = names[number - step] if number >= step else [NOBODY]
    return np.array([[one == two != NOBODY for two in names[number]] for one in before], np.float64)


def _normalised(values: Exact) -> Exact:
    """Return logarithms without their largest: probabilities do not change, and a long chain does not grow."""
    return np.asarray(values - values.max(), np.float64)


def _log_sum(values: Exact, axis: int) -> Exact:
    top = values.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis), np.float64)


def best_speakers(
    candidates: Candidates, events: Events, weights: Weights, *, least: float = 0.0
) -> Iterator[tuple[Unit, str, float]]:
    """Yield each unit with its likeliest speaker, or nobody where none is sure enough, and the probability.

    Args:
        least: least probability of a speaker who is given, where it is above that of the weights.
    """
    found = speaker_probabilities(candidates, events, weights)
    for unit, names, shares in zip(events.units, candidates.names, found, strict=True):
        best = int(shares.argmax())
        sure = float(shares[best])
        yield unit, (names[best] if unit.role or sure >= max(weights.sure, least) else NOBODY), sure
