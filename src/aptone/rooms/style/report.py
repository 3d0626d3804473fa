"""Reports of the room: one clip against several descriptions, search results, and counts of a build's steps."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import jinja2
from markupsafe import Markup
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from aptone.messages import message, name_in, translate, words
from aptone.report.clips import ClipEmbedder, source_name
from aptone.report.groups import without_path
from aptone.report.notation import UNDEFINED, one_line
from aptone.report.page import new_environment
from aptone.report.result_table import Column, ResultTable, Section, TableCell, bench_page
from aptone.report.room_report import SYMBOLS, Figure, MarkedText, RoomReport, ShownUnit, marked_text
from aptone.rooms.style.api import Described
from aptone.rooms.style.evidence.judge import Evidence, properties_json
from aptone.rooms.style.search import Found, IndexUpdate
from aptone.run.payload import Clip
from aptone.types import Entry, Json, Language, Outcome, to_json


def ranked(judged: Sequence[Described]) -> list[Described]:
    """Descriptions in the order of how well they fit, by fit and then by cosine; those without a score last."""

    def order(one: Described) -> tuple[float, float]:
        fit, cosine = _score(one, "fit"), _score(one, "cosine")
        return (
            math.inf if "fit" in one.outcome.scores and math.isnan(fit) else -fit if not math.isnan(fit) else 0.0,
            math.inf if math.isnan(cosine) else -cosine,
        )

    return sorted(judged, key=order)


def described_table(judged: Sequence[Described], *, language: Language) -> ResultTable:
    """One row a description, the best first."""
    word = words(language, "style")
    scaled = any("fit" in one.outcome.scores for one in judged)
    columns = [Column(word("description"), number=False)]
    columns += [Column(word("fit"))] if scaled else []
    columns.append(Column(word("cosine")))
    rows = []
    for place, one in enumerate(ranked(judged)):
        cells = [TableCell(one.description, strong=place == 0 and len(judged) > 1)]
        cells += [TableCell(_shown(_score(one, "fit"), 2))] if scaled else []
        rows.append((*cells, TableCell(_shown(_score(one, "cosine"), 3))))
    return ResultTable("", tuple(columns), tuple(rows))


STYLES = {"true": "green", "false": "red", "undecided": "yellow"}
LONGEST_CELL = 300


def evidence_tables(judged: Sequence[Described], *, language: Language) -> list[RenderableType]:
    """Return what each fit rests on, in the order of `ranked`: a table a description, and words not understood."""
    word, said = words(language, "style"), words(language, "report")
    shown: list[RenderableType] = []
    for one in ranked(judged):
        units = shown_units(one.outcome)
        if units:
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left", title_style="bold")
            if len(judged) > 1:
                table.title = Text(word("evidence_for", description=one_line(one.description, limit=80)))
            table.add_column(word("evidence"), no_wrap=True)
            table.add_column(said("unit_words"), overflow="fold")
            table.add_column(said("unit_fact"), overflow="fold")
            table.add_column(said("unit_measured"), overflow="fold", ratio=1)
            for unit in units:
                mark = Text(f"{SYMBOLS[unit.state]} {word(f'state_{unit.state}')}", style=STYLES[unit.state])
                cells = (Text(one_line(text, limit=LONGEST_CELL)) for text in (unit.evidence, unit.fact, unit.measured))
                table.add_row(mark, *cells)
            shown.append(table)
        if unread := not_understood(one.outcome):
            key = "not_understood_one" if len(judged) > 1 else "not_understood"
            short = one_line(one.description, limit=80)
            shown.append(Text(word(key, description=short, words=", ".join(unread))))
    return shown


def shown_units(outcome: Outcome) -> tuple[ShownUnit, ...]:
    """Return the properties in the evidence of an outcome; what cannot be read, from wherever it came, is left out."""
    listed = outcome.evidence.get("properties")
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return ()
    found = []
    for one in listed:
        match one:
            case {
                "words": str(said),
                "start": int(start),
                "end": int(end),
                "fact": str(fact),
                "verdict": "true" | "false" | "undecided" as verdict,
                "measured": str(measured),
            }:
                found.append(ShownUnit(fact, said, start, end, str(verdict), measured))
    return tuple(found)


def not_understood(outcome: Outcome) -> tuple[str, ...]:
    """Return the words of a description that nothing is known about."""
    listed = outcome.evidence.get("not_understood")
    return tuple(str(one) for one in listed) if isinstance(listed, Sequence) and not isinstance(listed, str) else ()


def style_marks(entry: Entry, *, longest: int) -> tuple[MarkedText, ...]:
    """Return the description of an item with its properties marked; nothing where there is no evidence."""
    description, units = entry.item.payload.get("description"), shown_units(entry.outcome)
    if not isinstance(description, str) or not units:
        return ()
    return (marked_text("description", description, units, longest=longest),)


MOST_WORDS = 8
"""Words that a note names."""


def style_notes(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return a note on words that were not understood, for the trust card."""
    everything = list(outcomes)
    found = [unread for outcome in everything if (unread := not_understood(outcome))]
    if not found:
        return ()
    every = list(dict.fromkeys(word for unread in found for word in unread))
    named = ", ".join(every[:MOST_WORDS]) + (", …" if len(every) > MOST_WORDS else "")
    return (message("style.words-not-understood", count=len(found), all=len(everything), words=named),)


