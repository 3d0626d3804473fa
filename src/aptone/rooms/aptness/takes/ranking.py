"""Ranking of takes of one line: order, leads, ties, and the reasons in words.

Takes are judged one by one by the same plan; here their scores are put in order. Two takes share a rank where their
difference is smaller than what the judge can vouch for, the *margin* of the pair:

    margin = max(least lead, 1.96 · s · √(1/n₁ + 1/n₂))

with s the deviation of the judge's repeats within a take, pooled over the takes, and n the repeats of each. Without
repeats, or for a judge that always says the same, only the least lead is left: such a judge agrees with itself, which
does not make it right.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aptone.errors import UsageError
from aptone.judge.calibration import RAW
from aptone.judge.rationale import NAMES
from aptone.report.groups import counted_score
from aptone.report.item_view import compare, why_no_score
from aptone.report.trust import in_order, main_score_name
from aptone.types import Entry, Language

LEAST_LEAD = 0.5
"""Points of a scale from 0 to 5 by which a take must lead by default to be called better. Two readings of a
line that were meant alike often lie further apart than half of this (`benchmarks/rank.py`)."""

QUANTILE = 1.96
"""Of the normal distribution, for an interval of 95 %."""


@dataclass(frozen=True, slots=True)
class Take:
    """One take of a line, judged.

    Args:
        scores: scores of its repeats, those without a number left out.
        aspects: mean score of each aspect that has one, by name.
        planned: description of what was asked for, by aspect, in the language of the story.
        heard: description of what was heard, by aspect.
        reason: reason why it has no score; empty when it has one.
    """

    id: str
    scores: tuple[float, ...]
    asked: int = 1
    aspects: Mapping[str, float] = field(default_factory=dict)
    planned: Mapping[str, str] = field(default_factory=dict)
    heard: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def score(self) -> float:
        """Mean over the repeats; NaN without a number."""
        return math.fsum(self.scores) / len(self.scores) if self.scores else math.nan


@dataclass(frozen=True, slots=True)
class AspectLead:
    """Difference of two takes in one aspect; positive where the better take is ahead in it."""

    name: str
    better: float
    worse: float

    @property
    def difference(self) -> float:
        """Difference in points of the aspect's scale."""
        return self.better - self.worse


@dataclass(frozen=True, slots=True)
class Lead:
    """Lead of a take over another one.

    Args:
        better: id of the take with the higher score; of equals, the one that was given first.
        difference: difference of their scores, 0 or more.
        margin: least difference that counts as a lead.
        aspects: differences by aspect, the largest first.
    """

    better: str
    worse: str
    difference: float
    margin: float
    aspects: tuple[AspectLead, ...] = ()

    @property
    def is_clear(self) -> bool:
        """Return whether the lead exceeds the judge's uncertainty; false for equal scores."""
        return self.difference > 0.0 and self.difference >= self.margin


@dataclass(frozen=True, slots=True)
class Ranking:
    """Takes of one line in order.

    Args:
        takes: the best first, those without a score last.
        ranks: ranks of each take, from 1 on; takes that are too close to call share one. 0 without a score.
        leads: leads of the first take over each other one with a score, in the order of the takes.
        deviation: between the judge's repeats within a take; NaN when nothing was judged twice.
    """

    takes: tuple[Take, ...]
    ranks: tuple[int, ...]
    leads: tuple[Lead, ...]
    deviation: float
    least_lead: float

    @property
    def best(self) -> tuple[Take, ...]:
        """The takes of rank 1: one, or several that are too close to call; none when nothing is scored."""
        return tuple(take for take, rank in zip(self.takes, self.ranks, strict=True) if rank == 1)


def rank_takes(takes: Sequence[Take], *, least_lead: float = LEAST_LEAD) -> Ranking:
    """Put takes in order.

    A take shares the rank of those before it as long as the first of them does not clearly lead it, so ranks do not
    drift along a chain of small differences.

    >>> ranking = rank_takes([Take("a", (2.0,)), Take("b", (3.9,)), Take("c", (4.0,)), Take("d", (), reason="silent")])
    >>> [take.id for take in ranking.takes], ranking.ranks
    (['c', 'b', 'a', 'd'], (1, 1, 3, 0))

    Args:
        takes: takes, at least one, with different ids.

    Raises:
        UsageError: if there is no take, two have one id, or the least lead is negative or not a number.
    """
    if not takes or len({take.id for take in takes}) < len(takes):
        raise UsageError("a ranking needs at least one take, each with an id of its own.")
    if not 0.0 <= least_lead < math.inf:
        raise UsageError(f"the least lead is a number of points from 0 upwards, got {least_lead}.")
    scored = sorted((take for take in takes if take.scores), key=lambda take: -take.score)
    unscored = [take for take in takes if not take.scores]
    deviation = pooled_deviation([take.scores for take in scored])
    ranks: list[int] = []
    for place, take in enumerate(scored, start=1):
        first = scored[ranks[-1] - 1] if ranks else take
        leads = bool(ranks) and _lead(first, take, deviation, least_lead).is_clear
        ranks.append(place if leads or not ranks else ranks[-1])
    return Ranking(
        takes=(*scored, *unscored),
        ranks=(*ranks, *(0 for _ in unscored)),
        leads=tuple(_lead(scored[0], other, deviation, least_lead) for other in scored[1:]),
        deviation=deviation,
        least_lead=least_lead,
    )


