"""Model inputs of training examples: token ids, audio features, and labels on the answer only.

The prompt is tokenised exactly as for scoring, and the answer after it separately, as if the model had generated it:
the ids of training and of inference are the same. Rows are padded on the right.

Log-probabilities are computed at answer positions only, a few hundred at a time, and recomputed in the backward pass:
with a vocabulary of 152,064, the logits of a batch would be larger than everything else.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.checkpoint import checkpoint

from aptone.errors import RecordError
from aptone.models.chat import AnyMessage
from aptone.models.omni.checkpoint import TOKENS, Omni
from aptone.train.judge.example import Example

Inputs = dict[str, Tensor]

IGNORED = -100
"""Label of a position without loss."""
POSITIONS = 512
"""Smallest number of positions whose logits are in memory at once."""
LOGITS = 1 << 26
"""Logits in memory at once for small vocabularies, which allow more positions."""
END = "<|im_end|>"


def make_inputs(omni: Omni, examples: Sequence[Example], *, aac: bool = False) -> Inputs:
    """Return the model inputs of examples and their answers; see `conversation_inputs`.

    Raises:
        AudioError: if a clip cannot be read, or is too short.
        RecordError: if a text holds a forbidden control token, or there is no answer.
        UsageError: if a clip is longer than the model's input.
    """
    return conversation_inputs(
        omni,
        [example.messages() for example in examples],
        [reply_tokens(omni, example) for example in examples],
        aac=aac,
    )


def conversation_inputs(
    omni: Omni, conversations: Sequence[Sequence[AnyMessage]], replies: Sequence[Sequence[int]], *, aac: bool = False
) -> Inputs:
    """Return the model inputs of conversations and answers, padded on the right, on the model's device.

    Args:
        conversations: conversations up to the beginning of an answer.
        replies: token ids of the answers, with their end token.
        aac: encode clips as AAC first, as in the release.

    Returns:
        The model's inputs, and ``labels``: the answers' ids, `IGNORED` everywhere else.

    Raises:
        AudioError: if a clip is too short.
        RecordError: if a user's text holds a control token, or the instructions leave a span open.
        UsageError: if a clip is longer than the model's input.
    """
    prompts, frames = omni.prompts(conversations, aac=aac)
    rows, labels = [], []
    for prompt, reply in zip(prompts, replies, strict=True):
        asked = torch.tensor(omni.tokenizer(prompt, add_special_tokens=False)["input_ids"])
        omni.refuse_open_spans(asked[None])
        answer = torch.tensor(list(reply), dtype=asked.dtype)
        rows.append(torch.cat([asked, answer]))
        labels.append(torch.cat([torch.full_like(asked, IGNORED), answer]))
    padding = omni.tokenizer.pad_token_id
    inputs = {
        "input_ids": pad_sequence(rows, batch_first=True, padding_value=0 if padding is None else padding),
        "attention_mask": pad_sequence([torch.ones_like(row) for row in rows], batch_first=True),
        "labels": pad_sequence(labels, batch_first=True, padding_value=IGNORED),
    }
    device = omni.model.device
    return {name: value.to(device) for name, value in inputs.items()} | omni.sounds(frames)


def reply_tokens(omni: Omni, example: Example) -> list[int]:
    """Return the token ids of an example's answer, with the end token.

    Raises:
        RecordError: if there is no answer, or a text holds a forbidden control token.
    """
    if not example.reply.strip():
        raise RecordError(f"{example.id}: there is no answer to learn; leave out examples for reinforcement.")
    refuse_control_tokens(omni, example)
    ids: list[int] = omni.tokenizer(example.reply + END, add_special_tokens=False)["input_ids"]
    return ids


def refuse_control_tokens(omni: Omni, example: Example) -> None:
    """Refuse an example whose texts hold control tokens of the model: shards may come from anywhere.

    Raises:
        RecordError: if one does. Instructions and answers of judges may hold the six of the release, captions none.
    """
    known = {*omni.tokenizer.all_special_tokens, *omni.tokenizer.get_added_vocab()}
    asked = example.conversation
    for texts, may in (
        ((example.reply,), set(TOKENS) if example.kind != "caption" else set()),
        ((asked.system,), set(TOKENS)),
        ((asked.before, asked.after), set()),
    ):
        if found := sorted(token for token in known - may if any(token in text for text in texts)):
            raise RecordError(f"{example.id}: a text holds {found[0]!r}, a control token of the model; take it out.")


def reply_log_probabilities(
    model: Any, inputs: Mapping[str, Tensor], *, positions: int | None = None, temperature: float = 1.0
) -> Tensor:
    """Return the log-probability of every answer token, given all tokens before it.

    Args:
        positions: positions whose logits are in memory at once; None for as many as the vocabulary allows.
        temperature: sampling temperature of the answers, by which logits are divided.

    Returns:
        (batch, positions - 1) in 32 bits: column j is that of token j + 1; 0 outside of answers.
    """
    labels = inputs["labels"][:, 1:]
    learned = labels != IGNORED
    with _without_head(model) as head:
        given = {name: value for name, value in inputs.items() if name != "labels"}
        hidden = model(**given, use_cache=False).logits[:, :-1][learned]
    targets = labels[learned]
    if positions is None:
        positions = max(POSITIONS, LOGITS // model.config.get_text_config().vocab_size)
    found = []
    for first in range(0, len(targets), positions):
        chunk = slice(first, first + positions)
        if torch.is_grad_enabled():
            found.append(
                checkpoint(_log_probabilities, head, hidden[chunk], targets[chunk], temperature, use_reentrant=False)
            )
        else:
            found.append(_log_probabilities(head, hidden[chunk], targets[chunk], temperature))
    whole = torch.zeros(labels.shape, dtype=torch.float32, device=labels.device)
    return whole.masked_scatter(learned, torch.cat(found)) if found else whole


def _log_probabilities(head: nn.Module, hidden: Tensor, targets: Tensor, temperature: float) -> Tensor:
    logits = head(hidden).float() / temperature
    own: Tensor = logits.gather(-1, targets[:, None])[:, 0] - logits.logsumexp(dim=-1)
    return own


@contextlib.contextmanager
def _without_head(model: Any) -> Iterator[nn.Module]:
    """Replace the model's head by the identity while the context lasts, so that it returns hidden states."""
    thinker = model.get_base_model() if hasattr(model, "get_base_model") else model
    head: nn.Module = thinker.lm_head
    thinker.lm_head = nn.Identity()
    try:
        yield head
    finally:
        thinker.lm_head = head
