"""Batches for a model whose steps take milliseconds: everything is prepared in advance.

Token ids are those of `aptone.train.judge.batch.conversation_inputs`, computed once for all examples and saved; frames
come from one file (`recipes.miniature.sounds`). Both lie on the device, and batches are assembled there. In training,
the frames are augmented, for the speakers are few: some features are dropped and all get noise, and stretches of
features and of frames are masked (SpecAugment, Park et al. 2019).
"""

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import torch

from aptone.errors import RecordError
from aptone.files import whole_file
from aptone.models.omni.checkpoint import Omni
from aptone.train.judge.batch import END, IGNORED, Inputs
from aptone.train.judge.example import Example
from aptone.types import Audio, AudioRef
from recipes.miniature.sounds import KeptSounds, RememberedExample, RememberingOmni

BUCKETS = 16
"""Batches whose examples are sorted by length together, so that there is little padding."""


@dataclass(frozen=True, slots=True)
class Masking:
    """Settings of the augmentation.

    Args:
        numbers: largest share of features in one mask.
        moments: largest share of frames in one mask.
        masks: number of masks of each kind.
        dropped: share of a clip's features that are dropped in all its frames.
        noise: standard deviation of the noise; that of the features is 1.
    """

    numbers: float = 0.1
    moments: float = 0.15
    masks: int = 2
    dropped: float = 0.15
    noise: float = 0.3


@dataclass(frozen=True, slots=True)
class _Desk(RememberingOmni):
    """Stand-in for a model that counts frames and does not load them."""

    def frames(self, audio: Audio, *, aac: bool) -> torch.Tensor:
        return torch.empty(1, 0, self.kept.places[audio.source][1])


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Examples as token ids.

    Args:
        ids: ids of prompts and replies, all examples in sequence.
        counts: number of ids of each example.
        prompts: number of prompt ids of each example.
        sounds: name of the sound of each example.
        padding: id of the padding token.
    """

    ids: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    prompts: npt.NDArray[np.int64]
    sounds: tuple[str, ...]
    padding: int

    def __len__(self) -> int:
        return len(self.counts)

    def __add__(self, other: "Prepared") -> "Prepared":
        """Concatenate two sets of examples."""
        return Prepared(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.counts, other.counts]),
            np.concatenate([self.prompts, other.prompts]),
            (*self.sounds, *other.sounds),
            self.padding,
        )

    def on(self, device: torch.device, kept: KeptSounds) -> "Tables":
        """Return the examples and their frames on a device."""
        places = np.array([kept.places[sound] for sound in self.sounds], dtype=np.int64).reshape(-1, 2)
        starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]]).astype(np.int64)
        columns = np.stack([starts, self.counts, self.prompts, places[:, 0], places[:, 1]])
        return Tables(
            torch.from_numpy(self.ids).to(device),
            kept.table(device),
            torch.from_numpy(columns).to(device),
            columns,
            self.padding,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Examples and frames on a device, where batches are assembled without the host.

    Args:
        ids: ids of all examples.
        frames: frames of all sounds, (frames, features).
        columns: (5, examples): first id, number of ids, ids of the prompt, first frame, number of frames.
        known: the same on the host.
        padding: id of the padding token.
    """

    ids: torch.Tensor
    frames: torch.Tensor
    columns: torch.Tensor
    known: npt.NDArray[np.int64]
    padding: int

    def inputs(self, numbers: Sequence[int]) -> Inputs:
        """Return the model inputs of some examples, padded on the right; see `conversation_inputs`.

        There is no mask: attention is causal, so that no token sees the padding.
        """
        device = self.ids.device
        chosen = torch.tensor(numbers).to(device, non_blocking=True)
        start, count, prompt, first, frames = self.columns[:, chosen][:, :, None]
        place = torch.arange(int(self.known[1, numbers].max()), device=device)
        there = place < count
        ids = torch.where(there, self.ids[torch.where(there, start + place, 0)].long(), self.padding)
        moment = torch.arange(int(self.known[4, numbers].max()), device=device)
        heard = moment < frames
        features = self.frames[torch.where(heard, first + moment, 0)].float() * heard[:, :, None]
        return {
            "input_ids": ids,
            "labels": torch.where(there & (place >= prompt), ids, IGNORED),
            "position_ids": place.expand(3, len(numbers), -1),  # without pictures, all three axes simply count
            "input_features": features.transpose(1, 2),
            "feature_attention_mask": heard.long(),
        }


