"""Emotion labels that the table of EMO-Reasoning knows, from names and from what an ear heard.

The table is filled in for four emotions; an ear knows more. Calm counts as neutral and playful as happy. Where the
others (fear, disgust and so on) are likelier together than all that the table knows, a turn has no label (``clear``),
or gets the likeliest of the table's all the same (``forced``). The verdict weighs probabilities, so it needs no label,
only that the table's emotions have some probability at all.
"""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from aptone.errors import RecordError, UsageError
from aptone.messages import joined, known_name, message
from aptone.types import Emotion

FOLDED: Mapping[str, str] = {Emotion.CALM: Emotion.NEUTRAL, Emotion.PLAYFUL: Emotion.HAPPY}
"""Emotions that count as another one where the table does not know them."""

CLEAR = 0.5
"""Probability that the table's emotions must have together; below that, the ear hears something else."""

LEAST = 0.1
"""Probability that the table's emotions must have together for a verdict, unless labels are forced."""

MOST_NAMED = 3
"""Emotions that a reason lists."""
SMALLEST_NAMED = 0.05
"""Probability below which it does not name one."""


class Labels(StrEnum):
    """Labels of turns in which the ear mostly hears emotions that the table does not know."""

    CLEAR = "clear"
    FORCED = "forced"


def labels_named(name: str) -> Labels:
    """Return the kind of labels by its name.

    Raises:
        UsageError: if there is none.
    """
    try:
        return Labels(name)
    except ValueError:
        raise UsageError(f"there are no labels {name!r}; choose one of {', '.join(Labels)}.") from None


class HeardLabel(NamedTuple):
    """Label of a turn, or the reason why there is none, and the probabilities of the table's emotions."""

    emotion: str
    why: str
    shares: Mapping[str, float]


def known_label(name: str, known: Collection[str]) -> str:
    """The table's name of an emotion: any spelling of it, in either language; calm is neutral, playful is happy.

    Raises:
        RecordError: if the table does not know it.

    >>> known_label("ANGER", ("neutral", "angry"))
    'angry'
    """
    plain = name.strip().casefold()
    if plain in known:
        return plain
    try:
        emotion = Emotion.parse(name)
    except RecordError:
        emotion = None
    for candidate in (emotion, FOLDED.get(emotion or "")):
        if candidate is not None and candidate in known:
            return str(candidate)
    raise RecordError(f"the table knows {', '.join(known)}, but not {name[:40]!r}; relabel it.")


def heard_label(distribution: Mapping[str, float], known: Collection[str]) -> HeardLabel:
    """The likeliest of the table's emotions in what an ear heard, or the reason why there is none.

    Emotions that the table does not know are left out, unless they are likelier than all that it knows together: then
    there is no label. The probabilities come with it in either case, as they are.

    >>> heard_label({"angry": 0.5, "calm": 0.3, "fear": 0.2}, ("neutral", "angry")).emotion
    'angry'
    >>> heard_label({"fear": 0.7, "angry": 0.3}, ("neutral", "angry")).why
    'the ear hears fear (70 %), which the table does not know'
    """
    shares: dict[str, float] = {}
    others: dict[str, float] = {}
    for name, share in distribution.items():
        label = FOLDED.get(name, name) if name not in known and FOLDED.get(name) in known else name
        group = shares if label in known else others
        group[label] = group.get(label, 0.0) + share
    if sum(shares.values()) >= CLEAR:
        return HeardLabel(likeliest(shares), "", shares)
    if not distribution:
        return HeardLabel("", message("dialogue.no-emotion-judged"), shares)
    first = likeliest({**shares, **others})
    share = 100 * {**shares, **others}[first]
    if first in others:
        why = message("dialogue.unknown-emotion", emotion=known_name(first), share=share)
    else:
        ranked = sorted(others, key=lambda name: -others[name])[:MOST_NAMED]
        named = [
            message("dialogue.emotion-share", emotion=known_name(name), share=100 * others[name])
            for name in ranked
            if others[name] >= SMALLEST_NAMED or name == ranked[0]
        ]
        together = 100 * sum(others.values())
        listed = joined(named, "text.comma")
        why = message("dialogue.others-likelier", emotion=known_name(first), share=share, all=together, others=listed)
    return HeardLabel("", why, shares)


def likeliest(shares: Mapping[str, float]) -> str:
    """Return the emotion with the largest probability; empty where there is none.

    >>> likeliest({"angry": 0.2, "sad": 0.3}), likeliest({})
    ('sad', '')
    """
    return max(shares, key=lambda name: shares[name], default="")
