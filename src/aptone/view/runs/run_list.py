"""The first page: all runs, live while they grow, and below them the systems in order."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from aptone.report.notation import verb_name
from aptone.report.run_report import moment_text
from aptone.report.trust import Tone, trust_rows
from aptone.types import Language
from aptone.view.leaderboard import Leaderboard, leaderboards
from aptone.view.rendering import language_of, page
from aptone.view.runs.kept import Kept
from aptone.view.shelf import RunFacts, Shelf, ShelvedRun

_BOARDS: Kept[list[Leaderboard]] = Kept(4)


@dataclass(frozen=True, slots=True)
class ListedRun:
    """One run in the list; `doubts` counts the rows of its trust card that are reasons to doubt, -1 without a card."""

    facts: RunFacts
    verb: str
    finished: str
    doubts: int

    @property
    def tone(self) -> Tone:
        """The doubts as a tone."""
        return "neutral" if self.doubts < 0 else "bad" if self.doubts else "good"


def listed_run(run: ShelvedRun, language: Language) -> ListedRun:
    """A run as the list shows it."""
    facts = run.facts()
    rows = trust_rows(facts.trust, language=language) if facts.trust is not None else None
    doubts = -1 if rows is None else sum(row.tone == "bad" for row in rows)
    return ListedRun(facts, verb_name(facts.verb, language), moment_text(facts.finished), doubts)


def show_runs(request: Request) -> Response:
    """Reply with the first page, or with a part of it: ``?part=list`` or ``?part=boards``."""
    shelf: Shelf = request.app.state.view.shelf
    part = request.query_params.get("part", "")
    if part == "boards":
        return page(request, "boards.html.j2", boards=_boards(shelf))
    runs = [listed_run(run, language_of(request)) for run in shelf.runs]
    return page(request, "run_rows.html.j2" if part == "list" else "runs.html.j2", runs=runs)


def _boards(shelf: Shelf) -> list[Leaderboard]:
    runs = shelf.runs
    return _BOARDS.get(tuple((run.folder, run.index.revision) for run in runs), lambda: leaderboards(runs))
