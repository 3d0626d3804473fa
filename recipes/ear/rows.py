"""From a pack to rows: load everything once, and sample clips with more weight on small sets and rare classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from aptone.errors import RecordError, UsageError
from recipes.ear.augment import Augment, AugmentSettings, Rows
from recipes.ear.clip_bank import Bank, load_bank
from recipes.ear.data import BURST_SET, EMOTION_SETS, EVERYONE, PLAIN_SETS, SOUND_SET, Clip, read_pack
from recipes.ear.initial_weights import fresh_network
from recipes.ear.labels import Labels, is_sound, sampling_weights
from recipes.ear.network import NetworkSettings


@dataclass(frozen=True, slots=True)
class Corpus:
    """All clips and the material of augmentation."""

    clips: list[Clip]
    bank: Bank
    sounds: tuple[str, ...]
    noises: Bank
    music: Bank
    rooms_near: Tensor
    rooms_far: Tensor


AT_ONCE = {"cuda": 256}
"""Rows that are made together on a GPU; elsewhere 16, which stay in a processor's cache."""
VOICES = frozenset({"laughing", "breathing", "coughing", "sneezing", "crying_baby", "snoring"})
"""Sounds that are heard as events and never serve as noise."""


def load_corpus(pack: Path, *, workers: int, splits: Sequence[str] = EVERYONE) -> Corpus:
    """Load the clips of a pack, its music from ``music/*.ogg`` and its rooms from ``rooms.npz``.

    Args:
        pack: pack made by `recipes.ear.pack.prepare`.
        workers: clips decoded at once.
        splits: parts to load as clips; noises are always those of the training part.

    Raises:
        UsageError: if the pack lacks one of them.
        RecordError: if a part of it cannot be used.
    """
    everything = read_pack(pack)
    named = [clip for clip in everything if clip.set != BURST_SET or clip.label]
    clips = [clip for clip in named if clip.split in splits]
    bank = load_bank([clip.path for clip in clips], [_active(clip) for clip in clips], workers=workers)
    sounds = tuple(sorted({clip.label for clip in named if is_sound(clip)}))
    around = [
        clip.path for clip in everything if clip.set == SOUND_SET and clip.split == "train" and clip.label not in VOICES
    ]
    tunes = sorted((pack / "music").glob("*.ogg"))
    if not tunes:
        raise UsageError(f"{pack / 'music'}: no music (*.ogg); make the pack with `python -m recipes.ear prepare`.")
    near, far = _rooms(pack / "rooms.npz")
    return Corpus(
        clips=clips,
        bank=bank,
        sounds=sounds,
        noises=load_bank(around, [()] * len(around), workers=workers),
        music=load_bank(tunes, [()] * len(tunes), workers=workers),
        rooms_near=near,
        rooms_far=far,
    )


def _rooms(path: Path) -> tuple[Tensor, Tensor]:
    """Return the impulse responses near and far, [rooms, samples]."""
    try:
        with np.load(path, allow_pickle=False) as rooms:
            return torch.from_numpy(rooms["near"]), torch.from_numpy(rooms["far"])
    except (OSError, ValueError, KeyError) as error:
        raise RecordError(f"{path}: no rooms ({error}); make the pack with `python -m recipes.ear prepare`.") from error


def _active(clip: Clip) -> Sequence[tuple[float, float]] | None:
    return None if is_sound(clip) else clip.speech


def make_rows(
    corpus: Corpus,
    labels: Labels,
    settings: AugmentSettings,
    *,
    which: npt.NDArray[np.int64],
    count: int,
    mandarin: float = 1.5,
    sound_share: float = 0.06,
    sounds: Sequence[str],
    seed: int = 1,
    start: Path,
    device: torch.device,
) -> Rows:
    """Make rows from chosen clips; the second clip of a row is by the same speaker.

    Args:
        corpus: all clips.
        labels: labels of all clips.
        settings: settings of the augmentation.
        which: indices of the clips to use.
        count: number of rows.
        mandarin: sampling factor of Mandarin clips.
        sound_share: share of rows that hold a sound and no speech.
        sounds: sets of sounds that serve as events; `SOUND_SET` serves as noise too.
        seed: random seed.
        start: initial weights from CAM++, whose beginning is frozen.
        device: device on which rows are made and kept.
    """
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    clips = corpus.clips
    speech = np.array([i for i in which if clips[i].set in (*EMOTION_SETS, *PLAIN_SETS)])
    sound = np.array([i for i in which if clips[i].set in sounds and is_sound(clips[i])], dtype=np.int64)
    weights = sampling_weights([clips[i] for i in speech], mandarin=mandarin)
    first = draw.choice(speech, size=count, p=weights)
    by_speaker: dict[str, npt.NDArray[np.int64]] = {}
    for i in speech:
        by_speaker[clips[i].speaker] = np.append(by_speaker.get(clips[i].speaker, np.zeros(0, np.int64)), i)
    second = np.array([draw.choice(by_speaker[clips[i].speaker]) for i in first])
    if sound.size:
        alone = draw.random(count) < sound_share
        first = np.where(alone, draw.choice(sound, size=count), first)
        second = np.where(alone, draw.choice(sound, size=count), second)
    augment = Augment(
        settings,
        corpus.bank.to(device),
        labels.sound.to(device),
        rooms_near=corpus.rooms_near.to(device),
        rooms_far=corpus.rooms_far.to(device),
        noises=(corpus.noises if SOUND_SET in sounds else corpus.music).to(device),
        music=corpus.music.to(device),
        events=torch.from_numpy(sound).to(device),
        stem=fresh_network(NetworkSettings(), start).to(device).eval().stem,
    )
    ones, twos = torch.from_numpy(first).to(device), torch.from_numpy(second).to(device)
    with torch.no_grad():
        size = AT_ONCE.get(device.type, 16)
        return Rows.joined([augment(ones[i : i + size], twos[i : i + size]) for i in range(0, count, size)])
