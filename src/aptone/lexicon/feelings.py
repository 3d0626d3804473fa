"""Words that say what somebody feels and how it sounds: speech tags, manners, feelings, faces and bodies, voices.

``feelings.en.tsv`` and ``feelings.zh.tsv`` hold a group of phrases a row, five fields parted by tabs: emotions (with
shares where there are two), strength from 1 to 3, kind, what the voice is like, and the phrases as
`aptone.lexicon.phrases` reads them. A phrase that is added to a row is known.
"""

import functools
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

from aptone.lexicon.phrases import PhraseBook, Tokens
from aptone.types import Emotion, Language

Kind = Literal["verb", "manner", "feeling", "body", "voice"]
"""A verb of speaking; how something is said; what somebody feels; face and body; what the voice is like."""
_EMOTIONS = {str(emotion): emotion for emotion in Emotion}
VOICES = [
    "whisper",
    "quiet",
    "low",
    "loud",
    "shout",
    "scream",
    "soft",
    "sharp",
    "cold",
    "warm",
    "hoarse",
    "trembling",
    "breathless",
    "slow",
    "fast",
    "hesitant",
    "choked",
    "sobbing",
    "laughing",
    "smiling",
    "sighing",
    "groaning",
    "gasping",
    "monotone",
    "weak",
    "firm",
    "sarcastic",
    "mumbling",
    "growling",
    "shrill",
]
"""Words for what a voice is like."""
FAMILIES: Mapping[Language, Mapping[str, str]] = {"en": {"poss": "his, her, their, my, your, our, its, the"}, "zh": {}}


class Meaning(NamedTuple):
    """What a group of phrases says.

    Args:
        emotions: shares that sum to 1; empty where it says nothing of the feeling.
        strength: 1 faint or held back, 2 clear, 3 strong.
        kind: what sort of phrase it is.
        voice: what the voice is like, of `VOICES`.
    """

    emotions: Mapping[Emotion, float]
    strength: int
    kind: Kind
    voice: tuple[str, ...]


class FeltPhrase(NamedTuple):
    """A phrase of a text: its tokens, and what it means."""

    start: int
    end: int
    meaning: Meaning


def felt_phrases(text: Tokens, language: Language) -> Iterator[FeltPhrase]:
    """The phrases of a text that say something of feeling or voice; of those that overlap, the longest."""
    book, meanings = _book(language)
    found = [FeltPhrase(hit.start, hit.end, meanings[hit.key]) for hit in book.find(text)]
    found.sort(key=lambda hit: (hit.start - hit.end, hit.start))
    taken: set[int] = set()
    kept = []
    for hit in found:
        if taken.isdisjoint(range(hit.start, hit.end)):
            taken.update(range(hit.start, hit.end))
            kept.append(hit)
    yield from sorted(kept)


@functools.cache
def _book(language: Language) -> tuple[PhraseBook, tuple[Meaning, ...]]:
    rows = list(_rows(language))
    book = PhraseBook([phrases for _, phrases in rows], families=FAMILIES[language], language=language)
    return book, tuple(meaning for meaning, _ in rows)


def _rows(language: Language) -> Iterator[tuple[Meaning, str]]:
    text = (files("aptone.lexicon") / f"feelings.{language}.tsv").read_text(encoding="utf-8")
    for number, row in enumerate(text.splitlines(), start=1):
        if not row.strip() or row.startswith("#"):
            continue
        fields = row.split("\t")
        if len(fields) != 5 or fields[2] not in get_args(Kind):
            raise ValueError(
                f"feelings.{language}.tsv, row {number}: expected five fields, the third a kind of phrase."
            )
        emotions, strength, kind, voice, phrases = fields
        voices = tuple(voice.split(",")) if voice != "-" else ()
        yield Meaning(_shares(emotions), int(strength), kind, voices), phrases  # type: ignore[arg-type]


def _shares(emotions: str) -> dict[Emotion, float]:
    """The shares of a field such as ``sad:6 angry:4``.

    >>> _shares("sad:6 angry:2")
    {<Emotion.SAD: 'sad'>: 0.75, <Emotion.ANGRY: 'angry'>: 0.25}
    """
    if emotions == "-":
        return {}
    weights = {}
    for part in emotions.split():
        name, _, weight = part.partition(":")
        weights[_EMOTIONS[name]] = float(weight or 1)
    total = sum(weights.values())
    return {emotion: weight / total for emotion, weight in weights.items()}
