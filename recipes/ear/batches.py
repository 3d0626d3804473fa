"""Training batches of the ear: sampled rows, some of them mixed with another one."""

from dataclasses import dataclass

import torch
from torch import Tensor

from recipes.ear.augment import Rows


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows, some mixed with another one.

    Args:
        frames, statistics, speech, present: inputs of the network after its stem.
        clips: index of the clips in each row, [rows, 4]; shares: their shares of the row.
        frame_clips: the two clips of each frame, [rows, frames, 2]; frame_shares: their shares.
        condition: condition of the row and of the one mixed in, [rows, 2]; condition_shares: their shares.
        adult: 1 if the voices are no higher or lower than adults' are; sized: 1 if they are as large as recorded.
        music: amount of music.
        sounds: events of the row and of the one mixed in, [rows, frames, 2], as indices or -1.
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
    sized: Tensor
    music: Tensor
    sounds: Tensor
    mixture: Tensor


def mixed_batch(rows: Rows, picked: Tensor, *, share: float) -> Batch:
    """Sample rows, and mix a share of them with their neighbour (Zhang et al. 2018), at least half themselves."""
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
    adult, sized = rows.adult[picked], rows.sized[picked]
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
        sized=torch.where(mixed, torch.minimum(sized, sized[other]), sized),
        music=torch.where(mixed, torch.maximum(rows.music[picked], rows.music[picked][other]), rows.music[picked]),
        sounds=torch.stack([rows.sounds[picked], rows.sounds[picked][other]], dim=-1),
        mixture=mixture,
    )
