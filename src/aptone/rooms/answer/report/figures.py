"""The pictures that this room adds to the report of a run: tables, and contrast pairs to be heard.

In one row stand the two questions of a pair, which differ in nothing but how they are asked, and below them the two
answers of every system, with players, words, fitness and reasons. A few pairs of every dimension are shown so; of all
others the margins.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from aptone.errors import RecordError
from aptone.messages import translate, words
from aptone.report.clips import ClipEmbedder, EmbeddedClip
from aptone.report.notation import UNDEFINED, named, one_line
from aptone.report.page import new_environment
from aptone.report.result_table import Column, ResultTable, TableCell, result_figure
from aptone.report.room_report import Figure
from aptone.rooms.answer.data import Dimension
from aptone.rooms.answer.report.results import AnswerResults, JudgedEntry, answer_results, judged_entries
from aptone.rooms.answer.report.tables import result_tables
from aptone.rooms.answer.score import TIE, PairMargin
from aptone.rooms.answer.step import ANSWERS, SWAPPED
from aptone.run import Run
from aptone.run.payload import Clip
from aptone.types import AudioRef, Entry, Json, Language, from_json

ROOM = 10_000_000
"""Bytes of the report that the players of pairs may take."""
SHOWN_AN_END = 1
"""Pairs of a dimension with the smallest and with the largest margins that are shown with players: a second of sound
takes the encoder a twentieth of a second."""
MOST_SYSTEMS = 4
"""Systems whose answers are shown in a pair."""
LONGEST_SENTENCE = 90


@dataclass(frozen=True, slots=True)
class _Answer:
    """Displayed answer; `problem` is why it has no fitness."""

    fitness: str = UNDEFINED
    swapped: str = ""
    clip: EmbeddedClip | None = None
    text: str = ""
    sounds: str = ""
    why: str = ""
    problem: str = ""


def answer_figures(
    entries: Sequence[Entry], results: AnswerResults, *, language: Language, folder: Path | None = None
) -> list[Figure]:
    """Tables of results, and contrast pairs with recordings by the run's folder; nothing for runs without answers."""
    if not results.systems:
        return []
    figures = [result_figure(table) for table in result_tables(results, language=language)]
    pairs = pairs_figure(entries, results, language=language, folder=folder)
    return [*figures, pairs] if pairs is not None else figures


def run_figures(run: Run, *, score: str, language: Language) -> list[Figure]:
    """Return the figures of a finished run, from its journal alone."""
    return answer_figures(run.entries, answer_results(run.entries), language=language, folder=run.folder)


def pairs_figure(
    entries: Sequence[Entry], results: AnswerResults, *, language: Language, folder: Path | None = None
) -> Figure | None:
    """Contrast pairs with players; ``None`` where there are none. Arguments as `answer_figures`."""
    word = words(language, "answer")
    pairs: defaultdict[str, list[JudgedEntry]] = defaultdict(list)
    for one in judged_entries(entries):
        if one.sample.prompt.pair:
            pairs[one.sample.prompt.pair].append(one)
    margins = {system.name: {one.pair: one for one in system.margins} for system in results.systems if system.margins}
    whole = [name for name, members in pairs.items() if len({one.sample.prompt.category for one in members}) == 2]
    if not whole or not margins:
        return None
    shown = _chosen(whole, pairs, margins)
    room = ClipEmbedder(room=ROOM, folder=folder)
    rendered = [_pair(name, pairs[name], margins, room, language) for name in shown]
    rest = _margins_table(whole, pairs, margins, language)
    markup = _template().render(
        pairs=rendered, rest=rest, table=result_figure(rest).markup, word=word, language=language
    )
    note = word("pairs_heard_note")
    if len(shown) < len(whole):
        note += " " + word("shown_of", shown=len(shown), count=len(whole))
    return Figure(word("pairs_heard"), Markup(markup), note, is_wide=True, is_result=True)  # noqa: S704 (our template escapes)


def _chosen(
    whole: Sequence[str], pairs: Mapping[str, Sequence[JudgedEntry]], margins: Mapping[str, Mapping[str, PairMargin]]
) -> list[str]:
    """Choose for every dimension the pairs with the smallest and the largest margins, summed over systems."""

    def total(name: str) -> float:
        known = (by_pair[name].margin for by_pair in margins.values() if name in by_pair)
        return math.fsum(margin for margin in known if not math.isnan(margin))

    chosen: list[str] = []
    for dimension in Dimension:
        ranked = sorted((name for name in whole if pairs[name][0].sample.prompt.dimension is dimension), key=total)
        chosen += ranked[:SHOWN_AN_END] + ranked[SHOWN_AN_END:][-SHOWN_AN_END:]
    return chosen


