"""Frames of repeatedly used clips, computed once and kept in one file that processes share.

A large model takes so long for a step that its clips can be decoded each time; the miniature does not.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from aptone.ear.network.inference import load_stem
from aptone.errors import RecordError
from aptone.files import make_folder, whole_file, write_whole
from aptone.models.omni.checkpoint import Omni
from aptone.train.judge.example import Example
from aptone.types import Audio, AudioRef, RecordingCondition, dumps, loads
from recipes.miniature.clips import MiniatureClip, version_of
from recipes.miniature.frames import LONGEST_SECONDS, brought_to_scale, miniature_frames, scale_of

FRAMES, SCALE, INDEX = "frames.npy", "scale.npy", "frames.json"


class Sound(NamedTuple):
    """A version of a clip."""

    clip: str
    version: int
    condition: RecordingCondition

    @property
    def key(self) -> str:
        """Name in a file of frames."""
        return f"{self.clip}/{self.version}/{self.condition.value}"


@dataclass(frozen=True, slots=True, eq=False)
class KeptSounds:
    """Frames by the name of a sound.

    Args:
        frames: (all frames, features), of all sounds in sequence.
        places: first frame and number of frames of each.
    """

    frames: npt.NDArray[np.float16]
    places: dict[str, tuple[int, int]]

    def __getitem__(self, key: str) -> torch.Tensor:
        """Return the frames of a sound in the form of `Omni.frames`, (1, features, frames)."""
        first, count = self.places[key]
        return torch.from_numpy(np.asarray(self.frames[first : first + count], dtype=np.float32).T.copy())[None]

    def table(self, device: torch.device) -> torch.Tensor:
        """Return all frames on a device, (frames, features)."""
        return torch.from_numpy(np.array(self.frames)).to(device)


@dataclass(frozen=True, slots=True)
class RememberingOmni(Omni):
    """A model that looks up the frames of its clips by the name of their source.

    Args:
        kept: the frames.
    """

    kept: KeptSounds

    def frames(self, audio: Audio, *, aac: bool) -> torch.Tensor:
        """Return the stored frames of a clip."""
        return self.kept[audio.source]


@dataclass(frozen=True, slots=True)
class RememberedExample(Example):
    """An example whose clip is looked up by its name: nothing is decoded."""

    def load_audio(self) -> Audio:
        """Return a silent placeholder that carries the name."""
        assert isinstance(self.audio, AudioRef)
        return Audio(np.zeros(1, dtype=np.float32), rate=16_000, source=self.audio.path)


def keep_sounds(folder: Path, sounds: Iterable[Sound], clips: Sequence[MiniatureClip], *, workers: int) -> KeptSounds:
    """Compute the frames of sounds and save them in a folder; a complete folder is kept.

    Args:
        folder: output folder.
        sounds: versions of clips.
        clips: the clips.
        workers: processes.

    Raises:
        AudioError: if a clip cannot be decoded.
        RunError: if the folder cannot be written.
    """
    wanted = sorted(set(sounds), key=lambda sound: sound.key)
    if (folder / INDEX).is_file():
        kept = read_sounds(folder)
        if all(sound.key in kept.places for sound in wanted):
            return kept
    make_folder(folder)
    by_key = {clip.key: clip for clip in clips}
    places: dict[str, tuple[int, int]] = {}
    parts, in_training, first = [], [], 0
    tasks = [(by_key[sound.clip], sound) for sound in wanted]
    for (clip, sound), frames in zip(tasks, in_processes(_work, tasks, workers=workers), strict=True):
        places[sound.key] = (first, len(frames))
        first += len(frames)
        parts.append(frames)
        in_training.append(np.full(len(frames), clip.split == "train"))
    frames = np.concatenate(parts)
    scale = scale_of(frames, np.concatenate(in_training))
    for name, table in ((SCALE, scale), (FRAMES, brought_to_scale(frames, scale))):
        with whole_file(folder / name) as partial, partial.open("wb") as file:
            np.save(file, table)
    write_whole(folder / INDEX, dumps({key: list(place) for key, place in places.items()}))
    return read_sounds(folder)


def read_sounds(folder: Path) -> KeptSounds:
    """Open the frames in a folder; they are read from disk on demand.

    Raises:
        RecordError: if there are none.
    """
    try:
        found: Any = loads((folder / INDEX).read_bytes(), what=str(folder / INDEX))
        frames = np.load(folder / FRAMES, mmap_mode="r", allow_pickle=False)
        return KeptSounds(frames, {key: (int(first), int(count)) for key, (first, count) in found.items()})
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise RecordError(f"{folder}: holds no frames ({error}); make them again.") from error


Task = TypeVar("Task")
Made = TypeVar("Made")


def in_processes(
    work: Callable[[Task], Made],
    tasks: Sequence[Task],
    *,
    workers: int,
) -> Iterator[Made]:
    """Apply a function to tasks, in their order, in several processes; in this one if one is enough.

    Args:
        work: function of a module.
        tasks: its arguments.
        workers: processes.
    """
    if workers == 1:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_alone) as pool:
        yield from pool.map(work, tasks, chunksize=32)


def _alone() -> None:
    """Initialise a process to use one core: with more, processes would wait for each other most of the time."""
    torch.set_num_threads(1)


def _work(task: tuple[MiniatureClip, Sound]) -> npt.NDArray[np.float16]:
    clip, sound = task
    audio = version_of(clip, sound.condition, number=sound.version)
    frames = miniature_frames(audio.samples[: LONGEST_SECONDS * audio.rate], load_stem())
    return frames.astype(np.float16)
