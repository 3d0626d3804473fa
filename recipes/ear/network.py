"""The network of the built-in ear: filter-bank energies in, answers for every frame and for the whole clip out.

The trunk is the beginning of CAM++ (Wang et al. 2023; weights by 3D-Speaker, Apache-2.0), a speaker-recognition
network: its convolutions over time and frequency, its first dense block, and its second one, which is fine-tuned. Its
pre-training on many voices transfers to unseen corpora and languages better than anything else we tried
(`benchmarks/README.md`). `from_campplus` renames its weights.

Three groups of heads follow: the feeling (emotion, valence–arousal–dominance, intensity), the voice (sex, adult or not)
and the scene (recording condition, music). Feeling and voice are pooled over speech frames only, with learned
attention; mean and deviation go to the heads.
"""

import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from aptone.types.story import TYPICAL_VAD

BANDS = 80
"""Bands of the filter bank; `aptone.ear.network.filter_bank` makes as many."""
FIRST_WIDTH = 256
SECOND_WIDTH = 1024
WIDTH = FIRST_WIDTH + SECOND_WIDTH
POOLED = 2 * WIDTH
STATISTICS = 4 * BANDS
GROWTH = 32
NECK = 128
SEGMENT = 100
"""Frames that share one summary in a dense layer: 2 s."""
EMOTIONS = len(TYPICAL_VAD)
CONDITIONS = 5


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Sizes of the network.

    Args:
        events: number of kinds of sound events; 0 leaves that head untrained.
        dropout: dropout before and after the hidden layers.
        hidden: width of the layer before the heads.
    """

    events: int = 22
    dropout: float = 0.4
    hidden: int = 128


class Heard(NamedTuple):
    """Outputs of the network: logits for probabilities, values for valence, arousal and dominance."""

    emotion: Tensor
    vad: Tensor
    intensity: Tensor
    sex: Tensor
    adult: Tensor
    condition: Tensor
    music: Tensor
    frame_vad: Tensor
    frame_events: Tensor
    hidden: Tensor
    frame_emotion: Tensor


class EarNetwork(nn.Module):
    """The whole network."""

    places: Tensor

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        self.settings = settings
        self.stem = Stem()
        self.second = DenseBlock(24, FIRST_WIDTH, dilation=2)
        self.feeling = Group(settings, POOLED, {"emotion": EMOTIONS, "vad": 3, "intensity": 1})
        self.voice = Group(settings, POOLED, {"sex": 1, "adult": 1})
        self.scene = Group(settings, POOLED + STATISTICS, {"condition": CONDITIONS, "music": 1})
        self.frame_emotion = nn.Linear(WIDTH, EMOTIONS)
        self.frame_vad = nn.Linear(WIDTH, 3)
        self.frame_events = nn.Linear(WIDTH, max(settings.events, 1))
        places = torch.tensor([astuple(place) for place in TYPICAL_VAD.values()])
        self.register_buffer("places", places, persistent=False)

    def forward(self, energies: Tensor, statistics: Tensor, speech: Tensor, present: Tensor) -> Heard:
        """Return the outputs of a batch.

        Args:
            energies: centred log energies, [batch, filter-bank frames, 80].
            statistics: [batch, 320], see `aptone.ear.network.filter_bank.statistics`.
            speech: 1 for a frame of speech, [batch, frames]; see `aptone.ear.network.filter_bank.frame_count`.
            present: 1 for a frame with sound and 0 for padding, [batch, frames].
        """
        return self.hear(self.stem(energies, present), statistics, speech, present)

    def hear(
        self,
        frames: Tensor,
        statistics: Tensor,
        speech: Tensor,
        present: Tensor,
        *,
        padded: bool = True,
    ) -> Heard:
        """Return the outputs from the stem's output, [batch, frames, 256]."""
        planes = frames.transpose(1, 2)
        tuned = self.second(planes, context_of(present, padded=padded))
        values = torch.cat([planes, tuned], dim=1).transpose(1, 2)
        steady = functional.layer_norm(values, (WIDTH,))
        feeling = self.feeling(values, steady, speech)
        voice = self.voice(values, steady, speech)
        scene = self.scene(values, steady, present, beside=statistics)
        return Heard(
            emotion=feeling["emotion"],
            vad=placed(feeling["emotion"], feeling["vad"], self.places),
            intensity=feeling["intensity"].squeeze(-1),
            sex=voice["sex"].squeeze(-1),
            adult=voice["adult"].squeeze(-1),
            condition=scene["condition"],
            music=scene["music"].squeeze(-1),
            frame_vad=torch.tanh(self.frame_vad(steady)),
            frame_events=self.frame_events(steady),
            hidden=torch.cat([feeling["hidden"], voice["hidden"], scene["hidden"]], dim=-1),
            frame_emotion=self.frame_emotion(steady),
        )