def pooled_deviation(groups: Sequence[Sequence[float]]) -> float:
    """Deviation within groups, pooled: √(Σ Σ (x - mean)² / Σ (n - 1)); NaN where no group has two numbers.

    >>> pooled_deviation([[1.0, 3.0], [5.0]]), pooled_deviation([[1.0]])
    (1.4142135623730951, nan)
    """
    freedom = sum(len(group) - 1 for group in groups if group)
    if freedom < 1:
        return math.nan
    means = [(group, math.fsum(group) / len(group)) for group in groups if group]
    return math.sqrt(math.fsum((value - mean) ** 2 for group, mean in means for value in group) / freedom)


def _lead(first: Take, second: Take, deviation: float, least_lead: float) -> Lead:
    noise = 0.0 if math.isnan(deviation) else deviation
    spread = QUANTILE * noise * math.sqrt(1 / len(first.scores) + 1 / len(second.scores))
    shared = [name for name in first.aspects if name in second.aspects]
    aspects = [AspectLead(name, first.aspects[name], second.aspects[name]) for name in shared]
    return Lead(
        better=first.id,
        worse=second.id,
        difference=first.score - second.score,
        margin=max(least_lead, spread),
        aspects=tuple(sorted(aspects, key=lambda aspect: -abs(aspect.difference))),
    )


def takes_of(entries: Sequence[Entry], *, names: Mapping[str, str], language: Language) -> list[Take]:
    """The takes behind the entries of one line, repeats together, in the order of the input.

    Args:
        names: item id to the name of the take.
        language: language of what was planned and heard, where the judge does not say it in words.
    """
    score = main_score_name(entries)
    repeats: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in in_order(entries):
        repeats[entry.item.id].append(entry)
    return [_take(names.get(item, item), group, score, language) for item, group in repeats.items()]


def _take(name: str, repeats: Sequence[Entry], score: str, language: Language) -> Take:
    numbers = [given.value for entry in repeats if (given := counted_score(entry, score)) and given.is_defined]
    if not numbers:
        return Take(name, (), asked=len(repeats), reason=why_no_score(repeats[0], score))
    scored = [entry for entry in repeats if counted_score(entry, score)]
    rows = compare(scored[0], language=language).rows
    return Take(
        id=name,
        scores=tuple(numbers),
        asked=len(repeats),
        aspects=_aspects(scored, score),
        planned={row.name: row.planned for row in rows if row.planned},
        heard={row.name: row.heard for row in rows if row.heard},
    )


def _aspects(repeats: Sequence[Entry], main: str) -> dict[str, float]:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for entry in repeats:
        for name, given in entry.outcome.scores.items():
            if name != main and name != RAW and given.is_defined:
                values[name].append(given.value)
    return {name: math.fsum(numbers) / len(numbers) for name, numbers in values.items()}


MOST_ASPECTS, LEAST_REPORTED, LONGEST_WORDS = 2, 0.1, 80
"""Aspects that are named for the winner (the table has all); points by which takes must differ in an aspect for it to
be worth a word; characters of what was planned or heard."""

