"""Perceptions of clips, stored on the disk by the ear that heard them, so that limits can be fitted again quickly."""

import hashlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from aptone.ear import Ear
from aptone.ear.measures.change_point import FINE_STEP
from aptone.types import Audio, Perception, dumps, from_json, to_json

FOLDER = Path(tempfile.gettempdir()) / "aptone-perceptions"
"""Default folder of the cache."""


class Perceptions:
    """Perceptions of named clips with their trajectories and tracks, each made once for an ear.

    Args:
        ear: ear that hears; its signature names the file, so that another ear starts anew.
        folder: folder of the cache; ``None`` for a cache in memory only.
    """

    def __init__(self, ear: Ear, folder: Path | None = FOLDER) -> None:
        self.ear = ear
        self.known: dict[str, Perception] = {}
        self.file: Path | None = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self.file = folder / f"{hashlib.sha256(ear.signature.encode()).hexdigest()[:16]}.jsonl"
            if self.file.is_file():
                for line in self.file.read_text(encoding="utf-8").splitlines():
                    entry = json.loads(line)
                    self.known[entry["clip"]] = from_json(Perception, entry["heard"])

    def __call__(self, name: str, make: Callable[[], Audio], language: str) -> Perception:
        """Return the perception of a clip.

        Args:
            name: name of the clip within all that are ever heard; equal names are equal audio.
            make: returns the audio; called once.
            language: code of the language spoken; empty where it is not known.
        """
        if name not in self.known:
            heard = self.ear.perceive(make(), language=language or None, trajectory=FINE_STEP, tracks=True)
            self.known[name] = heard
            if self.file is not None:
                with self.file.open("a", encoding="utf-8") as file:
                    file.write(dumps({"clip": name, "heard": to_json(heard)}) + "\n")
        return self.known[name]
