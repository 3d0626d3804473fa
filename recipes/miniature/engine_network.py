"""The network of the miniature judge: two ONNX files and one of JSON, loaded; no torch, no download.

``hear.onnx`` turns the frames of a clip into positions of its width; ``write.onnx`` reads token ids, with those
positions in the place of audio tokens, and says how likely every token is next. Weights are stored in eight bits with a
scale for each row, and brought back to single precision when they are loaded. ``miniature.json`` holds tokens, the
scale of frames, where the attention bias is on, the licence and the revision.

Everything runs on one thread, one clip at a time, so that neighbours and machines with more cores change nothing.
"""

import functools
import hashlib
import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from aptone.ear.network.inference import one_thread_session
from aptone.errors import RecordError, UsageError
from aptone.models.omni.attention_regions import Markers
from aptone.types import dumps, loads
from recipes.miniature.tokens import Tokens

FILES = HEAR, WRITE, SETTINGS = "hear.onnx", "write.onnx", "miniature.json"
LICENCE, PARAMETERS = "CC-BY-NC-SA-4.0", 14_423_820
"""Of the shipped weights: known without loading them. They state the same; a test compares the two."""
_loading = threading.Lock()
AGAIN = "write them again with aptone train miniature export, or install Aptone again."
SHIPPED = Path(str(files("aptone.judge") / "weights" / "miniature"))

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a miniature says about itself.

    Args:
        revision: of weights and settings.
        licence: of the weights.
        parameters: how many there are.
        audio: ids around a sound, and of a sound: begin, sound, end.
        turn: ids around a turn.
        score: ids around the score.
        unwritten: ids of tokens that are never written, since nothing stands behind them.
        markers: where the attention bias is on; None for a judge without one.
    """

    revision: str
    licence: str
    parameters: int
    audio: tuple[int, int, int]
    turn: tuple[int, int]
    score: tuple[int, int]
    unwritten: tuple[int, ...]
    markers: Markers | None

    def kept(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)

    @classmethod
    def read(cls, kept: Any) -> "Settings":
        """What `kept` gave."""
        begin, sound, end = map(int, kept["audio"])
        return cls(
            revision=str(kept["revision"]),
            licence=str(kept["licence"]),
            parameters=int(kept["parameters"]),
            audio=(begin, sound, end),
            turn=_pair(kept["turn"]),
            score=_pair(kept["score"]),
            unwritten=tuple(map(int, kept["unwritten"])),
            markers=None if kept["markers"] is None else _markers(kept["markers"]),
        )


def _pair(kept: Any) -> tuple[int, int]:
    begin, end = map(int, kept)
    return begin, end


def _markers(kept: Any) -> Markers:
    return Markers(
        audio=tuple(map(int, kept["audio"])),
        spans=tuple(map(_pair, kept["spans"])),
        reasoning=None if kept["reasoning"] is None else _pair(kept["reasoning"]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class MiniatureNetwork:
    """A miniature, loaded.

    Args:
        settings: what it says about itself.
        tokens: its vocabulary.
        scale: of the frames that it learnt from, (2, numbers): mean and deviation.
        hearing, writing: its two files.
    """

    settings: Settings
    tokens: Tokens
    scale: Floats
    hearing: onnxruntime.InferenceSession
    writing: onnxruntime.InferenceSession

    def hear(self, frames: Floats) -> Floats:
        """What is heard in a clip, (positions, width), from its frames, (frames, numbers)."""
        heard: Floats = self.hearing.run(None, {"frames": frames})[0]
        return heard

    def empty(self) -> Floats:
        """What is remembered before anything was read."""
        layers, sides, _, heads, _, width = self.writing.get_inputs()[-1].shape
        return np.zeros((layers, sides, 1, heads, 0, width), dtype=np.float32)

    def read(
        self, ids: Numbers, sounds: Floats, *, regions: Numbers, active: Flags, past: Floats
    ) -> tuple[Floats, Floats]:
        """How likely every token is behind the last of each row, and what is remembered of all positions.

        Args:
            ids: (rows, new positions).
            sounds: (rows, new positions, width); what stands in the place of audio tokens.
            regions: (rows, all positions), `aptone.models.omni.attention_regions.Region` of each.
            active: (rows, new positions), whether attention is biased there.
            past: what is remembered of earlier positions.

        Returns:
            Logits, (rows, vocabulary), and the new past.
        """
        given = {"ids": ids, "sounds": sounds, "regions": regions, "active": active, "past": past}
        logits, present = self.writing.run(None, given)
        return logits, present


def check_miniature(folder: Path) -> None:
    """See that a folder holds a miniature; nothing is loaded.

    Raises:
        UsageError: if it does not.
    """
    if missing := [name for name in FILES if not (folder / name).is_file()]:
        again = "install Aptone again."
        if folder != SHIPPED:
            again = f"write it: aptone train miniature export --model MODEL --out {folder}"
        raise UsageError(f"{folder}: holds no {missing[0]}; {again}")


def revision_of(graphs: Iterable[bytes], kept: Mapping[str, Any]) -> str:
    """The revision of a miniature: of every byte that it runs from, so that other weights are another judge.

    Args:
        graphs: what `HEAR` and `WRITE` hold.
        kept: what `SETTINGS` holds; the revision in it does not count.
    """
    digest = hashlib.sha256()
    for graph in graphs:
        digest.update(graph)
    digest.update(dumps({**kept, "settings": {**kept["settings"], "revision": ""}}).encode())
    return digest.hexdigest()[:12]


def load_miniature(folder: Path = SHIPPED) -> MiniatureNetwork:
    """The miniature in a folder, loaded once, however many threads ask for it; they can share it.

    Raises:
        UsageError: if it is not there.
        RecordError: if it is damaged, or its files do not belong together.
    """
    with _loading:
        return _load(folder)


@functools.cache
def _load(folder: Path) -> MiniatureNetwork:
    check_miniature(folder)
    try:
        kept: Any = loads((folder / SETTINGS).read_bytes(), what=SETTINGS)
        settings, tokens = Settings.read(kept["settings"]), Tokens.read(kept["tokens"])
        scale = np.array(kept["scale"], dtype=np.float32)
    except (KeyError, TypeError, ValueError, RecordError) as error:
        raise RecordError(f"{folder}: {SETTINGS} holds no settings of a miniature ({error}); {AGAIN}") from error
    hear, write = ((folder / name).read_bytes() for name in (HEAR, WRITE))
    if revision_of((hear, write), kept) != settings.revision:
        raise RecordError(f"{folder}: {HEAR}, {WRITE} and {SETTINGS} are damaged or do not belong together; {AGAIN}")
    return MiniatureNetwork(settings, tokens, scale, *(_loaded(one, folder) for one in (hear, write)))


def _loaded(graph: bytes, folder: Path) -> onnxruntime.InferenceSession:
    try:
        return one_thread_session(graph)
    except Exception as error:  # what onnxruntime raises has nothing else in common
        raise RecordError(f"{folder}: cannot be loaded ({str(error)[:200]}); {AGAIN}") from error
