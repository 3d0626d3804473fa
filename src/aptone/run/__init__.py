"""Any step over any items: journal, cache, executors, retries, budget."""

from aptone.files import write_whole
from aptone.run.attempts import Performer, RetryPolicy, Work
from aptone.run.cache import KeptReply, Reply, ReplyCache, ReplyStore, Request
from aptone.run.executors.local import Executor, InProcess, Processes
from aptone.run.folder import Run, RunConfig, RunFolder, load_run, read_trust, surroundings, typed_command, write_trust
from aptone.run.journal import Journal, read_journal
from aptone.run.progress import Budget, Display, Silent, Tally, display_for
from aptone.run.runner import INTERRUPTED, Ended, run_items
from aptone.run.step import AnyStep, Ask, BatchStep, Call, Step

__all__ = [
    "INTERRUPTED",
    "AnyStep",
    "Ask",
    "BatchStep",
    "Budget",
    "Call",
    "Display",
    "Ended",
    "Executor",
    "InProcess",
    "Journal",
    "KeptReply",
    "Performer",
    "Processes",
    "Reply",
    "ReplyCache",
    "ReplyStore",
    "Request",
    "RetryPolicy",
    "Run",
    "RunConfig",
    "RunFolder",
    "Silent",
    "Step",
    "Tally",
    "Work",
    "display_for",
    "load_run",
    "read_journal",
    "read_trust",
    "run_items",
    "surroundings",
    "typed_command",
    "write_trust",
    "write_whole",
]
