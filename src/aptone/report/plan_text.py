"""A plan in words for people: what is asked for, how sure that is, the words it rests on, what every window said."""

import math
from collections import Counter
from dataclasses import dataclass, field

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.messages import name_in, words
from aptone.planner import stability
from aptone.report.item_view import ASPECTS, plan_of
from aptone.report.notation import UNDEFINED, figure, one_line, percent
from aptone.run.entries import digest
from aptone.run.payload import line_of
from aptone.types import Emotion, Entry, Evidence, Json, Language, NoVote, Plan, RecordingCondition, Vote, in_language

LONGEST_FIELD = 60
"""Characters of an emotion or a recording condition in the table of windows."""
LEAST_SHOWN = 0.05
"""Probability below which another emotion is not worth naming."""
MOST_DIGESTS = 12
"""Lines of a run whose plans the terminal shows."""
MOST_OTHERS = 3
"""Other emotions that are named beside the likeliest."""


def plan_table(plan: Plan, *, language: Language = "en", windows: bool = True) -> RenderableType:
    """A plan with what it rests on and how sure it is; a row for each window, where windows voted."""
    word = words(language, "report")
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in plan_fields(plan, language=language):
        table.add_row(word(name), Text(one_line(value) or UNDEFINED))
    for number, row in enumerate(evidence_rows(plan, language=language)):
        table.add_row("" if number else word("because"), Text(one_line(row)))
    shown: list[RenderableType] = [table]
    if plan.is_unsaid or plan.is_unsure:
        shown.append(Text(word("plan_how_to_go_on"), style="yellow"))
    if plan.votes and windows:
        asked = len(plan.votes) + len(plan.no_votes)
        share, entropy = percent(plan.vote_share, 1), figure(plan.vote_entropy)
        note = word("votes_told", share=share, entropy=entropy, asked=asked, windows=plan.windows or asked)
        shown += [Text(), windows_table(plan, language=language), Text(note, style="dim")]
    return Group(*shown)


def plan_digest(plan: Plan, *, language: Language = "en") -> str:
    """A plan on one line: the emotion with how sure it is, and the most telling words."""
    word = words(language, "report")
    first = next(iter(evidence_rows(plan, language=language)), "")
    rest = [one.label(language) for one in (plan.rhythm, plan.intonation) if one]
    digest = ", ".join(filter(None, (emotion_text(plan, language=language), *rest)))
    return one_line(f"{digest} — {first}" if first else digest) or word("plan_not_said", share=UNDEFINED)


@dataclass(slots=True)
class PlanDigests:
    """Plans that a planner made for the lines of a run, one row a line; the report has all of them in full.

    Held are those of the first lines, and of further ones what tells them apart.
    """

    limit: int = MOST_DIGESTS
    _found: dict[str, Plan] = field(default_factory=dict)
    _further: set[bytes] = field(default_factory=set)

    def add(self, entry: Entry) -> None:
        """Take in the plan of an entry, if it has one that a planner made."""
        line = line_of(entry.item.payload)
        if line in self._found or (mark := digest(line)) in self._further:
            return
        plan = plan_of(entry)
        if plan is not None and plan.emotions:
            if len(self._found) < self.limit:
                self._found[line] = plan
            else:
                self._further.add(mark)

    def table(self, language: Language = "en") -> RenderableType:
        """Return the rows."""
        word = words(language, "report")
        title = word("plans_read") if self._found else None
        table = Table(box=None, show_header=False, pad_edge=False, title=title, title_justify="left", title_style="dim")
        table.add_column(overflow="ellipsis", no_wrap=True, max_width=36, style="bold")
        table.add_column(overflow="fold")
        for line, plan in self._found.items():
            table.add_row(Text(one_line(line)), Text(plan_digest(plan, language=language)))
        if self._further:
            table.add_row("", Text(word("further_rows", count=len(self._further)), style="dim"))
        return table


