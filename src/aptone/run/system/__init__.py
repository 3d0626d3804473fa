"""A system under test: what it is given is a recording, what it answers is one.

Three kinds, chosen by how the system is written:

- ``http://…`` or ``https://…``: every recording is posted as a wav file, the answer is the body of the reply;
- a command with ``{input}`` and ``{output}`` in it: a program that reads one file and writes another, started without a
  shell;
- a folder: answers that are there already, as ``<dialogue>/<turn>.wav``, or ``<dialogue>.wav`` for a single turn.

What comes back is a stranger's: it has to be a readable recording of limited length, and nothing else of it is used.
Nothing is tried again here. A time-out, a crash or a busy server is a `TransientError`, for which the runner tries
again; a command that is broken (see `aptone.run.system.command`) is a `UsageError`, for which it does not; a
recording that cannot be used is an `UnusableReplyError`, so that the item is unscored and says why.
"""

from aptone.run.system.command import CommandSystem
from aptone.run.system.folder import FolderSystem, kept_answer, make_system, ready_answer_hash
from aptone.run.system.http import KEY_VARIABLE, ServedSystem
from aptone.run.system.protocol import RECORDED, TIMEOUT, Asked, System

__all__ = [
    "KEY_VARIABLE",
    "RECORDED",
    "TIMEOUT",
    "Asked",
    "CommandSystem",
    "FolderSystem",
    "ServedSystem",
    "System",
    "kept_answer",
    "make_system",
    "ready_answer_hash",
]
