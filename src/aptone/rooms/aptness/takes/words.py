"""Why a take wins, or why none does, in words: in the language of the story."""

import math
from collections.abc import Mapping, Sequence

from aptone.judge.rationale import NAMES
from aptone.rooms.aptness.takes.ranking import AspectLead, Lead, Ranking, Take
from aptone.types import Language

MOST_ASPECTS = 2
"""Aspects that are named for the winner; the table has all."""

LEAST_TOLD = 0.1
"""Points by which takes must differ in an aspect for it to be worth a word."""

LONGEST_WORDS = 80

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
    "spread": {
        "en": "asked again, it strays by {deviation} points",
        "zh": "同一条再评一次，分数会偏离{deviation}分",
    },
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
        lead = ranking.leads[0]
        first, second = scored[0], scored[1]
        sentences += _deciding(lead, first, second, language, wins=len(best) == 1)
    if missing := [take for take in ranking.takes if not take.scores]:
        listed = "; ".join(f"{take.id} ({take.reason})" for take in missing)
        sentences.append(WORDS["unscored"][language].format(listed=listed))
    return WORDS["apart_by"][language].join(sentences)


def aspect_name(name: str, language: Language) -> str:
    """How an aspect is called."""
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
    return WORDS["tie"][language].format(
        names=WORDS["comma"][language].join(take.id for take in best),
        difference=_figure(lead.difference),
        margin=_figure(lead.margin),
        why=_why(ranking, lead, language),
    )


def _why(ranking: Ranking, lead: Lead, language: Language) -> str:
    if math.isnan(ranking.deviation) or lead.margin <= ranking.least_lead:
        return WORDS["least"][language]
    return WORDS["spread"][language].format(deviation=_figure(ranking.deviation))


def _deciding(lead: Lead, first: Take, second: Take, language: Language, *, wins: bool) -> list[str]:
    told = [aspect for aspect in lead.aspects if abs(aspect.difference) >= LEAST_TOLD]
    ahead = [aspect for aspect in told if aspect.difference > 0][:MOST_ASPECTS]
    behind = [aspect for aspect in told if aspect.difference < 0][:MOST_ASPECTS]
    sentences = []
    if ahead:
        listed = _listed([_aspect(aspect, first, second, language) for aspect in ahead], language)
        sentences.append(WORDS["better" if wins else "apart"][language].format(best=first.id, listed=listed))
    if behind:
        turned = [AspectLead(aspect.name, aspect.worse, aspect.better) for aspect in behind]
        listed = _listed([_aspect(aspect, second, first, language) for aspect in turned], language)
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
        name=aspect_name(aspect.name, language),
        better=_figure(aspect.better),
        worse=_figure(aspect.worse),
        heard=heard,
    )


def _listed(parts: Sequence[str], language: Language) -> str:
    return WORDS["and"][language].join(parts)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + "…"


def _figure(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