def emotion_text(plan: Plan, *, language: Language) -> str:
    """The emotion of a plan; with the probabilities behind it, where it has any."""
    word = words(language, "report")
    named = in_language(plan.emotion, Emotion, language)
    if not plan.emotions or math.isnan(plan.unsaid):
        return named
    said = 1.0 - plan.unsaid
    ranked = sorted(plan.emotions.items(), key=lambda pair: -pair[1])
    if plan.is_unsaid:
        return word("plan_not_said", share=_share(plan.unsaid))
    comma = "、" if language == "zh" else ", "
    listed = [
        (f"{in_language(name, Emotion, language)} {_share(share * said)}", share * said) for name, share in ranked
    ]
    if plan.is_unsure:
        return word("plan_unsure", listed=comma.join(text for text, _ in listed[:MOST_OTHERS]))
    others = [text for text, share in listed[1:] if share >= LEAST_SHOWN]
    if plan.unsaid >= LEAST_SHOWN:
        others.append(word("plan_unsaid_share", share=_share(plan.unsaid)))
    rest = comma.join(others[:MOST_OTHERS])
    return f"{named} {_share(ranked[0][1] * said)}" + (f" ({rest})" if rest else "")


def _share(value: float) -> str:
    return f"{value:.0%}".replace("%", " %")


def evidence_rows(plan: Plan, *, language: Language) -> list[str]:
    """The words that a plan rests on: quoted, where they stand, and what they say."""
    word = words(language, "report")
    return [
        word("evidence_row", words=one.words, place=place_of(one, language), says=in_words(one.says, language))
        for one in plan.evidence
    ]


def in_words(says: str, language: Language) -> str:
    """What words of the story say, or how a voice is to sound: names of ours, between commas, in a language."""
    parts = [in_language(part.strip(), Emotion, language) for part in says.split(",")]
    return ("、" if language == "zh" else ", ").join(name_in(language, part, "names.voice") for part in parts)


def place_of(one: Evidence, language: Language) -> str:
    """Where the words of the story stand, as seen from the line."""
    word = words(language, "report")
    if one.kind == "tag":
        return word("place_tag")
    if one.kind == "direction":
        return word("place_direction")
    if one.line == 0:
        return word("place_target")
    if one.paragraph == 0:
        return word("place_beside")
    return word("place_before" if one.paragraph < 0 else "place_after", count=abs(one.paragraph))


def windows_table(plan: Plan, *, language: Language = "en") -> Table:
    """Return a table of the windows, the shortest first, with the vote over each window and all shorter ones."""
    word = words(language, "report")
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
        texts = [
            in_language(answer.emotion, Emotion, language),
            answer.rhythm.label(language),
            answer.intonation.label(language),
            in_language(answer.recording_condition, RecordingCondition, language),
        ]
        cells = [Text(one_line(text, limit=LONGEST_FIELD), style=style) for text in texts]
        at = firmness[answer.window]
        table.add_row(str(answer.window), *cells, percent(at.share, 1), figure(at.entropy))
    return table


def plan_json(plan: Plan) -> dict[str, Json]:
    """Return the figures of a vote as JSON, without the plan itself."""
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


def plan_fields(plan: Plan, *, language: Language) -> list[tuple[str, str]]:
    """What a plan asks for, by the key of each name: the four that every plan has, and those that it says besides."""
    fields = [
        ("emotion", emotion_text(plan, language=language)),
        ("rhythm", plan.rhythm.label(language) if plan.rhythm else ""),
        ("intonation", plan.intonation.label(language) if plan.intonation else ""),
        ("recording_condition", in_language(plan.recording_condition, RecordingCondition, language)),
    ]
    if not math.isnan(plan.intensity):
        degree = "faint" if plan.intensity < 0.4 else "clear" if plan.intensity < 0.75 else "strong"
        fields.insert(1, ("intensity", words(language, "report")(f"intensity_{degree}")))
    if plan.voice:
        fields.append(("voice", in_words(", ".join(plan.voice), language)))
    if plan.vad is not None:
        point = (plan.vad.valence, plan.vad.arousal, plan.vad.dominance)
        fields.append(("valence_arousal_dominance", ", ".join(map(figure, point))))
    return fields
