"""Train the ear: the beginning of a network that tells speakers apart, taught to hear how something is said.

Top to bottom: make rows once, draw them, mix some, one loss per head, one step, an average of the weights. Several
networks are trained side by side on one GPU, each step of each of them one CUDA graph on its own stream. What is kept
is the average, as safetensors, and what it says about clips that it was not trained on, as `.npz`.
"""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from aptone.ear.grid import RATE, frame_centres, frame_count
from aptone.models.local_ear import POOLED, EarNetwork, Heard, NetworkSettings
from aptone.errors import RecordError
from aptone.train.ear_augment import LEVEL, Augment, AugmentSettings, Rows, filter_bank, speech_level
from aptone.train.ear_data import (
    EMOTION_ORDER,
    HOP,
    SOUND_SET,
    SPEECH_SETS,
    Bank,
    Clip,
    Labels,
    label_tensors,
    load_bank,
    read_index,
    sampling_weights,
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training run depends on besides the data.

    Args:
        name: of the run.
        seed: of everything that is drawn.
        sets: sets of speech that are trained on.
        held_out: speakers that are not trained on, whatever their split.
        splits: which splits are trained on.
        sounds: whether the set of sounds (non-commercial) is used.
        steps: how many batches.
        rows: rows in a batch.
        rate: learning rate of the heads; the trunk's is ``trunk_rate`` times that.
        decay: of the weights.
        average: how much of the running average of the weights is kept in a step.
        smoothing: share of an emotion's target that is spread over the labels of its set.
        unmasked: share of the emotion loss that is taken over all labels, known to the set or not.
        frame: weight of the frames' losses relative to the clip's.
        mixup: share of rows that are mixed with another row.
        swap: share of rows whose vector is moved from their own speaker's average to another speaker's.
        network: sizes of the network.
    """

    name: str = "all-seed1"
    seed: int = 1
    sets: tuple[str, ...] = SPEECH_SETS
    held_out: tuple[str, ...] = ()
    splits: tuple[str, ...] = ("train",)
    sounds: bool = True
    steps: int = 1200
    rows: int = 64
    rate: float = 1e-3
    trunk_rate: float = 0.15
    decay: float = 0.05
    average: float = 0.997
    smoothing: float = 0.05
    unmasked: float = 0.1
    frame: float = 0.3
    mixup: float = 0.3
    swap: float = 0.5
    network: NetworkSettings = field(default_factory=NetworkSettings)


@dataclass(frozen=True, slots=True)
class Corpus:
    """All clips and what is put around them."""

    clips: list[Clip]
    bank: Bank
    sounds: tuple[str, ...]
    noises: Bank
    music: Bank
    rooms_near: Tensor
    rooms_far: Tensor


VOICES = frozenset({"laughing", "breathing", "coughing", "sneezing", "crying_baby", "snoring"})
"""Sounds that are heard as events and never serve as noise."""


def load_corpus(data: Path, *, workers: int) -> Corpus:
    """Clips from ``data/<set>/``, their index, music from ``data/music/*.ogg`` and rooms from ``data/rooms.npz``."""
    clips = read_index(data, data / "index.jsonl")
    bank = load_bank([clip.path for clip in clips], [_active(clip) for clip in clips], workers=workers)
    sounds = tuple(sorted({clip.label for clip in clips if clip.set == SOUND_SET}))
    around = [
        clip.path for clip in clips if clip.set == SOUND_SET and clip.split == "train" and clip.label not in VOICES
    ]
    tunes = sorted((data / "music").glob("*.ogg"))
    rooms = np.load(data / "rooms.npz", allow_pickle=False)
    return Corpus(
        clips=clips,
        bank=bank,
        sounds=sounds,
        noises=load_bank(around, [()] * len(around), workers=workers),
        music=load_bank(tunes, [()] * len(tunes), workers=workers),
        rooms_near=torch.from_numpy(rooms["near"]),
        rooms_far=torch.from_numpy(rooms["far"]),
    )


def _active(clip: Clip) -> Sequence[tuple[float, float]] | None:
    return None if clip.set == SOUND_SET else clip.speech


def make_rows(
    corpus: Corpus,
    labels: Labels,
    settings: AugmentSettings,
    *,
    which: npt.NDArray[np.int64],
    count: int,
    mandarin: float,
    sound_share: float,
    sounds: bool,
    seed: int,
    start: Path,
    device: torch.device,
) -> Rows:
    """Rows from chosen clips; the second clip of a row is by the same speaker.

    Args:
        corpus: all clips.
        labels: of all clips.
        settings: of the augmentation.
        which: indices of the clips to use.
        count: how many rows.
        mandarin: how many times as often Mandarin clips are drawn.
        sound_share: share of rows that hold a sound and no speech.
        sounds: whether the set of sounds may be used, as events and as noise.
        seed: of all draws.
        start: weights of CAM++, whose beginning is used as it is.
        device: where the rows are made and kept.
    """
    torch.manual_seed(seed)
    draw = np.random.default_rng(seed)
    clips = corpus.clips
    speech = np.array([i for i in which if clips[i].set in SPEECH_SETS])
    sound = np.array([i for i in which if clips[i].set == SOUND_SET], dtype=np.int64) if sounds else np.zeros(0, np.int64)
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
        noises=(corpus.noises if sounds else corpus.music).to(device),
        music=corpus.music.to(device),
        events=torch.from_numpy(sound).to(device),
        stem=fresh_network(NetworkSettings(), start).to(device).eval().stem,
    )
    ones, twos = torch.from_numpy(first).to(device), torch.from_numpy(second).to(device)
    with torch.no_grad():
        return Rows.joined([augment(ones[i : i + 256], twos[i : i + 256]) for i in range(0, count, 256)])


def fresh_network(settings: NetworkSettings, start: Path) -> EarNetwork:
    """A network with CAM++'s weights in its trunk and nothing learned in its heads."""
    network = EarNetwork(settings)
    given = {name: value.float() for name, value in load_file(start).items()}
    missing, unexpected = network.load_state_dict(given, strict=False)
    lacking = [name for name in missing if name.startswith(("stem", "second")) and "num_batches" not in name]
    if lacking or unexpected:
        raise RecordError(f"{start}: not the weights of CAM++ ({lacking[:2]} are missing, {unexpected[:2]} unknown).")
    network.stem.requires_grad_(False)
    return network


def is_trained_on(clip: Clip, recipe: Recipe) -> bool:
    """Whether a clip belongs to the training clips of a recipe."""
    if clip.set == SOUND_SET:
        return recipe.sounds and clip.split == "train"
    return clip.set in recipe.sets and clip.split in recipe.splits and clip.speaker not in recipe.held_out


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows, some mixed with another one.

    Args:
        frames, statistics, speech, present: as the network takes them behind its stem.
        clips: index of the clips that make up each row, [rows, 4]; shares: how much of the row each of them is.
        frame_clips: the two clips that each frame is made of, [rows, frames, 2]; frame_shares: how much.
        condition: of the row and of the one mixed in, [rows, 2]; condition_shares: how much.
        adult: 1 where the voices have their own pitch and size.
        music: how much music.
        sounds: of the row and of the one mixed in, [rows, frames, 2], index of the event or -1.
        mixture: share of the row itself and of the one mixed in, [rows, 2].
    """

    frames: Tensor
    statistics: Tensor
    speech: Tensor
    present: Tensor
    clips: Tensor
    shares: Tensor
    frame_clips: Tensor
    frame_shares: Tensor
    condition: Tensor
    condition_shares: Tensor
    adult: Tensor
    music: Tensor
    sounds: Tensor
    mixture: Tensor


class Training:
    """One network on its way."""

    def __init__(
        self, recipe: Recipe, corpus: Corpus, rows: Rows, labels: Labels, start: Path, *, device: torch.device
    ) -> None:
        torch.manual_seed(0)  # the same beginning for every seed, so that their weights may be averaged
        self.recipe, self.corpus, self.rows, self.labels, self.device = recipe, corpus, rows, labels, device
        self.trained = np.array([is_trained_on(clip, recipe) for clip in corpus.clips])
        allowed = np.flatnonzero(self.trained[rows.first.cpu().numpy()])
        draws = np.random.default_rng(recipe.seed).choice(allowed, size=(recipe.steps, recipe.rows))
        self.draws = torch.from_numpy(draws).to(device)
        settings = replace(recipe.network, events=len(corpus.sounds) if recipe.sounds else 0)
        self.network = fresh_network(settings, start).to(device)
        self.averaged = fresh_network(settings, start).to(device)
        self.averaged.load_state_dict(self.network.state_dict())
        speakers = sorted({clip.speaker for clip in corpus.clips})
        self.speaker = torch.tensor([speakers.index(clip.speaker) for clip in corpus.clips], device=device)
        known = sorted({speakers.index(clip.speaker) for clip in corpus.clips if clip.set in SPEECH_SETS and is_trained_on(clip, recipe)})
        self.speakers = torch.tensor(known, device=device)
        self.means = torch.zeros(len(speakers), POOLED, device=device)
        self.averaged.eval()
        self.network.train()
        self.network.stem.eval()
        self.network.second.eval()  # its norms keep the statistics of the many speakers that it was made with
        self.optimiser = torch.optim.AdamW(
            self._groups(), betas=(0.9, 0.98), fused=device.type == "cuda", capturable=device.type == "cuda"
        )
        self.schedule = torch.from_numpy(_schedule(recipe)).to(device)
        self.picked = torch.zeros(recipe.rows, dtype=torch.long, device=device)
        self.shown = torch.zeros(8, device=device)
        torch.manual_seed(recipe.seed)
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None
        self.replay: Callable[[], None] = self._step
        self.number = 0

    def _groups(self) -> list[dict[str, object]]:
        recipe, network = self.recipe, self.network
        block = list(network.second.parameters())
        inside = {id(value) for value in (*block, *network.stem.parameters())}
        heads = [value for value in network.parameters() if id(value) not in inside]
        network.second.requires_grad_(recipe.trunk_rate > 0)
        groups = [(heads, recipe.decay, 1.0), (block, 0.01, recipe.trunk_rate)]
        return [
            {"params": values, "weight_decay": decay, "scale": scale, "lr": torch.tensor(recipe.rate, device=self.device)}
            for values, decay, scale in groups
            if scale > 0
        ]

    def _step(self) -> None:
        rows, labels, recipe = self.rows, self.labels, self.recipe
        batch = mixed_batch(rows, self.picked, share=recipe.mixup)
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
            heard = self.network.hear(batch.frames, batch.statistics, batch.speech, batch.present, move=partial(self._move, batch))
        losses = head_losses(heard, batch, labels, recipe)
        total = sum(losses.values(), torch.zeros((), device=self.device))
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 2.0, foreach=True)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=False)
        live = [value for value in self.network.state_dict().values() if value.dtype.is_floating_point]
        kept = [value for value in self.averaged.state_dict().values() if value.dtype.is_floating_point]
        torch._foreach_lerp_(kept, live, 1 - recipe.average)
        self.shown.lerp_(torch.stack([*losses.values(), total]).detach().float(), 0.02)

    def _move(self, batch: Batch, vectors: Tensor) -> Tensor:
        """Give some clips the average vector of another speaker in place of their own speaker's.

        What makes a voice or a recording different from others is no emotion: it must not matter. The averages
        follow the batches.
        """
        speaker, alone = self.speaker[batch.clips[:, 0]], batch.mixture[:, 0] == 1
        with torch.no_grad():
            sums = torch.zeros_like(self.means).index_add(0, speaker, vectors.detach() * alone[:, None])
            counts = torch.zeros_like(self.means[:, 0]).index_add(0, speaker, alone.float())[:, None]
            moved = torch.lerp(self.means, sums / counts.clamp_min(1.0), 0.03 * counts.clamp_max(3.0))
            self.means.copy_(torch.where(counts > 0, moved, self.means))
            other = self.speakers[torch.randint(len(self.speakers), speaker.shape, device=self.device)]
            draw = torch.rand(speaker.shape, device=self.device) < self.recipe.swap
            shift = torch.where((draw & alone)[:, None], self.means[other] - self.means[speaker], 0.0)
        return vectors + shift

    def advance(self) -> None:
        """One step."""
        if self.stream is None:
            self._advance()
            return
        with torch.cuda.stream(self.stream):
            self._advance()

    def _advance(self) -> None:
        self.picked.copy_(self.draws[self.number])
        for group in self.optimiser.param_groups:
            group["lr"].copy_(self.schedule[self.number] * group["scale"])
        if self.number == 3 and self.stream is not None:
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self.stream):
                self._step()
            self.replay = graph.replay
        self.replay()
        self.number += 1


def train_together(recipes: Sequence[Recipe], corpus: Corpus, rows: Rows, start: Path, out: Path, *, device: torch.device, log: Callable[[str], None] = print) -> list[Training]:
    """Train several networks side by side, and write what is left of each to a folder."""
    labels = label_tensors(corpus.clips, corpus.sounds).to(device)
    trainings = [Training(recipe, corpus, rows, labels, start, device=device) for recipe in recipes]
    began = time.perf_counter()
    for number in range(max(recipe.steps for recipe in recipes)):
        for training in trainings:
            if number < training.recipe.steps:
                training.advance()
        if number in (4, 50) or number % 500 == 499:
            if device.type == "cuda":
                torch.cuda.synchronize()
            shown = " ".join(f"{value:.3f}" for value in trainings[0].shown.tolist())
            log(f"step {number + 1}, {time.perf_counter() - began:.1f} s, {trainings[0].recipe.name}: {shown}")
    bank = corpus.bank.to(device)
    for training in trainings:
        keep(training, bank, out, log=log)
    return trainings


def mixed_batch(rows: Rows, picked: Tensor, *, share: float) -> Batch:
    """Draw rows, and mix a share of them with their neighbour (Zhang et al. 2018), at least half themselves."""
    device, count = picked.device, picked.shape[0]
    frames, speech, present = rows.frames[picked].float(), rows.speech[picked].float(), rows.present[picked].float()
    statistics = rows.statistics[picked].float()
    part, first, second = rows.part[picked], rows.first[picked], rows.second[picked]
    of_part = torch.stack([(speech * (part == each)).sum(dim=1) for each in (0, 1)], dim=1)
    of_part = of_part / of_part.sum(dim=1, keepdim=True).clamp_min(1.0)
    mixed = torch.rand(count, device=device) < share
    own = torch.where(mixed, 1 - 0.5 * torch.rand(count, device=device), 1.0)
    mixture = torch.stack([own, 1 - own], dim=1)
    other = torch.roll(torch.arange(count, device=device), 1)
    both = torch.stack([first, second], dim=1)
    frame = torch.where(part == 0, first[:, None], second[:, None])
    adult = rows.adult[picked]
    known = rows.known[picked]
    return Batch(
        frames=own[:, None, None] * frames + (1 - own)[:, None, None] * frames[other],
        statistics=own[:, None] * statistics + (1 - own)[:, None] * statistics[other],
        speech=torch.where(mixed[:, None], torch.maximum(speech, speech[other]), speech),
        present=torch.where(mixed[:, None], torch.maximum(present, present[other]), present),
        clips=torch.cat([both, both[other]], dim=1),
        shares=torch.cat([own[:, None] * of_part, (1 - own)[:, None] * of_part[other]], dim=1),
        frame_clips=torch.stack([frame, frame[other]], dim=-1),
        frame_shares=torch.stack([own[:, None] * speech, (1 - own)[:, None] * speech[other]], dim=-1),
        condition=torch.stack([rows.condition[picked], rows.condition[picked][other]], dim=1),
        condition_shares=mixture * torch.stack([known, known[other]], dim=1),
        adult=torch.where(mixed, torch.minimum(adult, adult[other]), adult),
        music=torch.where(mixed, torch.maximum(rows.music[picked], rows.music[picked][other]), rows.music[picked]),
        sounds=torch.stack([rows.sounds[picked], rows.sounds[picked][other]], dim=-1),
        mixture=mixture,
    )


def head_losses(heard: Heard, batch: Batch, labels: Labels, recipe: Recipe) -> dict[str, Tensor]:
    """One loss a head, each the mean over the clips that have the label."""
    shares, clips = batch.shares, batch.clips
    normal_voice = batch.adult[:, None]
    feeling = shares * labels.feeling[clips] * normal_voice
    emotion = _emotion_loss(heard.emotion.float()[:, None], labels.emotion[clips], labels.allowed[clips], recipe)
    frame_feeling = batch.frame_shares * labels.feeling[batch.frame_clips] * normal_voice[..., None]
    frame_emotion = _emotion_loss(
        heard.frame_emotion.float()[:, :, None], labels.emotion[batch.frame_clips], labels.allowed[batch.frame_clips], recipe
    )
    vad = _vad_loss(heard.vad.float()[:, None], labels.vad[clips])
    frame_vad = _vad_loss(heard.frame_vad.float()[:, :, None], labels.vad[batch.frame_clips])
    conditions = torch.log_softmax(heard.condition.float(), dim=-1).gather(1, batch.condition)
    return {
        "emotion": _mean(emotion, feeling) + recipe.frame * _mean(frame_emotion, frame_feeling),
        "vad": 2 * _mean(vad, feeling) + 2 * recipe.frame * _mean(frame_vad, frame_feeling),
        "intensity": 0.3 * _binary(heard.intensity, labels.intensity[clips], shares * labels.has_intensity[clips] * normal_voice),
        "sex": 0.2 * _binary(heard.sex, labels.sex[clips], shares * labels.has_sex[clips] * normal_voice),
        "voice": 0.1 * functional.binary_cross_entropy_with_logits(heard.adult.float(), batch.adult)
        + 0.1 * functional.binary_cross_entropy_with_logits(heard.music.float(), batch.music),
        "condition": 0.4 * _mean(-conditions, batch.condition_shares),
        "events": 2.0 * _event_loss(heard.frame_events.float(), batch) if recipe.sounds else heard.frame_events.float().sum() * 0,
    }


def _emotion_loss(logits: Tensor, target: Tensor, allowed: Tensor, recipe: Recipe) -> Tensor:
    """Cross-entropy over the labels that a clip's set knows, and a little over all labels."""
    soft = target * (1 - recipe.smoothing) + recipe.smoothing * allowed / allowed.sum(dim=-1, keepdim=True)
    masked = torch.log_softmax(logits + (allowed - 1) * 1e4, dim=-1)
    known = -(soft * torch.where(allowed > 0, masked, 0.0)).sum(dim=-1)
    free = -(soft * torch.log_softmax(logits, dim=-1)).sum(dim=-1)
    return (1 - recipe.unmasked) * known + recipe.unmasked * free


def _vad_loss(said: Tensor, target: Tensor) -> Tensor:
    return functional.smooth_l1_loss(said.expand_as(target), target, reduction="none", beta=0.3).sum(dim=-1)


def _event_loss(logits: Tensor, batch: Batch) -> Tensor:
    kinds = torch.arange(logits.shape[-1], device=logits.device)
    target = ((batch.sounds[..., None] == kinds) * batch.mixture[:, None, :, None]).sum(dim=2).clamp_max(1.0)
    loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none").mean(dim=-1)
    return _mean(loss, batch.present)


def _binary(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    loss = functional.binary_cross_entropy_with_logits(logits.float()[:, None].expand_as(target), target, reduction="none")
    return _mean(loss, weight)


def _mean(values: Tensor, weight: Tensor) -> Tensor:
    return (values * weight).sum() / weight.sum().clamp_min(1.0)


def _schedule(recipe: Recipe) -> npt.NDArray[np.float32]:
    """Warm up for a tenth of the steps, then half a cosine down to a hundredth."""
    step = np.arange(recipe.steps)
    warm = np.minimum(1.0, (step + 1) / (0.1 * recipe.steps))
    fall = 0.01 + 0.99 * 0.5 * (1 + np.cos(math.pi * step / recipe.steps))
    return (recipe.rate * warm * fall).astype(np.float32)


@torch.no_grad()
def listen(network: EarNetwork, bank: Bank, which: Sequence[int], *, rows: int = 64, longest: float = 12.0) -> dict[str, npt.NDArray[np.float32]]:
    """What a network says about whole clips (at most their first seconds), in batches of similar length."""
    device = bank.samples.device
    order = sorted(range(len(which)), key=lambda i: int(bank.length[which[i]]))
    collected: dict[str, list[Tensor]] = {}
    for begin in range(0, len(order), rows):
        chosen = torch.tensor([which[i] for i in order[begin : begin + rows]], device=device)
        size = max(min(int(bank.length[chosen].max()), int(longest * RATE)), RATE // 10)
        time_ = torch.arange(size, device=device)
        inside = time_ < bank.length[chosen][:, None]
        index = torch.where(inside, bank.start[chosen][:, None] + time_, 0)
        wave = torch.where(inside, bank.samples[index].float(), 0.0)
        centres = torch.from_numpy(frame_centres(frame_count(size))).to(device)
        present = (centres < bank.length[chosen][:, None]).float()
        speech = torch.where(inside[:, centres], bank.speech[index[:, centres] // HOP].float(), 0.0)
        wave = wave * (LEVEL / speech_level(wave, speech, present))[:, None]
        energies, statistics = filter_bank(wave, speech, present)
        heard = network(energies, statistics, speech, present)
        for name in ("emotion", "vad", "intensity", "sex", "adult", "condition", "music"):
            collected.setdefault(name, []).append(getattr(heard, name).float().cpu())
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return {name: torch.cat(parts).numpy()[back] for name, parts in collected.items()}


def keep(training: Training, bank: Bank, out: Path, *, log: Callable[[str], None]) -> None:
    """Write the weights, and what they say about the speech clips that were not trained on."""
    out.mkdir(parents=True, exist_ok=True)
    recipe, clips = training.recipe, training.corpus.clips
    network = training.averaged
    unseen = [i for i, clip in enumerate(clips) if clip.set in SPEECH_SETS and not training.trained[i]]
    heard = listen(network, bank, unseen)
    weights = {
        name: value.half().cpu().contiguous()
        for name, value in network.state_dict().items()
        if not name.startswith("stem.") and not name.endswith("num_batches_tracked")
    }
    save_file(weights, out / f"{recipe.name}.safetensors")
    np.savez_compressed(
        out / f"{recipe.name}.npz",
        name=np.array([clips[i].name for i in unseen]),
        emotion_logits=heard["emotion"].astype(np.float16),
        arousal=heard["vad"][:, 1].astype(np.float16),
        valence=heard["vad"][:, 0].astype(np.float16),
        intensity=heard["intensity"].astype(np.float16),
        sex_logit=heard["sex"].astype(np.float16),
    )
    rows = {}
    for name in SPEECH_SETS:
        for split in ("train", "dev", "test"):
            chosen = [row for row, i in enumerate(unseen) if clips[i].set == name and clips[i].split == split]
            if chosen:
                which = torch.tensor([unseen[row] for row in chosen], device=training.labels.emotion.device)
                truth, allowed = training.labels.emotion[which].cpu().numpy(), training.labels.allowed[which].cpu().numpy()
                rows[f"{name}-{split}"] = round(
                    unweighted_recall(heard["emotion"][chosen], truth, allowed, shared=name not in recipe.sets), 4
                )
    rows |= _ravdess_figures([clips[i] for i in unseen], heard)
    (out / f"{recipe.name}.json").write_text(
        json.dumps({"recipe": asdict(recipe), "recall": rows, "sounds": training.corpus.sounds}, indent=1)
    )
    log(f"{recipe.name}: " + " ".join(f"{key}={value:.3f}" for key, value in rows.items()))


def _ravdess_figures(clips: Sequence[Clip], heard: dict[str, npt.NDArray[np.float32]]) -> dict[str, float]:
    """Sex, arousal and intensity on the speakers of RAVDESS that were not trained on, by split."""
    figures = {}
    for split in ("dev", "test"):
        chosen = [row for row, clip in enumerate(clips) if clip.set == "ravdess" and clip.split == split]
        if not chosen:
            continue
        sex = np.mean([(heard["sex"][row] > 0) == (clips[row].sex == "female") for row in chosen])
        high = [heard["vad"][row, 1] for row in chosen if clips[row].label in {"angry", "happy", "fear", "surprise"}]
        low = [heard["vad"][row, 1] for row in chosen if clips[row].label in {"sad", "calm", "neutral"}]
        area = np.mean(np.array(high)[:, np.newaxis] > np.array(low))
        by_name = {clips[row].path.name: heard["intensity"][row] for row in chosen}
        pairs = [by_name[name[:9] + "02" + name[11:]] > by_name[name] for name in by_name if name[9:11] == "01" and name[6:8] != "01"]
        figures |= {f"sex-{split}": round(float(sex), 4), f"arousal-{split}": round(float(area), 4), f"pairs-{split}": round(float(np.mean(pairs)), 4)}
    return figures


SHARED = ("neutral", "happy", "sad", "angry", "fear", "surprise")


def unweighted_recall(
    logits: npt.NDArray[np.floating], target: npt.NDArray[np.floating], allowed: npt.NDArray[np.floating], *, shared: bool
) -> float:
    """Mean over classes of the share that is recognised; over the shared emotions only where the set is foreign."""
    keep = np.array([label.value in SHARED for label in EMOTION_ORDER]) if shared else np.ones(len(EMOTION_ORDER), bool)
    truth = target.argmax(axis=1)
    rows = keep[truth]
    said = np.where((allowed > 0) & keep, logits, -np.inf).argmax(axis=1)
    return float(np.mean([np.mean(said[rows & (truth == c)] == c) for c in np.unique(truth[rows])]))
