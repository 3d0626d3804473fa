"""A plan in words for people: what was chosen, how firmly, and what every window said."""

from collections import Counter

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.planner import stability
from aptone.report.figures import UNDEFINED, figure, percent
from aptone.report.showing import ASPECTS
from aptone.report.visible import one_line
from aptone.report.words import words
from aptone.types import Emotion, Json, Language, NoVote, Plan, RecordingCondition, Vad, Vote, in_language

LONGEST_FIELD = 60
"""Characters of an emotion or a recording condition in the table of windows."""


def plan_table(plan: Plan, *, language: Language = "en") -> RenderableType:
    """The four fields of a plan, how firm it is, and a row for each window that was asked."""
    word = words(language)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _fields(plan, language):
        table.add_row(word(name), Text(one_line(value) or UNDEFINED))
    if not plan.votes:
        return table
    asked = len(plan.votes) + len(plan.no_votes)
    share, entropy = percent(plan.vote_share, 1), figure(plan.vote_entropy)
    told = word("votes_told", share=share, entropy=entropy, asked=asked, windows=plan.windows or asked)
    return Group(table, Text(), windows_table(plan, language=language), Text(told, style="dim"))


def windows_table(plan: Plan, *, language: Language = "en") -> Table:
    """What every window said, the shortest first, and how firm the vote is when it and all shorter ones are counted."""
    word = words(language)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(word("window"), justify="right", no_wrap=True)
    for name in ASPECTS:
        table.add_column(word(name), overflow="fold")
    table.add_column(word("votes_share"), justify="right", no_wrap=True)
    table.add_column(word("votes_entropy"), justify="right", no_wrap=True)
    firmness = {at.window: at for at in stability(plan.votes)}
    chosen = (plan.emotion, plan.rhythm, plan.intonation, plan.recording_condition)
    answers: list[Vote | NoVote] = [*plan.votes, *plan.no_votes]
    for answer in sorted(answers, key=lambda answer: answer.window):
        if not isinstance(answer, Vote):
            reason = word("no_vote", why=one_line(answer.reason, limit=LONGEST_FIELD))
            table.add_row(str(answer.window), Text(reason, style="yellow"), "", "", "", UNDEFINED, UNDEFINED)
            continue
        style = "" if answer.choice == chosen else "dim"
        told = [
            in_language(answer.emotion, Emotion, language),
            answer.rhythm.label(language),
            answer.intonation.label(language),
            in_language(answer.recording_condition, RecordingCondition, language),
        ]
        cells = [Text(one_line(text, limit=LONGEST_FIELD), style=style) for text in told]
        at = firmness[answer.window]
        table.add_row(str(answer.window), *cells, percent(at.share, 1), figure(at.entropy))
    return table


def plan_json(plan: Plan) -> dict[str, Json]:
    """What a machine wants to know of a vote besides the plan itself."""
    counts = Counter(vote.choice for vote in plan.votes)
    asked = len(plan.votes) + len(plan.no_votes)
    return {
        "share": plan.vote_share if plan.votes else None,
        "entropy": plan.vote_entropy if plan.votes else None,
        "plans": len(counts),
        "windows": plan.windows,
        "asked": asked,
        "not_asked": max(0, plan.windows - asked),
        "by_window": [{"window": at.window, "share": at.share, "entropy": at.entropy} for at in stability(plan.votes)],
    }


def _fields(plan: Plan, language: Language) -> list[tuple[str, str]]:
    fields = [
        ("emotion", in_language(plan.emotion, Emotion, language)),
        ("rhythm", plan.rhythm.label(language) if plan.rhythm else ""),
        ("intonation", plan.intonation.label(language) if plan.intonation else ""),
        ("recording_condition", in_language(plan.recording_condition, RecordingCondition, language)),
    ]
    return fields if plan.vad is None else [*fields, ("valence_arousal_dominance", _point(plan.vad))]


def _point(vad: Vad) -> str:
    return ", ".join(figure(value) for value in (vad.valence, vad.arousal, vad.dominance))
