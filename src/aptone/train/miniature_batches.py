"""Batches for a model whose steps take milliseconds: everything that can be made beforehand is.

Token ids are those of `aptone.train.judge_batch.conversation_inputs`, made once for all examples; frames come from one
file (`aptone.train.miniature_sounds`). While it learns, bands and moments of the frames are masked at random
(SpecAugment, Park et al. 2019), for the speakers are few.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.utils.rnn import pad_sequence

from aptone.models.local_omni_checkpoint import Omni
from aptone.train.judge_batch import END, IGNORED, Inputs
from aptone.train.judge_example import Example
from aptone.train.miniature_sounds import KeptSounds, RememberedExample, RememberingOmni
from aptone.types import Audio, AudioRef

BUCKETS = 16
"""Batches whose examples are sorted by length together, so that little is padded."""


@dataclass(frozen=True, slots=True)
class Masking:
    """How frames are masked.

    Args:
        bands: most bands of one mask, as a share.
        moments: most frames of one mask, as a share.
        masks: of each kind.
    """

    bands: float = 0.15
    moments: float = 0.1
    masks: int = 2


@dataclass(frozen=True, slots=True)
class _Desk(RememberingOmni):
    """Counts frames and does not fetch them."""

    def frames(self, audio: Audio, *, aac: bool) -> torch.Tensor:
        return torch.empty(1, 0, self.kept.places[audio.source][1])


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Examples as token ids.

    Args:
        ids: of prompt and reply together.
        prompts: how many of them are the prompt's.
        sounds: name of the sound of each.
        kept: the frames.
        padding: id that pads.
    """

    ids: Sequence[npt.NDArray[np.int32]]
    prompts: npt.NDArray[np.int64]
    sounds: Sequence[str]
    kept: KeptSounds
    padding: int

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Tokens of each."""
        return np.array([len(one) for one in self.ids])

    def inputs(self, numbers: Sequence[int], table: torch.Tensor) -> Inputs:
        """Some of them as the model takes them, padded on the right; see `conversation_inputs`.

        Args:
            numbers: which.
            table: all frames that are kept, (frames, bands), on the device of the model.
        """
        rows = [torch.from_numpy(self.ids[number].astype(np.int64)) for number in numbers]
        labels = [row.clone() for row in rows]
        for label, number in zip(labels, numbers, strict=True):
            label[: int(self.prompts[number])] = IGNORED
        inputs = {
            "input_ids": pad_sequence(rows, batch_first=True, padding_value=self.padding),
            "attention_mask": pad_sequence([torch.ones_like(row) for row in rows], batch_first=True),
            "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORED),
        }
        inputs["position_ids"] = positions(inputs["attention_mask"])
        return {name: value.to(table.device, non_blocking=True) for name, value in inputs.items()} | self._sounds(
            numbers, table
        )

    def _sounds(self, numbers: Sequence[int], table: torch.Tensor) -> Inputs:
        places = torch.tensor([self.kept.places[self.sounds[number]] for number in numbers])
        frame = torch.arange(int(places[:, 1].max()), device=table.device)
        first, count = places.to(table.device, non_blocking=True).T
        there = frame < count[:, None]
        features = table[torch.where(there, first[:, None] + frame, 0)].float() * there[:, :, None]
        return {"input_features": features.transpose(1, 2).contiguous(), "feature_attention_mask": there.long()}


def positions(there: torch.Tensor) -> torch.Tensor:
    """Positions of tokens in rows with sounds and without pictures, (3, rows, tokens), as the stock model finds them.

    It goes through rows one by one to find pictures; where there are none, all three axes simply count.

    Args:
        there: (rows, tokens), 1 where there is a token; rows are padded on the right.
    """
    counted = (there.cumsum(dim=-1) - 1).masked_fill(there == 0, 1)
    return counted[None].expand(3, -1, -1)


def prepare(omni: Omni, examples: Sequence[Example], kept: KeptSounds) -> Prepared:
    """Tokenise examples, all at once.

    Raises:
        RecordError: if a text of a user's holds a control token.
    """
    bare = SimpleNamespace(device=torch.device("cpu"), dtype=torch.float32, config=omni.model.config)
    desk = _Desk(omni.name, bare, omni.tokenizer, omni.extractor, omni.markers, kept)
    texts, _ = desk.prompts([example.messages() for example in examples], aac=False)
    prompts = omni.tokenizer(texts, add_special_tokens=False)["input_ids"]
    replies = omni.tokenizer([example.reply + END for example in examples], add_special_tokens=False)["input_ids"]
    ids = [np.array([*prompt, *reply], dtype=np.int32) for prompt, reply in zip(prompts, replies, strict=True)]
    sounds = [example.audio.path for example in examples if isinstance(example.audio, AudioRef)]
    counts = np.array([len(prompt) for prompt in prompts])
    return Prepared(ids, counts, sounds, kept, int(omni.tokenizer.pad_token_id))


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatches:
    """Batches of prepared examples: the same step gives the same batch.

    Args:
        prepared: the examples.
        batch: examples of a batch.
        chunk: of those, how many are in memory at once.
        seed: of the order and of the masks.
        device: where batches go.
        masking: of frames; None for none.
    """

    prepared: Prepared
    batch: int
    chunk: int
    seed: int
    device: torch.device
    masking: Masking | None = None

    @property
    def identity(self) -> str:
        """What they are made of."""
        digest = hashlib.sha256(repr(self.masking).encode())
        for ids, sound in zip(self.prepared.ids, self.prepared.sounds, strict=True):
            digest.update(ids.tobytes() + sound.encode())
        return digest.hexdigest()

    def shares(self, first: int, last: int) -> Iterator[list[Inputs]]:
        """The batches of the steps from `first` to before `last`, in chunks."""
        lengths = self.prepared.lengths
        table = self.prepared.kept.table(self.device)
        for step in range(first, last):
            numbers = batch_numbers(lengths, step, batch=self.batch, seed=self.seed)
            chunks = [
                self.prepared.inputs(numbers[at : at + self.chunk], table) for at in range(0, len(numbers), self.chunk)
            ]
            if self.masking is not None:
                generator = torch.Generator().manual_seed(self.seed * 1_000_003 + step)
                for chunk in chunks:
                    chunk["input_features"] = masked(chunk["input_features"], self.masking, generator)
            yield chunks


def batch_numbers(lengths: npt.NDArray[np.int64], step: int, *, batch: int, seed: int) -> list[int]:
    """Which examples are in the batch of a step: each once an epoch, but those that fill no batch; alike in length.

    >>> lengths = np.array([5, 6, 7, 8])
    >>> sorted(number for step in (0, 1) for number in batch_numbers(lengths, step, batch=2, seed=1))
    [0, 1, 2, 3]
    """
    per_epoch = max(1, len(lengths) // batch)
    epoch, within = divmod(step, per_epoch)
    generator = np.random.default_rng([seed, epoch])
    order = generator.permutation(len(lengths))
    together = BUCKETS * batch
    batches: list[npt.NDArray[np.int64]] = []
    for first in range(0, per_epoch * batch, together):
        part = order[first : min(first + together, per_epoch * batch)]
        part = part[np.argsort(lengths[part], kind="stable")]
        batches += [part[at : at + batch] for at in range(0, len(part), batch)]
    chosen: list[int] = batches[int(generator.permutation(len(batches))[within])].tolist()
    return chosen


def masked(features: torch.Tensor, masking: Masking, generator: torch.Generator) -> torch.Tensor:
    """Log-mel frames (clips, bands, frames) with some bands and moments set to the clip's mean."""
    clips, bands, frames = features.shape
    hidden = torch.zeros(clips, bands, frames, dtype=torch.bool, device=features.device)
    for _ in range(masking.masks):
        for axis, size, share in ((1, bands, masking.bands), (2, frames, masking.moments)):
            width = torch.rand(clips, generator=generator) * share * size
            first = torch.rand(clips, generator=generator) * (size - width)
            first, width = (one.to(features.device, non_blocking=True) for one in (first, width))
            place = torch.arange(size, device=features.device)
            within = (place >= first[:, None]) & (place < (first + width)[:, None])
            hidden |= within[:, :, None] if axis == 1 else within[:, None, :]
    return torch.where(hidden, features.mean(dim=(1, 2), keepdim=True), features)


@dataclass(frozen=True, slots=True, eq=False)
class ExampleLists:
    """Batches of examples as they are, for reinforcement.

    Args:
        examples: all of them.
        batch: of a step.
        seed: of the order.
    """

    examples: Sequence[RememberedExample]
    batch: int
    seed: int

    @property
    def identity(self) -> str:
        """What they are made of."""
        return hashlib.sha256("\n".join(example.id for example in self.examples).encode()).hexdigest()

    def shares(self, first: int, last: int) -> Iterator[list[Example]]:
        """The batches of the steps from `first` to before `last`."""
        lengths = np.zeros(len(self.examples), dtype=np.int64)
        for step in range(first, last):
            yield [self.examples[number] for number in batch_numbers(lengths, step, batch=self.batch, seed=self.seed)]


def remembering(omni: Omni, kept: KeptSounds) -> RememberingOmni:
    """A model that fetches its frames."""
    return RememberingOmni(omni.name, omni.model, omni.tokenizer, omni.extractor, omni.markers, kept)