WORDS: Mapping[str, Mapping[str, str]] = {
    "none": {"en": "No take has a score.", "zh": "没有一条录音得到评分。"},
    "only": {
        "en": "{best} is the only take with a score: {score} of 5. There is nothing to compare it with.",
        "zh": "只有{best}得到评分：{score}分（满分5分），无从比较。",
    },
    "wins": {
        "en": "{best} is the best of {count} takes: {score} of 5, {difference} ahead of {second}.",
        "zh": "{count}条录音中{best}最好：{score}分（满分5分），比{second}高{difference}分。",
    },
    "tie": {
        "en": "Too close to call: {names}. The first two of them are {difference} apart, and a difference of less than "
        "{margin} is none that this judge can vouch for ({why}). Listen to them.",
        "zh": "难分高下：{names}。前两条相差{difference}分，小于{margin}分的差距这位评审无法担保（{why}）。"
        "请自己听一听。",
    },
    "least": {"en": "the least lead that is called", "zh": "这是判定领先所需的最小差距"},
    "spread": {"en": "asked again, it strays by {deviation} points", "zh": "同一条再评一次，分数会偏离{deviation}分"},
    "better": {"en": "It fits better in {listed}.", "zh": "它更符合要求的是{listed}。"},
    "apart": {"en": "{best} fits better in {listed}.", "zh": "{best}更符合要求的是{listed}。"},
    "against": {"en": "{second} fits better in {listed}.", "zh": "{second}更符合要求的是{listed}。"},
    "figures": {"en": "{name} ({better} against {worse}{heard})", "zh": "{name}（{better}对{worse}{heard}）"},
    "heard": {
        "en": "; asked for “{planned}”, heard in {best}: {first}, in {second}: {other}",
        "zh": "：要求“{planned}”，{best}听来{first}，{second}听来{other}",
    },
    "unscored": {"en": "Without a score: {listed}.", "zh": "没有评分：{listed}。"},
    "and": {"en": " and ", "zh": "和"},
    "comma": {"en": ", ", "zh": "、"},
    "apart_by": {"en": " ", "zh": ""},
}


def explain(ranking: Ranking, *, language: Language) -> str:
    """A few sentences on who wins and why, or on why nobody does."""
    best, scored = ranking.best, [take for take in ranking.takes if take.scores]
    sentences = [_headline(ranking, best, scored, language)]
    if ranking.leads:
        sentences += _deciding(ranking.leads[0], scored[0], scored[1], language, wins=len(best) == 1)
    if missing := [take for take in ranking.takes if not take.scores]:
        listed = "; ".join(f"{take.id} ({take.reason})" for take in missing)
        sentences.append(WORDS["unscored"][language].format(listed=listed))
    return WORDS["apart_by"][language].join(sentences)


def aspect_name(name: str, language: Language) -> str:
    """Return the name of an aspect."""
    return NAMES[name][language] if name in NAMES else name.replace("_", " ")


def _headline(ranking: Ranking, best: Sequence[Take], scored: Sequence[Take], language: Language) -> str:
    if not scored:
        return WORDS["none"][language]
    if len(scored) == 1:
        return WORDS["only"][language].format(best=scored[0].id, score=_figure(scored[0].score))
    lead = ranking.leads[0]
    if len(best) == 1:
        return WORDS["wins"][language].format(
            best=lead.better,
            count=len(ranking.takes),
            score=_figure(scored[0].score),
            difference=_figure(lead.difference),
            second=lead.worse,
        )
    why = WORDS["least"][language]
    if not math.isnan(ranking.deviation) and lead.margin > ranking.least_lead:
        why = WORDS["spread"][language].format(deviation=_figure(ranking.deviation))
    return WORDS["tie"][language].format(
        names=WORDS["comma"][language].join(take.id for take in best),
        difference=_figure(lead.difference),
        margin=_figure(lead.margin),
        why=why,
    )


def _deciding(lead: Lead, first: Take, second: Take, language: Language, *, wins: bool) -> list[str]:
    large = [aspect for aspect in lead.aspects if abs(aspect.difference) >= LEAST_REPORTED]
    ahead = [aspect for aspect in large if aspect.difference > 0][:MOST_ASPECTS]
    behind = [aspect for aspect in large if aspect.difference < 0][:MOST_ASPECTS]
    sentences = []
    if ahead:
        listed = WORDS["and"][language].join(_aspect(aspect, first, second, language) for aspect in ahead)
        sentences.append(WORDS["better" if wins else "apart"][language].format(best=first.id, listed=listed))
    if behind:
        turned = [AspectLead(aspect.name, aspect.worse, aspect.better) for aspect in behind]
        listed = WORDS["and"][language].join(_aspect(aspect, second, first, language) for aspect in turned)
        sentences.append(WORDS["against"][language].format(second=second.id, listed=listed))
    return sentences


def _aspect(aspect: AspectLead, better: Take, worse: Take, language: Language) -> str:
    planned = better.planned.get(aspect.name, "")
    first, other = better.heard.get(aspect.name, ""), worse.heard.get(aspect.name, "")
    heard = ""
    if planned and first and other and first != other:
        heard = WORDS["heard"][language].format(
            planned=_short(planned), best=better.id, first=_short(first), second=worse.id, other=_short(other)
        )
    return WORDS["figures"][language].format(
        name=aspect_name(aspect.name, language), better=_figure(aspect.better), worse=_figure(aspect.worse), heard=heard
    )


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + "…"


def _figure(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