def _pair(
    name: str,
    members: Sequence[JudgedEntry],
    margins: Mapping[str, Mapping[str, PairMargin]],
    room: ClipEmbedder,
    language: Language,
) -> dict[str, object]:
    """A contrast pair as the template shows it."""
    prompts = {one.sample.prompt.category: one.sample.prompt for one in members}
    ways = list(prompts)[:2]
    rows = []
    for system in list(margins)[:MOST_SYSTEMS]:
        answers = {one.sample.prompt.category: one for one in members if one.system == system}
        if answers:
            shown = tuple(_answer(answers.get(way), room, language) for way in ways)
            verdict = _verdict(margins[system].get(name), language)
            rows.append({"system": system, "verdict": verdict, "answers": shown})
    prompt = prompts[ways[0]]
    return {
        "sentence": prompt.content,
        "dimension": named(prompt.dimension.value, language),
        "ways": [{"style": named(way, language), "clip": _clip(prompts[way].audio, room)} for way in ways],
        "rows": rows,
    }


def _answer(one: JudgedEntry | None, room: ClipEmbedder, language: Language) -> _Answer:
    if one is None:
        return _Answer()
    outcome = one.entry.outcome
    fitness, swapped = one.answer.fitness, one.answer.swapped
    fields = one.answer.fields
    text = fields.output_content if fields is not None else str(outcome.evidence.get("answer_text") or "")
    how = fields.output_style.description if fields is not None else ""
    otherwise = outcome.evidence.get(SWAPPED)
    twin = otherwise.get("style") if isinstance(otherwise, Mapping) else None
    shown = f"{swapped:.2f} ({named(str(twin), language)})" if twin else ""
    return _Answer(
        UNDEFINED if math.isnan(fitness) else f"{fitness:.2f}",
        "" if math.isnan(swapped) else shown,
        _clip(_recording(one), room),
        text,
        words(language, "answer")("sounds", how=how) if how else "",
        outcome.rationale,
        translate(outcome.reason, language),
    )


def _recording(one: JudgedEntry) -> AudioRef | None:
    """Return the recording of an answer: a system's from the evidence, a ready one from the sample."""
    kept: Json = one.entry.outcome.evidence.get(ANSWERS)
    if isinstance(kept, Sequence) and not isinstance(kept, str) and kept:
        try:
            return from_json(AudioRef, kept[0])
        except RecordError:
            return None
    return one.sample.answer


def _clip(ref: AudioRef | None, room: ClipEmbedder) -> EmbeddedClip | None:
    return None if ref is None else room.embed(Clip("answer", ref))


def _verdict(margin: PairMargin | None, language: Language) -> str:
    if margin is None or math.isnan(margin.margin):
        return UNDEFINED
    word = words(language, "answer")
    result = "pair_won" if margin.is_won else "pair_lost" if margin.margin < -TIE else "pair_tied"
    return f"{margin.margin:+.2f} {word(result)}"


def _margins_table(
    whole: Sequence[str],
    pairs: Mapping[str, Sequence[JudgedEntry]],
    margins: Mapping[str, Mapping[str, PairMargin]],
    language: Language,
) -> ResultTable:
    word = words(language, "answer")
    columns = (
        Column(word("sentence"), number=False),
        Column(word("asked"), number=False),
        *(Column(system) for system in margins),
    )
    rows = []
    for name in whole:
        prompts = {one.sample.prompt.category: one.sample.prompt for one in pairs[name]}
        cells = [TableCell(one_line(next(iter(prompts.values())).content, limit=LONGEST_SENTENCE))]
        cells.append(TableCell(" / ".join(named(way, language) for way in prompts)))
        cells += [TableCell(_verdict(by_pair.get(name), language)) for by_pair in margins.values()]
        rows.append(tuple(cells))
    return ResultTable(word("all_pairs", count=len(rows)), columns, tuple(rows))


@cache
def _template() -> jinja2.Template:
    return new_environment("aptone.rooms.answer").get_template("answer_pairs.html.j2")
