"""Losses of the ear: one for each head, each the mean over the clips that have its label.

The emotion loss compares the labels of a clip's set only: a label that the set does not have is neither right nor
wrong.
"""

import torch
from torch import Tensor
from torch.nn import functional

from recipes.ear.batches import Batch
from recipes.ear.config import Recipe
from recipes.ear.labels import Labels
from recipes.ear.network import Heard

LOSSES = ("emotion", "contrast", "vad", "intensity", "sex", "voice", "condition", "events")


def head_losses(heard: Heard, batch: Batch, labels: Labels, recipe: Recipe) -> dict[str, Tensor]:
    """Return one loss per head, each the mean over the clips that have the label."""
    shares, clips = batch.shares, batch.clips
    normal_voice = batch.adult[:, None]
    feeling = shares * labels.feeling[clips] * normal_voice
    emotion = _emotion_loss(heard.emotion.float()[:, None], labels.emotion[clips], labels.allowed[clips], recipe)
    frame_feeling = batch.frame_shares * labels.feeling[batch.frame_clips] * normal_voice[..., None]
    frame_emotion = _emotion_loss(
        heard.frame_emotion.float()[:, :, None],
        labels.emotion[batch.frame_clips],
        labels.allowed[batch.frame_clips],
        recipe,
    )
    vad = _vad_loss(heard.vad.float()[:, None], labels.vad[clips])
    frame_vad = _vad_loss(heard.frame_vad.float()[:, :, None], labels.vad[batch.frame_clips])
    conditions = torch.log_softmax(heard.condition.float(), dim=-1).gather(1, batch.condition)
    return {
        "emotion": _mean(emotion, feeling) + recipe.frame * _mean(frame_emotion, frame_feeling),
        "contrast": recipe.contrast * _contrastive_loss(heard.hidden.float(), clips[:, 0], labels),
        "vad": 2 * _mean(vad, feeling) + 2 * recipe.frame * _mean(frame_vad, frame_feeling),
        "intensity": 0.3
        * _binary(heard.intensity, labels.intensity[clips], shares * labels.has_intensity[clips] * normal_voice),
        "sex": 0.4 * _binary(heard.sex, labels.sex[clips], shares * labels.has_sex[clips] * batch.sized[:, None]),
        "voice": 0.1 * _adult_loss(heard.adult, batch, labels)
        + 0.1 * functional.binary_cross_entropy_with_logits(heard.music.float(), batch.music),
        "condition": 0.4 * _mean(-conditions, batch.condition_shares),
        "events": 2.0 * _event_loss(heard.frame_events.float(), batch)
        if recipe.sounds
        else heard.frame_events.float().sum() * 0,
    }


def _emotion_loss(logits: Tensor, target: Tensor, allowed: Tensor, recipe: Recipe) -> Tensor:
    """Return the cross-entropy over the labels of a clip's set, and a little over all labels."""
    soft = target * (1 - recipe.smoothing) + recipe.smoothing * allowed / allowed.sum(dim=-1, keepdim=True)
    masked = torch.log_softmax(logits + (allowed - 1) * 1e4, dim=-1)
    known = -(soft * torch.where(allowed > 0, masked, 0.0)).sum(dim=-1)
    free = -(soft * torch.log_softmax(logits, dim=-1)).sum(dim=-1)
    return (1 - recipe.unmasked) * known + recipe.unmasked * free


CONTRAST_TEMPERATURE = 0.2


def _contrastive_loss(hidden: Tensor, clips: Tensor, labels: Labels) -> Tensor:
    """Return the supervised contrastive loss (Khosla et al. 2020) between sets.

    Clips of one emotion from different sets are to be more alike than other clips, so that an emotion is heard in the
    same way whoever recorded it.

    Args:
        hidden: hidden layers of the rows; the first of them is that of the feeling.
        clips: clip of each row.
        labels: labels of all clips.
    """
    vectors = functional.normalize(hidden[:, : hidden.shape[1] // 3], dim=1)
    label, felt, corpus = labels.emotion[clips].argmax(dim=1), labels.feeling[clips] > 0, labels.corpus[clips]
    alike = (label[:, None] == label) & felt[:, None] & felt & (corpus[:, None] != corpus)
    own = torch.eye(len(clips), dtype=torch.bool, device=clips.device)
    logits = (vectors @ vectors.T / CONTRAST_TEMPERATURE).masked_fill(own | ~felt, -1e4)
    return _mean(-torch.log_softmax(logits, dim=1), alike.float())


def _adult_loss(logits: Tensor, batch: Batch, labels: Labels) -> Tensor:
    """Return the loss of adult or not: children are not, and nobody is whose voice was made much higher or lower."""
    target = (1 - labels.child[batch.clips]) * batch.adult[:, None]
    clear = torch.maximum(labels.has_age[batch.clips], 1 - batch.adult[:, None])
    return _binary(logits, target, batch.shares * clear)


def _vad_loss(said: Tensor, target: Tensor) -> Tensor:
    return functional.smooth_l1_loss(said.expand_as(target), target, reduction="none", beta=0.3).sum(dim=-1)


def _event_loss(logits: Tensor, batch: Batch) -> Tensor:
    kinds = torch.arange(logits.shape[-1], device=logits.device)
    target = ((batch.sounds[..., None] == kinds) * batch.mixture[:, None, :, None]).sum(dim=2).clamp_max(1.0)
    loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none").mean(dim=-1)
    return _mean(loss, batch.present)


def _binary(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    loss = functional.binary_cross_entropy_with_logits(
        logits.float()[:, None].expand_as(target), target, reduction="none"
    )
    return _mean(loss, weight)


def _mean(values: Tensor, weight: Tensor) -> Tensor:
    return (values * weight).sum() / weight.sum().clamp_min(1.0)
