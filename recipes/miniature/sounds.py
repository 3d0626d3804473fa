"""Frames of clips that come again and again, made once and kept in one file that processes share.

A large model takes so long for a step that its clips can be decoded anew each time; the miniature does not.
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
        """Its name in a file of frames."""
        return f"{self.clip}/{self.version}/{self.condition.value}"


@dataclass(frozen=True, slots=True, eq=False)
class KeptSounds:
    """Frames by the name of a sound.

    Args:
        frames: (all frames, numbers), of all sounds one behind the other.
        places: first frame and number of frames of each.
    """

    frames: npt.NDArray[np.float16]
    places: dict[str, tuple[int, int]]

    def __getitem__(self, key: str) -> torch.Tensor:
        """The frames of a sound as `Omni.frames` gives them, (1, numbers, frames)."""
        first, count = self.places[key]
        return torch.from_numpy(np.asarray(self.frames[first : first + count], dtype=np.float32).T.copy())[None]

    def table(self, device: torch.device) -> torch.Tensor:
        """All frames on a device, (frames, numbers)."""
        return torch.from_numpy(np.array(self.frames)).to(device)


@dataclass(frozen=True, slots=True)
class RememberingOmni(Omni):
    """A model that knows the frames of its clips by the name of their source.

    Args:
        kept: the frames.
    """

    kept: KeptSounds

    def frames(self, audio: Audio, *, aac: bool) -> torch.Tensor:
        """What was kept for a clip."""
        return self.kept[audio.source]


@dataclass(frozen=True, slots=True)
class RememberedExample(Example):
    """An example whose clip is heard by its name: nothing is decoded."""

    def heard(self) -> Audio:
        """A silent stand-in that carries the name."""
        assert isinstance(self.audio, AudioRef)
        return Audio(np.zeros(1, dtype=np.float32), rate=16_000, source=self.audio.path)


def keep_sounds(folder: Path, sounds: Iterable[Sound], clips: Sequence[MiniatureClip], *, workers: int) -> KeptSounds:
    """Make the frames of sounds and keep them in a folder; a folder that has them all is left as it is.

    Args:
        folder: where to.
        sounds: which versions of which clips.
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
    parts, taught, first = [], [], 0
    tasks = [(by_key[sound.clip], sound) for sound in wanted]
    for (clip, sound), frames in zip(tasks, in_processes(_work, tasks, workers=workers), strict=True):
        places[sound.key] = (first, len(frames))
        first += len(frames)
        parts.append(frames)
        taught.append(np.full(len(frames), clip.split == "train"))
    frames = np.concatenate(parts)
    scale = scale_of(frames, np.concatenate(taught))
    for name, table in ((SCALE, scale), (FRAMES, brought_to_scale(frames, scale))):
        with whole_file(folder / name) as partial, partial.open("wb") as file:
            np.save(file, table)
    write_whole(folder / INDEX, dumps({key: list(place) for key, place in places.items()}))
    return read_sounds(folder)


def read_sounds(folder: Path) -> KeptSounds:
    """The frames in a folder; they are read from the disk when they are needed.

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
    """What is made of tasks, in their order, by several processes; by this one where one is enough.

    Args:
        work: what is done; a function of a module.
        tasks: to do.
        workers: processes.
    """
    if workers == 1:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_alone) as pool:
        yield from pool.map(work, tasks, chunksize=32)


def _alone() -> None:
    """What a process does first. It takes one core: with more, processes would wait for each other most of the time."""
    torch.set_num_threads(1)


def _work(task: tuple[MiniatureClip, Sound]) -> npt.NDArray[np.float16]:
    clip, sound = task
    audio = version_of(clip, sound.condition, number=sound.version)
    frames = miniature_frames(audio.samples[: LONGEST_SECONDS * audio.rate], load_stem())
    return frames.astype(np.float16)
