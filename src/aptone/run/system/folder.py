"""A system whose answers are there already, in a folder."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import RECORDINGS
from aptone.errors import AudioError
from aptone.messages import message
from aptone.run.system.protocol import Asked
from aptone.run.system.reply import checked_answer
from aptone.types import Audio, signature


@dataclass(frozen=True, slots=True)
class FolderSystem:
    """Answers that are there already.

    Args:
        folder: with ``<dialogue>/<turn>.wav`` (or another format), or ``<dialogue>.wav`` where there is one turn.
    """

    folder: Path

    @property
    def signature(self) -> str:
        """The name of the folder."""
        return signature("system", {"answers": self.folder.resolve().name})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """None."""
        return ()

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The file of this turn; see `System.respond`."""
        path = self.find(asked)
        return checked_answer(path, source=str(path))

    def find(self, asked: Asked) -> Path:
        """The file of this turn.

        Raises:
            AudioError: if there is none.
        """
        root = self.folder.resolve()
        stems = [root / asked.dialogue / str(asked.turn), root / f"{asked.dialogue}_{asked.turn}"]
        if asked.of == 1:
            stems.append(root / asked.dialogue)
        for path in (Path(f"{stem}{ending}") for stem in stems for ending in RECORDINGS):
            with contextlib.suppress(OSError):  # an id that is no name of a file is the id of no answer
                if path.is_file() and path.resolve().is_relative_to(root):
                    return path
        expected = f"{asked.dialogue}/{asked.turn}.wav" + (f", or {asked.dialogue}.wav" if asked.of == 1 else "")
        raise AudioError(
            message(
                "run.no-answer-to-turn",
                folder=self.folder,
                turn=asked.turn,
                dialogue=repr(asked.dialogue),
                expected=expected,
            )
        )
