"""Answers of systems as files, each asked for once."""

import hashlib
from pathlib import Path

from aptone.audio import write
from aptone.errors import AudioError
from aptone.files import file_hash
from aptone.run.system.folder import FolderSystem
from aptone.run.system.protocol import Asked, System
from aptone.types import Audio, AudioRef


def kept_answer(system: System, question: Audio, asked: Asked, *, folder: Path) -> AudioRef:
    """The answer of a system as a file: from the folder where it is kept already, else asked for and kept there.

    So a run that is resumed asks only for what is missing. Answers that lie in a folder of their own stay there.

    Raises:
        TransientError: as `System.respond`, and its other errors.
    """
    if isinstance(system, FolderSystem):
        return _known(system.find(asked))
    asked_for = "\n".join((system.signature, question.hash, asked.dialogue, str(asked.turn)))
    path = folder / f"{asked.name}-{hashlib.sha256(asked_for.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}.wav"
    if not path.exists():
        answer = system.respond(question, asked)
        folder.mkdir(parents=True, exist_ok=True)
        write(path, answer, bits=32)  # what a system says may lie beyond full scale, and is kept as it came
    return _known(path)


def _known(path: Path) -> AudioRef:
    """A recording by its bytes, too, so that it is known again where the run was moved to."""
    return AudioRef(str(path.absolute()), sha256=file_hash(path))


def ready_answer_hash(system: System | None, asked: Asked) -> str:
    """The hash of an answer that lies in a folder already; empty where a system is yet to give it, or it is missing.

    A run that is resumed knows by it that an answer was replaced.
    """
    if not isinstance(system, FolderSystem):
        return ""
    try:
        return file_hash(system.find(asked))
    except AudioError:
        return ""
