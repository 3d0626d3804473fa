"""Pictures for the report of a run over dialogues: the systems in a table, and feelings over time."""

from collections.abc import Sequence
from functools import cache, partial

import jinja2
from markupsafe import Markup

from aptone.messages import words
from aptone.report.figures import Figure
from aptone.report.numbers import figure, interval_in_points
from aptone.report.page import new_environment
from aptone.report.safe_text import one_line
from aptone.report.unscored import counted_score
from aptone.rooms.dialogue.report.drawing import draw_dialogue
from aptone.rooms.dialogue.report.evidence import exchanges_of, zone_of
from aptone.rooms.dialogue.report.systems import compare_systems, dialogues_shown, gap_notes, shown_name
from aptone.run import Run
from aptone.types import Entry, Language

MOST_DRAWN = 8
"""Dialogues that are drawn, half of them the worst and half of them the best."""


def run_figures(run: Run, *, score: str, language: Language) -> tuple[Figure, ...]:
    """Return the figures of a finished run, from its journal alone."""
    return dialogue_figures(run.entries, score=score, language=language)


def dialogue_figures(entries: Sequence[Entry], *, score: str, language: Language) -> tuple[Figure, ...]:
    """The pictures, made from what the journal holds; none where the run is about no dialogues.

    Args:
        entries: of a run; repeats are left out.
        score: by which the worst and the best are found.
        language: of the words.
    """
    heard = [entry for entry in entries if entry.repeat == 0 and exchanges_of(entry)]
    if not heard:
        return ()
    word = words(language, "report")
    rows = compare_systems(entries)  # those that failed too: the report counts what the terminal counts
    table = _template("systems.html.j2").render(
        rows=rows,
        names=list(rows[0].means),
        notes=gap_notes(rows, language=language),
        language=language,
        shown_name=partial(shown_name, language=language),
        dialogues_shown=partial(dialogues_shown, language=language),
        word=word,
    )
    systems = Figure(word("systems"), Markup(table), word("systems_note"), is_wide=True, is_result=True)  # noqa: S704 (our template escapes)
    return (systems, *(_picture(entry, score, language) for entry in _chosen(heard, score)))


def _chosen(entries: Sequence[Entry], score: str) -> list[Entry]:
    """The worst and the best, the worst first; those without a number last, where there is room."""

    def value(entry: Entry) -> float:
        given = counted_score(entry, score)
        return given.value if given is not None and given.is_defined else float("inf")

    ranked = sorted(entries, key=value)
    half = MOST_DRAWN // 2
    return ranked if len(ranked) <= MOST_DRAWN else ranked[:half] + ranked[-half:]


def _picture(entry: Entry, score: str, language: Language) -> Figure:
    word = words(language, "report")
    given = counted_score(entry, score)
    name = one_line(entry.item.id, limit=80)
    title = word(
        "trajectories_of", name=f"{name} · {score} {figure(round(given.value, 2))}" if given is not None else name
    )
    drawing = draw_dialogue(
        exchanges_of(entry), extreme=zone_of(entry, "extreme"), shift=zone_of(entry, "shift"), language=language
    )
    markup = _template("dialogue.svg.j2").render(drawing=drawing, title=title, word=word)
    left_out = f" {word('turns_left_out', count=drawing.left_out)}" if drawing.left_out else ""
    return Figure(title, Markup(markup), word("trajectories_note") + left_out, is_wide=True)  # noqa: S704 (likewise)


@cache
def _template(name: str) -> jinja2.Template:
    environment = new_environment("aptone.rooms.dialogue")
    environment.globals.update(interval_in_points=interval_in_points)
    return environment.get_template(name)