REPORT = RoomReport(marks=style_marks, notes=style_notes)


def _score(one: Described, name: str) -> float:
    return one.outcome.scores[name].value if name in one.outcome.scores else math.nan


def _shown(value: float, places: int) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.{places}f}"


def counts_text(counts: Mapping[str, int], language: Language) -> str:
    """Return the counts of a build's step, in words.

    >>> counts_text({"recordings": 70, "too short": 2}, "en"), counts_text({"recordings": 70, "too short": 2}, "zh")
    ('recordings 70, too short 2', '录音 70，过短 2')
    """
    comma = {"en": ", ", "zh": "，"}[language]
    return comma.join(f"{name_in(language, name, 'style.counted')} {count}" for name, count in counts.items())


MOST_NAMED = 10
"""Files that are named when they are left out; the others are counted."""

ROOM = 12_000_000
"""Bytes of the page that players may take."""


def found_table(found: Sequence[Found], *, language: Language) -> ResultTable:
    """Return the table of search results, the best first."""
    word = words(language, "style")
    scaled = any(one.fit.is_defined for one in found)
    columns = [Column(word("rank")), Column(word("clip"), number=False)]
    columns += [Column(word("fit"))] if scaled else []
    columns.append(Column(word("cosine")))
    explained = any(one.evidence for one in found)
    columns += [Column(word("evidence"), number=False)] if explained else []
    rows = []
    for place, one in enumerate(found, start=1):
        cells = [TableCell(str(place)), TableCell(_name(one), strong=place == 1)]
        cells += [TableCell(_number(one.fit.value))] if scaled else []
        cells.append(TableCell(_shown(one.cosine, 3)))
        rows.append((*cells, *([TableCell(evidence_line(one, language=language))] if explained else [])))
    return ResultTable("", tuple(columns), tuple(rows), note=_fit_note(found, language))


def evidence_line(one: Found, *, language: Language) -> str:
    """Return the evidence in one line: ✓ not angry, ✗ slow, ? elderly."""
    said = dict.fromkeys(f"{SYMBOLS[piece.verdict]} {_said(piece, one.evidence, language)}" for piece in one.evidence)
    return {"en": ", ", "zh": "，"}[language].join(said)


def _said(piece: Evidence, every: Sequence[Evidence], language: Language) -> str:
    """Return the words of a property; where one word states several, such as "grandmother", the property itself."""
    if sum(other.start == piece.start for other in every) > 1:
        return piece.fact[language]
    return words(language, "style")("denied", value=piece.words) if piece.is_denied else piece.words


def _fit_note(found: Sequence[Found], language: Language) -> str:
    """Return why there is no fit; empty where there is one."""
    if not found or any(one.fit.is_defined for one in found):
        return ""
    if any(one.evidence for one in found) or found[0].fit.range is not None:
        return words(language, "style")("unscored", why=translate(found[0].fit.reason, language))
    return words(language, "style")("uncalibrated")