def prepare(omni: Omni, examples: Sequence[Example], kept: KeptSounds) -> Prepared:
    """Tokenise examples, all at once.

    Raises:
        RecordError: if a user's text holds a control token.
    """
    bare = SimpleNamespace(device=torch.device("cpu"), dtype=torch.float32, config=omni.model.config)
    desk = _Desk(omni.name, bare, omni.tokenizer, omni.extractor, omni.markers, kept)
    texts, _ = desk.prompts([example.messages() for example in examples], aac=False)
    prompts = omni.tokenizer(texts, add_special_tokens=False)["input_ids"]
    replies = omni.tokenizer([example.reply + END for example in examples], add_special_tokens=False)["input_ids"]
    whole = [[*prompt, *reply] for prompt, reply in zip(prompts, replies, strict=True)]
    return Prepared(
        np.array(list(itertools.chain.from_iterable(whole)), dtype=np.int32),
        np.array([len(ids) for ids in whole], dtype=np.int64),
        np.array([len(prompt) for prompt in prompts], dtype=np.int64),
        tuple(example.audio.path for example in examples if isinstance(example.audio, AudioRef)),
        int(omni.tokenizer.pad_token_id),
    )


def write_prepared(path: Path, prepared: Prepared) -> None:
    """Write prepared examples to a file."""
    with whole_file(path) as partial, partial.open("wb") as file:
        np.savez(
            file,
            ids=prepared.ids,
            counts=prepared.counts,
            prompts=prepared.prompts,
            sounds=np.array(prepared.sounds, dtype=np.str_),
            padding=prepared.padding,
        )


def read_prepared(path: Path) -> Prepared:
    """Read the file of `write_prepared`.

    Raises:
        RecordError: if it holds something else.
    """
    try:
        with np.load(path, allow_pickle=False) as kept:
            return Prepared(
                kept["ids"],
                kept["counts"],
                kept["prompts"],
                tuple(kept["sounds"].tolist()),
                int(kept["padding"]),
            )
    except (OSError, ValueError, KeyError) as error:
        raise RecordError(f"{path}: holds no prepared examples ({error}); make them again.") from error


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatches:
    """Batches of prepared examples; the same step always gives the same batch.

    Args:
        prepared: the examples.
        kept: the frames.
        batch: examples per batch.
        chunk: examples in memory at once.
        seed: random seed of order and masks.
        device: device of the batches.
        masking: augmentation of frames; None for none.
    """

    prepared: Prepared
    kept: KeptSounds
    batch: int
    chunk: int
    seed: int
    device: torch.device
    masking: Masking | None = None

    @property
    def identity(self) -> str:
        """Hash of the data that batches are made of."""
        digest = hashlib.sha256(repr(self.masking).encode())
        for part in (self.prepared.ids, self.prepared.counts, self.prepared.prompts):
            digest.update(part.tobytes())
        digest.update("\n".join(self.prepared.sounds).encode())
        return digest.hexdigest()

    def shares(self, first: int, last: int) -> Iterator[list[Inputs]]:
        """Yield the batches of steps `first` to `last` - 1, in micro-batches."""
        order = Order(self.prepared.counts, batch=self.batch, seed=self.seed)
        tables = self.prepared.on(self.device, self.kept)
        for step in range(first, last):
            numbers = order.of(step)
            chunks = [tables.inputs(numbers[at : at + self.chunk]) for at in range(0, len(numbers), self.chunk)]
            if self.masking is not None:
                generator = torch.Generator(self.device).manual_seed(self.seed * 1_000_003 + step)
                for chunk in chunks:
                    chunk["input_features"] = altered(
                        chunk["input_features"], chunk["feature_attention_mask"], self.masking, generator
                    )
            yield chunks


