"""The last act of every run: its trust card and its report, written beside the journal."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import RunError
from aptone.report.figures import Figure
from aptone.report.html import render_html
from aptone.report.names import verb_name
from aptone.report.room_report import report_of
from aptone.report.trust import trust_card
from aptone.run import Run, read_trust, write_trust, write_whole
from aptone.run.folder import REPORT
from aptone.types import Language, Probe, ProbeState, TrustCard, to_json


@dataclass(frozen=True, slots=True)
class Finished:
    """Trust card and report files of a finished run.

    Args:
        card: the trust card, also in ``trust.json``.
        report: path of the HTML file.
        pages: the room's own pages beside it, such as one for each chapter.
    """

    card: TrustCard
    report: Path
    pages: tuple[Path, ...] = ()


def finish_run(
    run: Run,
    *,
    stopped: str | None = None,
    batch: Probe | None = None,
    order: Probe | None = None,
    language: Language = "en",
    figures: Sequence[Figure] | None = None,
) -> Finished:
    """Write the trust card and the report of a run.

    Args:
        run: run as loaded from its folder.
        stopped: reason why it ended early; ``None`` keeps what the card in the folder says.
        batch: the batch probe, if it was just run; otherwise that of the card in the folder is kept.
        order: the order probe, likewise.
        language: language of the report.
        figures: figures above the items; by default those that the room of the run's verb makes of its journal.
    """
    card = finish_card(run, stopped=stopped, batch=batch, order=order)
    report = run.folder / REPORT
    title = f"{verb_name(run.config.verb, language)} · {run.folder.resolve().name}"
    room = report_of(run.config.verb)
    page = render_html(
        run.entries,
        card,
        to_json(run.config),
        title=title,
        language=language,
        figures=room.figures(run, score=card.score, language=language) if figures is None else figures,
        folder=run.folder,
        marks=room.marks,
    )
    write_whole(report, page)
    return Finished(card=card, report=report, pages=room.pages(run, language=language))


def finish_card(
    run: Run, *, stopped: str | None = None, batch: Probe | None = None, order: Probe | None = None
) -> TrustCard:
    """Write the trust card of a run without its report; arguments as `finish_run`."""
    before = _card_before(run.folder)
    card = trust_card(
        run.entries,
        version=run.config.version,
        batch=batch or before.batch,
        order=order or before.order,
        prompt_hashes={
            name.removeprefix("prompt:"): str(value)
            for name, value in run.config.settings.items()
            if name.startswith("prompt:")
        },
        notes=(*run.config.notes, *report_of(run.config.verb).notes(entry.outcome for entry in run.entries)),
        licence=run.config.licence,
        stopped=before.stopped if stopped is None else stopped,
        pending=max(0, run.config.expected - sum(entry.repeat == 0 for entry in run.entries)),
    )
    write_trust(run.folder, card)
    return card


def _card_before(folder: Path) -> TrustCard:
    try:
        return read_trust(folder)
    except RunError:
        not_run = Probe(ProbeState.NOT_RUN)
        return TrustCard(score="", items=0, done=0, batch=not_run, order=not_run)
