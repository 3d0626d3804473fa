"""Labels for the table of EMO-Reasoning, which knows four emotions: which other names mean one of them."""

from collections.abc import Collection, Mapping

from aptone.errors import RecordError
from aptone.messages import known_name, message
from aptone.types import Emotion

FOLDED: Mapping[str, str] = {Emotion.CALM: Emotion.NEUTRAL, Emotion.PLAYFUL: Emotion.HAPPY}
"""Emotions that count as another one where the table does not know them."""

CLEAR = 0.5
"""Probability that the table's emotions must have together; below that, the ear hears something else."""


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
    raise RecordError(f"the table knows {', '.join(known)}, but not {name[:40]!r}; label it anew.")


def heard_label(distribution: Mapping[str, float], known: Collection[str]) -> tuple[str, str]:
    """The likeliest of the table's emotions in what an ear heard, or the reason why there is none.

    Calm counts as neutral and playful as happy. What the table does not know is left out, unless it is likelier than
    all that it knows together: then there is no label.

    >>> heard_label({"angry": 0.5, "calm": 0.3, "fear": 0.2}, ("neutral", "angry"))
    ('angry', '')
    >>> heard_label({"fear": 0.7, "angry": 0.3}, ("neutral", "angry"))
    ('', 'the ear hears fear (70 %), which the table does not know')
    """
    shares: dict[str, float] = {}
    for name, share in distribution.items():
        label = name if name in known else FOLDED.get(name, "")
        if label in known:
            shares[label] = shares.get(label, 0.0) + share
    if sum(shares.values()) >= CLEAR:
        return max(shares, key=lambda label: shares[label]), ""
    if not distribution:
        return "", message("dialogue.no-emotion-judged")
    likeliest = max(distribution, key=lambda name: distribution[name])
    return "", message("dialogue.unknown-emotion", emotion=known_name(likeliest), share=100 * distribution[likeliest])
