"""Output of the verbs on the terminal and as JSON, and their exit status at the end of a run."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

import click
from rich.console import Console, RenderableType

from aptone.cli.commands import Command
from aptone.cli.options.run import Running
from aptone.messages import message, translate, words
from aptone.models import About
from aptone.report.notation import visible
from aptone.report.room_report import Figure
from aptone.report.run_report import FinishedRun, finish_run
from aptone.report.terminal import trust_panel
from aptone.run import INTERRUPTED, AnyStep, BatchStep, Ended
from aptone.run.entries import count_states
from aptone.run.forecast import RunForecast
from aptone.run.probes import PROBED_ITEMS, batch_check
from aptone.run.progress import countable, reached_limit
from aptone.run.sources.columns import META
from aptone.run.usage import Usage, total_usage
from aptone.types import Entry, Item, Json, Language, Probe, ProbeState, State, dumps, to_json


def json_option(command: Command) -> Command:
    """Add ``--json`` to a verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for machines.")(command)


def print_json(value: Mapping[str, Json] = MappingProxyType({}), /, **further: Json) -> None:
    """Print one JSON object: a mapping, or what is given by name."""
    click.echo(dumps({**value, **further}, indent=2))


def print_text(text: str) -> None:
    """Print a line that may hold words of a file or a model: control characters are shown, not obeyed."""
    click.echo(visible(text))


def print_rich(*things: RenderableType) -> None:
    """Print tables and panels, in colour on a terminal."""
    console = Console()
    for thing in things:
        console.print(thing)


def print_about(about: About, *, language: Language) -> None:
    """Say what a reader of the scores must know, and whose the weights are."""
    word = words(language, "report")
    for note in about.notes:
        print_text(word("note_is", note=translate(note, language)))
    if about.licence:
        print_text(word("weights_are", licence=translate(about.licence, language)))


LIMIT_REACHED = 3
"""Exit status of a command that a limit on cost, items or time has ended early."""


def exit_code(ended: Ended) -> int:
    """130 if it was interrupted, 3 if a limit ended it, 1 if an item failed or none was scored, else 0."""
    states = count_states(ended.run.entries)
    return _code(ended.stopped, failed=State.FAILED in states or State.DONE not in states)


def has_failed(probe: Probe | None) -> bool:
    """Return whether a probe was carried out and found something."""
    return probe is not None and probe.state is ProbeState.FAILED


def stop_code(stopped: str, *, failed: bool) -> int:
    """Say on standard error if a limit ended it, and return 130 for the user, 3 for a limit, 1 if it failed, else 0."""
    say_limit(stopped)
    return _code(stopped, failed=failed)


def say_limit(stopped: str) -> None:
    """Say on standard error that a limit ended the command, if one did."""
    if reached_limit(stopped):
        click.echo(f"aptone: {message('cli.limit-reached', why=stopped)}", err=True)


def _code(stopped: str, *, failed: bool) -> int:
    if stopped == INTERRUPTED:
        return 130
    return LIMIT_REACHED if reached_limit(stopped) else int(failed)


def entry_json(entry: Entry, scores: Mapping[str, Json] | None = None) -> dict[str, Json]:
    """Return the outcome of an item as JSON, its scores perhaps in another form than whole records."""
    outcome = entry.outcome
    whole: dict[str, Json] = {name: to_json(score) for name, score in outcome.scores.items()}
    ids = entry.item.payload.get("ids")
    meta = {name: value for name, value in ids.items() if name.startswith(META)} if isinstance(ids, Mapping) else {}
    return {
        "id": entry.item.id,
        "repeat": entry.repeat,
        "state": outcome.state,
        "reason": outcome.reason,
        "scores": whole if scores is None else scores,
        "rationale": outcome.rationale,
        **meta,
    }


@dataclass(frozen=True, slots=True)
class CompletedRun:
    """A run at its end, with its trust card and its report.

    Args:
        check_failed: whether a check that was asked for did not hold.
    """

    ended: Ended
    finished: FinishedRun
    check_failed: bool = False

    @property
    def exit_code(self) -> int:
        """As `exit_code`; 1 also if a check did not hold."""
        return exit_code(self.ended) or int(self.check_failed)

    def json(self) -> dict[str, Json]:
        """Return the end of the run as JSON; its items are the verb's to add."""
        return {
            "folder": str(self.ended.run.folder),
            "report": str(self.finished.report),
            "worked": self.ended.worked,
            "stopped": self.ended.stopped,
            "limit": reached_limit(self.ended.stopped),
            "cost": sum(countable(entry.cost) for entry in self.ended.run.entries),
            "usage": total_usage(self.ended.run.entries).json(),
            "left_over": self.ended.left_over,
            "trust": to_json(self.finished.card),
        }

    def print(self, language: Language, *, pages: Iterable[str] = ()) -> None:
        """Print the trust card, lines about further pages, what is left over or to do, and where the report is."""
        word, ended = words(language, "report"), self.ended
        print_rich(trust_panel(self.finished.card, language=language))
        for page in pages:
            print_text(page)
        if ended.left_over:
            print_text(word("left_over", count=len(ended.left_over), name=ended.left_over[0]))
        if (usage := total_usage(ended.run.entries)).calls:
            print_text(translate(_spent(ended, usage), language))
        if ended.stopped:
            print_text(word("ended_early", why=translate(ended.stopped, language)))
        print_text(word("report_is_at", path=self.finished.report))


def print_forecast(found: RunForecast, language: Language, *, as_json: bool) -> int:
    """Print what a run would take, and return the exit status."""
    if as_json:
        print_json({**asdict(found), "cost": None if math.isnan(found.cost) else found.cost})
        return 0
    cost = message("cli.dry-run-unpriced") if math.isnan(found.cost) else f"{found.cost:.4g}"
    counts = {"items": found.items, "seconds": found.seconds, "unreadable": found.unreadable, "calls": found.calls}
    tokens = {"read": found.input_tokens, "written": found.output_tokens, "rehearsed": found.rehearsed}
    print_text(translate(message("cli.dry-run", **counts, **tokens, cost=cost), language))
    return 0


def _spent(ended: Ended, usage: Usage) -> str:
    """Return calls, tokens and cost of a run, and how far they are estimated."""
    cost = f"{sum(countable(entry.cost) for entry in ended.run.entries):.4g}"
    counted = message("cli.usage", calls=usage.calls, read=usage.input_tokens, written=usage.output_tokens, sum=cost)
    return (
        message("cli.usage-estimated", said=counted, calls=usage.estimated_calls) if usage.estimated_calls else counted
    )


def complete(
    ended: Ended,
    items: Sequence[Item],
    step: AnyStep,
    running: Running,
    *,
    order: Probe,
    language: Language,
    batch: Probe | None = None,
    figures: Sequence[Figure] | None = None,
) -> CompletedRun:
    """Write the trust card and the report of a run that has ended.

    Whether scores depend on the batch is probed where it was asked for, or where the step has no batches, unless
    `batch` says it already.
    """
    if batch is None and (running.batch_check or not isinstance(step, BatchStep)):
        batch = batch_check(items[:PROBED_ITEMS], step, seed=running.seed)
    say_limit(ended.stopped)
    finished = finish_run(
        ended.run, stopped=ended.stopped, batch=batch, order=order, language=language, figures=figures
    )
    return CompletedRun(ended, finished, check_failed=running.batch_check and has_failed(batch))
