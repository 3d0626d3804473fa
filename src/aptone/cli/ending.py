"""What a verb says and returns when its run has ended."""

from collections.abc import Sequence

from aptone.cli.output import print_text
from aptone.cli.running import Running
from aptone.report.finish import Finished
from aptone.run import INTERRUPTED, AnyStep, BatchStep, Ended
from aptone.run.probes import PROBED_ITEMS, batch_check
from aptone.types import Item, Probe, State


def probe_batches(items: Sequence[Item], step: AnyStep, running: Running) -> Probe | None:
    """Whether scores depend on the batch, if that was asked for, or is known at once of a step without batches."""
    probe_now = running.batch_check or not isinstance(step, BatchStep)
    return batch_check(items[:PROBED_ITEMS], step, seed=running.seed) if probe_now else None


def print_what_is_next(ended: Ended, finished: Finished) -> None:
    """Say what is left over or still to do, and where the report is."""
    if ended.left_over:
        count = len(ended.left_over)
        print_text(
            f"{count} of these items are from an earlier input and not in this one, such as {ended.left_over[0]}."
        )
    if ended.stopped:
        print_text(f"Ended early: {ended.stopped}. Type the same command to go on.")
    print_text(f"Report: {finished.report}")


def exit_code(ended: Ended) -> int:
    """130 if it was interrupted, 1 if an item failed or none was scored, else 0."""
    if ended.stopped == INTERRUPTED:
        return 130
    states = {entry.outcome.state for entry in ended.run.entries}
    return int(State.FAILED in states or State.DONE not in states)
