"""Runs in notebooks: mean and distribution of the main score, the worst and the best items, and the trust card."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from aptone.messages import translate, words
from aptone.report.clips import ClipEmbedder, EmbeddedClip
from aptone.report.displays.fragment import render_display
from aptone.report.displays.outcome import LONGEST_CLIP, ROOM
from aptone.report.groups import counted_score, mean_of
from aptone.report.item_card import language_tag
from aptone.report.item_view import short_why
from aptone.report.notation import median, verb_name
from aptone.report.plots.geometry import histogram
from aptone.report.repeat_spread import RepeatSpread
from aptone.report.run_report import moment_text, run_card
from aptone.report.score_columns import gather_columns
from aptone.report.trust import AgreementRow, Tone, TrustRow, agreement_rows, trust_rows
from aptone.run import Run
from aptone.run.payload import find_clips, line_of
from aptone.types import Entry, Language, Score, TrustCard

MOST_WORST = 5
"""Items that are listed at either end."""

MOST_NOTES, MOST_REASONS, MOST_STATISTICS = 6, 3, 6
"""Notes of a trust card, reasons of one of its rows, and statistics of agreement that are shown."""


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item in the table of the worst or best: its line, why, and a player where it names one short recording."""

    id: str
    line: str
    language: str
    score: Score
    why: str
    clip: EmbeddedClip | None


@dataclass(frozen=True, slots=True)
class TrustView:
    """A trust card as a template shows it; `badges` counts the rows by the word and the tone of their verdict."""

    notes: tuple[str, ...]
    rows: tuple[TrustRow, ...]
    badges: Mapping[tuple[str, Tone], int]
    agreement: tuple[AgreementRow, ...]

    @property
    def has_doubts(self) -> bool:
        """Check that some row is a reason to doubt."""
        return any(row.tone == "bad" for row in self.rows)


def show_run(run: Run, *, language: Language) -> str:
    """Return a run as it is now; it need not be finished. At most `MOST_WORST` items are listed at either end."""
    card = run_card(run)
    columns = gather_columns(run.entries, card.score, keys=())
    ranked = columns.ranked()
    column = columns.column(card.score)
    embedder = ClipEmbedder(room=ROOM, folder=run.folder, longest=LONGEST_CLIP)
    worst = ranked[:MOST_WORST]
    best = ranked[len(worst) :][::-1][:MOST_WORST]

    def listed(item: int) -> ListedItem:
        entry = run.entries[columns.places[item]]
        score = counted_score(entry, card.score)
        assert score is not None  # it is ranked
        return _listed(entry, score, card.score, language, embedder)

    return render_display(
        "displays/run.html.j2",
        language=language,
        verb=verb_name(run.config.verb, language),
        folder=run.folder.resolve().name,
        engine=run.config.engine,
        finished=moment_text(columns.finished),
        card=card,
        unscored=sum(card.unscored.values()),
        failed=sum(card.failed.values()),
        mean=mean_of(column.values),
        median=median(column.values),
        main=columns.first_defined,
        plot=histogram(card.score, column),
        directed=columns.is_directed,
        worst=[listed(item) for item in worst],
        best=[listed(item) for item in best],
        ranked=len(ranked),
        trust=trust_view(card, columns.spread.spread(), language=language),
    )


def show_trust(card: TrustCard, *, language: Language) -> str:
    """Return a trust card: a row for each question about the run, and the agreement with people."""
    return render_display("displays/trust.html.j2", language=language, trust=trust_view(card, None, language=language))


def trust_view(card: TrustCard, spread: RepeatSpread | None, *, language: Language) -> TrustView:
    """Return a trust card as templates show it, with the spread of repeats where it is at hand."""
    word = words(language, "report")
    rows = trust_rows(card, language=language, spread=spread)
    notes = [translate(note, language) for note in card.notes[:MOST_NOTES]]
    if card.stopped:
        notes.append(word("stopped", why=translate(card.stopped, language)))
    if len(card.signatures) > 1:
        notes.append(word("many_signatures", count=len(card.signatures)))
    return TrustView(
        tuple(notes),
        tuple(_few_reasons(row) for row in rows),
        Counter((row.badge, row.tone) for row in rows if row.badge),
        tuple(agreement_rows(card, language=language)[:MOST_STATISTICS]),
    )


def _few_reasons(row: TrustRow) -> TrustRow:
    """The row with its most frequent reasons, where it is one to doubt; a signature says nothing here."""
    reasons = list((row.reasons or {}).items()) if row.tone == "bad" else []
    return replace(row, reasons=dict(reasons[:MOST_REASONS]))


def _listed(entry: Entry, score: Score, name: str, language: Language, embedder: ClipEmbedder) -> ListedItem:
    payload = entry.item.payload
    clips = find_clips(payload)
    return ListedItem(
        entry.item.id,
        line_of(payload),
        language_tag(payload),
        score,
        short_why(entry, name, language=language),
        embedder.embed(clips[0]) if len(clips) == 1 else None,
    )