class Order:
    """Assignment of examples to batches of similar length: each example once an epoch, except those that fill no batch.

    >>> order = Order(np.array([5, 6, 7, 8]), batch=2, seed=1)
    >>> sorted(number for step in (0, 1) for number in order.of(step))
    [0, 1, 2, 3]

    Args:
        lengths: lengths of the examples.
        batch: examples per batch.
        seed: random seed of the order.
    """

    def __init__(self, lengths: npt.NDArray[np.int64], *, batch: int, seed: int) -> None:
        self._lengths, self._batch, self._seed = lengths, batch, seed
        self._epoch = -1
        self._batches: list[list[int]] = []

    def of(self, step: int) -> list[int]:
        """Return the batch of a step."""
        epoch, within = divmod(step, max(1, len(self._lengths) // self._batch))
        if epoch != self._epoch:
            self._epoch, self._batches = epoch, self._shuffled(epoch)
        return self._batches[within]

    def _shuffled(self, epoch: int) -> list[list[int]]:
        generator = np.random.default_rng([self._seed, epoch])
        whole = max(1, len(self._lengths) // self._batch) * self._batch
        order = generator.permutation(len(self._lengths))[:whole]
        batches: list[list[int]] = []
        for first in range(0, len(order), BUCKETS * self._batch):
            part = order[first : first + BUCKETS * self._batch]
            part = part[np.argsort(self._lengths[part], kind="stable")]
            batches += [part[at : at + self._batch].tolist() for at in range(0, len(part), self._batch)]
        return [batches[place] for place in generator.permutation(len(batches)).tolist()]


def altered(features: torch.Tensor, there: torch.Tensor, masking: Masking, generator: torch.Generator) -> torch.Tensor:
    """Return augmented frames: features and frames dropped and masked, with noise.

    Args:
        features: (clips, features, frames), 0 after the end of a clip.
        there: (clips, frames), 1 for a frame of the clip.
        masking: settings of the augmentation.
        generator: random generator on the device of the frames.
    """
    clips, numbers, _ = features.shape

    def random(*shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=generator, device=features.device)

    noisy = features + masking.noise * torch.randn(features.shape, generator=generator, device=features.device)
    kept = (random(clips, numbers, 1) >= masking.dropped) / (1.0 - masking.dropped)
    return masked(noisy * kept, masking, random(4 * masking.masks, clips)) * there[:, None]


def masked(features: torch.Tensor, masking: Masking, random: torch.Tensor) -> torch.Tensor:
    """Set stretches of features and of frames to 0, their mean.

    Args:
        features: (clips, features, frames).
        masking: number and width of masks.
        drawn: (4 for each mask, clips), random numbers from 0 to 1: width and place in features, width and place in
            frames.
    """
    _, numbers, frames = features.shape
    hidden = torch.zeros_like(features, dtype=torch.bool)
    for number in range(masking.masks):
        within = []
        for axis, (size, share) in enumerate(((numbers, masking.numbers), (frames, masking.moments))):
            width, first = random[4 * number + 2 * axis : 4 * number + 2 * axis + 2, :, None]
            width = width * share * size
            first = first * (size - width)
            place = torch.arange(size, device=features.device)
            within.append((place >= first) & (place < first + width))
        hidden |= within[0][:, :, None] | within[1][:, None, :]
    return features.masked_fill(hidden, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class ExampleLists:
    """Batches of unprepared examples, for GRPO.

    Args:
        examples: all examples.
        batch: examples per step.
        seed: random seed of the order.
    """

    examples: Sequence[RememberedExample]
    batch: int
    seed: int

    @property
    def identity(self) -> str:
        """Hash of the examples."""
        return hashlib.sha256("\n".join(example.id for example in self.examples).encode()).hexdigest()

    def shares(self, first: int, last: int) -> Iterator[list[Example]]:
        """Yield the batches of steps `first` to `last` - 1."""
        order = Order(np.zeros(len(self.examples), dtype=np.int64), batch=self.batch, seed=self.seed)
        for step in range(first, last):
            yield [self.examples[number] for number in order.of(step)]


def remembering(omni: Omni, kept: KeptSounds) -> RememberingOmni:
    """Return a model that looks up its frames."""
    return RememberingOmni(omni.name, omni.model, omni.tokenizer, omni.extractor, omni.markers, kept)