def placed(emotion: Tensor, correction: Tensor, places: Tensor) -> Tensor:
    """Return valence, arousal and dominance: the expected place of the emotion, and a learned correction.

    Args:
        emotion: logits, [batch, emotions]; no gradient flows into them.
        correction: [batch, 3], before it is bounded.
        places: places of the emotions, [emotions, 3].
    """
    expected = torch.softmax(emotion.detach().float(), dim=-1) @ places
    return torch.clamp(expected + torch.tanh(correction.float()), -1.0, 1.0)


class Stem(nn.Module):
    """CAM++ up to the end of its first block, frozen: [batch, bank frames, 80] to [batch, frames, 256]."""

    def __init__(self) -> None:
        super().__init__()
        self.inward = Planes(1, stride=1)
        self.residual = nn.ModuleList([Residual(2), Residual(1), Residual(2), Residual(1)])
        self.outward = Planes(32, stride=2)
        self.delay = nn.Conv1d(32 * (BANDS // 8), 128, 5, stride=2, padding=2, bias=False)
        self.delay_norm = nn.BatchNorm1d(128)
        self.first = DenseBlock(12, 128, dilation=1)
        self.transit_norm = nn.BatchNorm1d(512)
        self.transit = nn.Conv1d(512, FIRST_WIDTH, 1, bias=False)

    def forward(self, energies: Tensor, present: Tensor, *, padded: bool = True) -> Tensor:
        """Return the features; padding is zeroed at the input and left out of every summary.

        Inside, the norms lift it from zero again, which the convolutions see at the end of a clip: the output there
        differs a little from that without padding, which is how the shipped ear runs.
        """
        if padded:
            energies = energies * present.repeat_interleave(2, dim=1)[:, : energies.shape[1], None]
        planes = self.inward(energies.transpose(1, 2)[:, None])
        for block in self.residual:
            planes = block(planes)
        planes = self.outward(planes)
        frames = functional.relu(self.delay_norm(self.delay(planes.flatten(1, 2))))
        frames = self.first(frames, context_of(present, padded=padded))
        out: Tensor = self.transit(functional.relu(self.transit_norm(frames)))
        return out.transpose(1, 2)


class Planes(nn.Module):
    """A convolution over frequency and time, normalised and rectified."""

    def __init__(self, channels: int, *, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, 32, 3, stride=(stride, 1), padding=1, bias=False)
        self.norm = nn.BatchNorm2d(32)

    def forward(self, planes: Tensor) -> Tensor:
        """Map [batch, channels, bands, frames] to the same."""
        return functional.relu(self.norm(self.conv(planes)))


class Residual(nn.Module):
    """Two convolutions with a skip connection."""

    def __init__(self, stride: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(32, 32, 3, stride=(stride, 1), padding=1, bias=False)
        self.one_norm = nn.BatchNorm2d(32)
        self.two = nn.Conv2d(32, 32, 3, padding=1, bias=False)
        self.two_norm = nn.BatchNorm2d(32)
        self.cut = nn.Conv2d(32, 32, 1, stride=(stride, 1), bias=False) if stride > 1 else None
        self.cut_norm = nn.BatchNorm2d(32) if stride > 1 else None

    def forward(self, planes: Tensor) -> Tensor:
        """Map [batch, 32, bands, frames] to the same."""
        inner = functional.relu(self.one_norm(self.one(planes)))
        inner = self.two_norm(self.two(inner))
        beside = self.cut_norm(self.cut(planes)) if self.cut is not None and self.cut_norm is not None else planes
        return functional.relu(inner + beside)


class Context(NamedTuple):
    """Matrices for the summaries of a dense layer.

    Args:
        average: [batch, frames, segments]: the mean over all frames plus the mean over each segment's own.
        spread: [segments, frames]: distributes the summary of a segment to its frames.
        present: [batch, 1, frames], or None without padding.
    """

    average: Tensor
    spread: Tensor
    present: Tensor | None


def context_of(present: Tensor, *, padded: bool) -> Context:
    """Return the summaries over the frames that are present, [batch, frames]; `padded` is true if there is padding."""
    frames = present.shape[1]
    place = torch.arange(frames, device=present.device) // SEGMENT
    segments = torch.arange(0, frames, SEGMENT, device=present.device) // SEGMENT
    member = (place[:, None] == segments).to(present.dtype)
    own = present[..., None] * member
    average = own / own.sum(dim=1, keepdim=True).clamp_min(1.0)
    average = average + (present / present.sum(dim=1, keepdim=True).clamp_min(1.0))[..., None]
    return Context(average, member.transpose(0, 1), present[:, None] if padded else None)


class DenseBlock(nn.Module):
    """Layers that each see the output of all before and add 32 channels."""

    def __init__(self, count: int, width: int, *, dilation: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DenseLayer(width + index * GROWTH, dilation) for index in range(count))

    def forward(self, frames: Tensor, context: Context) -> Tensor:
        """Map [batch, width, frames] to [batch, width + 32 layers, frames]."""
        for layer in self.layers:
            frames = torch.cat([frames, layer(frames, context)], dim=1)
        return frames


class DenseLayer(nn.Module):
    """A convolution over neighbouring frames, gated by a summary of the clip and of the two seconds around."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.before_norm = nn.BatchNorm1d(width)
        self.before = nn.Conv1d(width, NECK, 1, bias=False)
        self.norm = nn.BatchNorm1d(NECK)
        self.local = nn.Conv1d(NECK, GROWTH, 3, padding=dilation, dilation=dilation, bias=False)
        self.narrow = nn.Conv1d(NECK, NECK // 2, 1)
        self.widen = nn.Conv1d(NECK // 2, GROWTH, 1)

    def forward(self, frames: Tensor, context: Context) -> Tensor:
        """Map [batch, width, frames] to [batch, 32, frames]."""
        neck = functional.relu(self.norm(self.before(functional.relu(self.before_norm(frames)))))
        if context.present is not None:
            neck = neck * context.present
        summary = neck @ context.average.to(neck.dtype)
        gate = torch.sigmoid(self.widen(functional.relu(self.narrow(summary))))
        gated: Tensor = self.local(neck) * (gate @ context.spread.to(gate.dtype))
        return gated


class Group(nn.Module):
    """Heads with shared inputs: a pool over frames, one hidden layer, an answer each."""

    def __init__(self, settings: NetworkSettings, width: int, sizes: dict[str, int]) -> None:
        super().__init__()
        self.score = nn.Sequential(nn.Linear(WIDTH, 64), nn.Tanh(), nn.Linear(64, 1))
        self.standard = nn.BatchNorm1d(width, affine=False, momentum=0.02)
        self.into = nn.Sequential(
            nn.Dropout(settings.dropout), nn.Linear(width, settings.hidden), nn.SiLU(), nn.Dropout(settings.dropout)
        )
        self.heads = nn.ModuleDict({name: nn.Linear(settings.hidden, size) for name, size in sizes.items()})

    def forward(
        self, values: Tensor, steady: Tensor, chosen: Tensor, *, beside: Tensor | None = None
    ) -> dict[str, Tensor]:
        """Return the answers for the clips, and the hidden layer.

        Attention-weighted mean and deviation of every feature over the chosen frames, with further features of the
        clip, each standardised.

        Args:
            values: [batch, frames, 1280].
            steady: the same, each frame with unit deviation.
            chosen: 1 for a frame that counts, [batch, frames].
            beside: further features of the clips, [batch, …].
        """
        scores = self.score(steady).squeeze(-1).float() + (chosen - 1.0) * 1e4
        weights = torch.softmax(scores, dim=-1)[..., None]
        full = values.float()
        mean = (weights * full).sum(dim=1)
        spread = ((weights * (full - mean[:, None]) ** 2).sum(dim=1) + 1e-5).sqrt()
        vector = self._standardised(torch.cat([mean, spread] if beside is None else [mean, spread, beside], dim=-1))
        hidden = self.into(vector)
        return {"hidden": hidden, **{name: head(hidden) for name, head in self.heads.items()}}

    def _standardised(self, vector: Tensor) -> Tensor:
        if self.training:
            standard: Tensor = self.standard(vector)
            return standard
        # Written out, because the exporter cannot tell how long the vector is.
        mean, variance = self.standard.running_mean, self.standard.running_var
        assert mean is not None
        assert variance is not None
        return (vector - mean) * torch.rsqrt(variance + self.standard.eps)


def from_campplus(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of 3D-Speaker's CAM++ under our names; unused ones are dropped.

    >>> from_campplus({"head.layer2.1.bn1.bias": torch.ones(32), "xvector.dense.linear.weight": torch.ones(1)}).keys()
    dict_keys(['stem.residual.3.one_norm.bias'])
    """
    renamed = {}
    for name, value in weights.items():
        new = _renamed(name)
        if new is not None:
            renamed[new] = value
    return renamed


_SINGLE = {
    "head.conv1": "stem.inward.conv",
    "head.bn1": "stem.inward.norm",
    "head.conv2": "stem.outward.conv",
    "head.bn2": "stem.outward.norm",
    "xvector.tdnn.linear": "stem.delay",
    "xvector.tdnn.nonlinear.batchnorm": "stem.delay_norm",
    "xvector.transit1.nonlinear.batchnorm": "stem.transit_norm",
    "xvector.transit1.linear": "stem.transit",
}
_IN_RESIDUAL = {
    "conv1": "one",
    "bn1": "one_norm",
    "conv2": "two",
    "bn2": "two_norm",
    "shortcut.0": "cut",
    "shortcut.1": "cut_norm",
}
_IN_DENSE = {
    "nonlinear1.batchnorm": "before_norm",
    "linear1": "before",
    "nonlinear2.batchnorm": "norm",
    "cam_layer.linear_local": "local",
    "cam_layer.linear1": "narrow",
    "cam_layer.linear2": "widen",
}
_BLOCKS = {"1": "stem.first", "2": "second"}


def _renamed(name: str) -> str | None:
    module, _, leaf = name.rpartition(".")
    if leaf == "num_batches_tracked":
        return None
    if module in _SINGLE:
        return f"{_SINGLE[module]}.{leaf}"
    if (found := re.fullmatch(r"head\.layer([12])\.([01])\.(.+)", module)) and found[3] in _IN_RESIDUAL:
        return f"stem.residual.{2 * (int(found[1]) - 1) + int(found[2])}.{_IN_RESIDUAL[found[3]]}.{leaf}"
    if (found := re.fullmatch(r"xvector\.block([12])\.tdnnd(\d+)\.(.+)", module)) and found[3] in _IN_DENSE:
        return f"{_BLOCKS[found[1]]}.layers.{int(found[2]) - 1}.{_IN_DENSE[found[3]]}.{leaf}"
    return None