def search_page(
    found: Sequence[Found],
    updated: IndexUpdate,
    *,
    description: str,
    folder: str,
    model: str,
    language: Language,
    unread: Sequence[str] = (),
) -> str:
    """The same as one HTML file with a player for each clip, as far as there is room.

    Args:
        unread: words of the description that were not understood.
    """
    word = words(language, "style")
    embedder = ClipEmbedder(room=ROOM)
    explained = any(one.evidence for one in found)
    rows = [
        {
            "rank": place,
            "take": _name(one),
            "score": _number(one.fit.value) if one.fit.is_defined else _shown(one.cosine, 3),
            "aspects": [_shown(one.cosine, 3)] if one.fit.is_defined else [],
            "notes": [_evidence_pieces(one, language)] if explained else [],
            "reason": "",
            "is_best": place == 1,
            "clip": embedder.embed(Clip("clip", one.audio)),
        }
        for place, one in enumerate(found, start=1)
    ]
    scaled = any(one.fit.is_defined for one in found)
    heads = [word("rank"), word("clip"), *([word("fit")] if scaled else []), word("cosine")]
    heads += [word("evidence")] if explained else []
    markup = Markup(_template().render(heads=heads, rows=rows, worded=int(explained)))  # noqa: S704  (from a template that escapes)
    figure = Figure(word("fitting_best", count=len(found)), markup, note=_fit_note(found, language), is_wide=True)
    notes = [word("not_understood", words=", ".join(unread))] if unread else []
    notes += left_out_notes(updated.problems, folder=Path(folder), language=language)
    notes += runs_note(updated, language=language)
    return bench_page(
        description,
        byline=word("search_byline", clips=updated.clips, folder=folder, model=model),
        notes=notes,
        sections=[Section("found", word("found"), figures=(figure,), wide=True)],
        version=version("aptone"),
        language=language,
        eyebrow=word("search"),
        with_players=True,
    )


def _evidence_pieces(one: Found, language: Language) -> list[dict[str, str]]:
    """Return the evidence for the page: words, state and symbol, and the property in words."""
    return [
        {
            "text": _said(piece, one.evidence, language),
            "state": piece.verdict,
            "symbol": SYMBOLS[piece.verdict],
            "fact": piece.fact[language],
        }
        for piece in one.evidence
    ]


def found_json(
    found: Sequence[Found], updated: IndexUpdate, *, language: Language = "en", unread: Sequence[str] = ()
) -> dict[str, Json]:
    """The same for a machine; sentences of the evidence are in one language."""
    return {
        "not_understood": list(unread),
        "clips": updated.clips,
        "embedded": updated.embedded,
        "problems": dict(updated.problems),
        "runs_left_out": list(updated.runs),
        "found": [
            {
                "path": one.path,
                "audio": to_json(one.audio),
                "cosine": None if math.isnan(one.cosine) else one.cosine,
                "fit": to_json(one.fit),
                "evidence": properties_json(one.evidence, language=language),
            }
            for one in found
        ],
    }


def left_out_notes(problems: Mapping[str, str], *, folder: Path, language: Language) -> list[str]:
    """List the files that were left out, each with its reason, as far as a reader wants that; empty without any."""
    word = words(language, "style")
    named = [(path, without_path(translate(why, language), str(folder / path))) for path, why in problems.items()]
    if len(named) < 2:
        return [word("left_out_one", path=path, why=why) for path, why in named]
    notes = [word("left_out", count=len(named))]
    notes += [word("left_out_file", path=path, why=why) for path, why in named[:MOST_NAMED]]
    return notes + ([word("left_out_more", count=len(named) - MOST_NAMED)] if len(named) > MOST_NAMED else [])


def rows_left_out(left_out: Mapping[str, str], *, rows: int, language: Language) -> list[str]:
    """Count the rows of a labelled corpus that were left out, by reason, the commonest first."""
    word = words(language, "style")
    counted = Counter(translate(why, language) for why in left_out.values())
    lines = [word("labels_left_out", count=len(left_out), all=rows)]
    return lines + [word("labels_left_out_why", count=count, why=why) for why, count in counted.most_common()]


def runs_note(updated: IndexUpdate, *, language: Language) -> list[str]:
    """State which folders of runs were passed over; nothing if there are none."""
    named = ", ".join(f"{name}/" for name in updated.runs[:MOST_NAMED])
    further = ", …" if len(updated.runs) > MOST_NAMED else ""
    return [words(language, "style")("runs_left_out", names=named + further)] if named else []


def _name(one: Found) -> str:
    folder, slash, _ = one.path.rpartition("/")
    return f"{folder}{slash}{source_name(one.audio)}"


def _number(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.2f}"


@cache
def _template() -> jinja2.Template:
    return new_environment().get_template("ranking.html.j2")
