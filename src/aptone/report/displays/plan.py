"""Plans in notebooks: how a line should sound, how sure that is, and the words of the story that say so."""

import math
from dataclasses import dataclass

from aptone.messages import words
from aptone.report.displays.fragment import render_display
from aptone.report.hearing.findings import Finding
from aptone.report.notation import UNDEFINED, figure, named, one_line, percent
from aptone.report.plan_text import LEAST_SHOWN, in_words, place_of, plan_fields
from aptone.types import Emotion, Language, Plan, in_language

MOST_BARS = 5
"""Emotions with a bar, the likeliest first."""

LEAST_BAR = 0.01
"""Probability below which an emotion has no bar, unless it is the likeliest."""

MOST_EVIDENCE = 6
"""Quotations of the story."""

LONGEST_WORDS = 240
"""Characters of a name or a field."""


@dataclass(frozen=True, slots=True)
class PlanView:
    """A plan as a template shows it.

    Args:
        phrase: the emotion in words, with how sure it is.
        bars: probabilities of emotions, and that the story does not say.
        fields: what else is asked for: intensity, rhythm, intonation, recording, voice, sounds.
        evidence: words of the story, where they stand, and what they say.
        further: number of further quotations.
        is_open: whether the planner could not name an emotion.
        votes: how a vote went, in a sentence; empty where nobody voted.
    """

    phrase: str
    bars: tuple[Finding, ...]
    fields: tuple[Finding, ...]
    evidence: tuple[tuple[str, str, str], ...]
    further: int
    is_open: bool
    votes: str
    source: str
    signature: str


def show_plan(plan: Plan, *, language: Language) -> str:
    """Return a plan: its emotions as bars, its other fields, and its evidence quoted."""
    return render_display("displays/plan.html.j2", language=language, plan=plan_view(plan, language=language))


def plan_view(plan: Plan, *, language: Language) -> PlanView:
    """Return a plan as templates show it, for displays that a plan is a part of."""
    word = words(language, "report")
    emotion, *others = ((word(name), value) for name, value in plan_fields(plan, language=language))
    others.append(
        (word("events"), ("、" if language == "zh" else ", ").join(named(sound, language) for sound in plan.sounds))
    )
    shown = plan.evidence[:MOST_EVIDENCE]
    return PlanView(
        phrase=emotion[1] or UNDEFINED,
        bars=tuple(_bars(plan, language)),
        fields=tuple(Finding(name, one_line(value, limit=LONGEST_WORDS)) for name, value in others if value),
        evidence=tuple((one.words, place_of(one, language), in_words(one.says, language)) for one in shown),
        further=len(plan.evidence) - len(shown),
        is_open=plan.is_unsaid or plan.is_unsure,
        votes=_votes(plan, language),
        source=plan.source,
        signature=plan.signature,
    )


def _bars(plan: Plan, language: Language) -> list[Finding]:
    """Probabilities that sum to 1, but for the small ones."""
    unsaid = 0.0 if math.isnan(plan.unsaid) else plan.unsaid
    shares = {name: share * (1 - unsaid) for name, share in plan.emotions.items() if not math.isnan(share)}
    ranked = sorted(shares.items(), key=lambda pair: -pair[1])
    shown = [
        (in_language(name, Emotion, language), share)
        for place, (name, share) in enumerate(ranked[:MOST_BARS])
        if place == 0 or share >= LEAST_BAR
    ]
    if unsaid >= LEAST_SHOWN:
        shown.append((words(language, "report")("not_said"), unsaid))
    return [Finding(one_line(name, limit=LONGEST_WORDS), percent(share, 1), 0.0, share) for name, share in shown]


def _votes(plan: Plan, language: Language) -> str:
    if not plan.votes:
        return ""
    asked = len(plan.votes) + len(plan.no_votes)
    return words(language, "report")(
        "votes_told",
        share=percent(plan.vote_share, 1),
        entropy=figure(plan.vote_entropy),
        asked=asked,
        windows=plan.windows or asked,
    )
