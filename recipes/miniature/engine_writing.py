"""How the miniature judge writes: the likeliest reply, and others drawn beside it, from one clip and one prompt.

The prompt is read once; replies share what is remembered of it and go on side by side, each with its own source of
randomness. A reply depends on its prompt, its clip and its seed, and on nothing that is judged before or with it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from aptone.judge.chat.conversation import Conversation
from aptone.models.omni.attention_regions import Markers
from recipes.miniature.engine_network import Floats, MiniatureNetwork, Numbers
from recipes.miniature.engine_regions import Place, follow

Source: TypeAlias = np.random.Generator | None
"""What a reply is drawn by; None for the likeliest."""
TOKENS_FOR_REASONS, TOKENS_FOR_A_SCORE = 320, 12
"""Most tokens of a reply, in training and when it judges."""
WITHOUT_BIAS = Markers(audio=(), spans=())


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A prompt with its clip.

    Args:
        ids: tokens up to where the answer begins.
        sounds: (positions of the clip, width), for the audio tokens among them.
    """

    ids: tuple[int, ...]
    sounds: Floats

    @property
    def digest(self) -> bytes:
        """What replies to it are drawn by: the same question, the same draws."""
        return hashlib.sha256(np.array(self.ids, dtype="<i8").tobytes() + self.sounds.tobytes()).digest()


@dataclass(slots=True, eq=False)
class Reply:
    """What was written.

    Args:
        ids: its tokens, without the one that ends it.
        is_whole: whether the judge ended it itself.
        digits: at each of its tokens, how likely each digit was there: logits, (10,).
    """

    ids: list[int] = field(default_factory=list)
    is_whole: bool = False
    digits: list[Floats] = field(default_factory=list)

    def add(self, token: int, digits: Floats, *, end: int) -> None:
        """Go on with a token, or end with the one that ends replies."""
        if token == end:
            self.is_whole = True
        else:
            self.ids.append(token)
            self.digits.append(digits)


def ask(network: MiniatureNetwork, conversation: Conversation, frames: Floats) -> Asked:
    """A conversation about a clip as the network reads it; texts become plain bytes, whatever they hold.

    Args:
        network: that is asked.
        conversation: what it is told.
        frames: of the clip.
    """
    sounds = network.hear(frames)
    begin, sound, end = network.settings.audio
    turn, turn_end = network.settings.turn
    encode = network.tokens.encode
    between = [turn_end, *encode("\n")]
    ids = [turn, *encode(f"system\n{conversation.system}"), *between] if conversation.system else []
    ids += [turn, *encode(f"user\n{conversation.before}"), begin, *[sound] * len(sounds), end]
    ids += [*encode(conversation.after), *between, turn, *encode("assistant\n")]
    return Asked(tuple(ids), sounds)


def sources(asked: Asked, draws: int) -> list[Source]:
    """The likeliest reply, and so many drawn ones: each by a seed of its own, which comes from what is asked."""
    seeds = [hashlib.sha256(asked.digest + number.to_bytes(4, "big")).digest() for number in range(draws)]
    return [None, *(np.random.default_rng(int.from_bytes(seed, "big")) for seed in seeds)]


@dataclass(slots=True, eq=False)
class _Row:
    """A reply that is being written: what it has so far, by what it is drawn, and where it stands."""

    reply: Reply
    source: Source
    place: Place


def write(network: MiniatureNetwork, asked: Asked, by: Sequence[Source], *, max_tokens: int) -> list[Reply]:
    """Replies to what is asked, written side by side.

    Args:
        network: that writes.
        asked: what it is asked.
        by: what each reply is drawn by.
        max_tokens: of a reply; one that is longer is not whole.
    """
    digits = [network.tokens.encode(str(digit))[0] for digit in range(10)]
    end = network.settings.turn[1]
    read = _read(network, asked)
    rows = [_Row(Reply(), source, read.place) for source in by]
    replies = [row.reply for row in rows]
    logits: Floats = np.repeat(read.logits, len(rows), axis=0)
    past: Floats = np.repeat(read.past, len(rows), axis=2)
    regions: Numbers = np.repeat(read.regions, len(rows), axis=0)
    for step in range(max_tokens):
        tokens = [
            _next(likely, row.source, network.settings.unwritten) for likely, row in zip(logits, rows, strict=True)
        ]
        for row, token, likely in zip(rows, tokens, logits, strict=True):
            row.reply.add(token, likely[digits], end=end)
        on = [at for at, token in enumerate(tokens) if token != end]
        if not on or step + 1 == max_tokens:
            break
        rows, tokens = [rows[at] for at in on], [tokens[at] for at in on]
        new = [[row.place.region(token)] for row, token in zip(rows, tokens, strict=True)]
        active = np.array([[row.place.is_active] for row in rows])
        regions = np.concatenate([regions[on], np.array(new, dtype=np.int64)], axis=1)
        for row, token in zip(rows, tokens, strict=True):
            row.place = row.place.behind(token)
        logits, past = network.read(
            np.array(tokens, dtype=np.int64)[:, np.newaxis],
            np.zeros((len(rows), 1, asked.sounds.shape[1]), dtype=np.float32),
            regions=regions,
            active=active,
            past=past if len(on) == past.shape[2] else past[:, :, on],
        )
    return replies


class _ReadPrompt(NamedTuple):
    """Logits behind a prompt, what is remembered of it, its regions, and where it ends."""

    logits: Floats
    past: Floats
    regions: Numbers
    place: Place


def _read(network: MiniatureNetwork, asked: Asked) -> _ReadPrompt:
    followed = follow(Place.start(network.settings.markers or WITHOUT_BIAS), asked.ids)
    ids = np.array([asked.ids], dtype=np.int64)
    sounds = np.zeros((1, ids.shape[1], asked.sounds.shape[1]), dtype=np.float32)
    sounds[0, ids[0] == network.settings.audio[1]] = asked.sounds
    regions = np.array([followed.regions], dtype=np.int64)
    active = np.array([followed.active])
    logits, past = network.read(ids, sounds, regions=regions, active=active, past=network.empty())
    return _ReadPrompt(logits, past, regions, followed.place)


def _next(logits: Floats, source: Source, unwritten: Sequence[int]) -> int:
    """The likeliest token, or a drawn one: the largest of log p + g, with g from Gumbel's distribution, is a draw."""
    allowed = logits.astype(np.float64)
    allowed[list(unwritten)] = -np.inf
    if source is not None:
        allowed += source.gumbel(size=allowed.size)
    return int(allowed.argmax())
