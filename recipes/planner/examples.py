"""Training examples of the encoder: a passage with a target, and the labels of the target's delivery."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recipes.planner.fiction import AFTER, BEFORE, Fiction, TaggedLine

EMOTIONS = ("neutral", "calm", "happy", "sad", "angry", "fear", "disgust", "surprise", "boredom", "playful", "unsaid")
"""Labels of careful readers; the last one is "the text does not say"."""
TAG_EMOTIONS = ("neutral", "tender_calm", "happy", "sad", "angry", "fear", "disgust", "surprise")
"""Classes of speech tags."""
RHYTHMS = ("brisk", "heavy", "low-paced", "high-energy", "relaxed", "tense")
INTONATIONS = ("flat", "rising", "curved", "falling")
DELIVERIES = {
    "soft": "soft",
    "low": "low",
    "fast": "fast",
    "whisper": "whisper",
    "sharp": "sharp",
    "shout": "shout",
    "firm": "firm",
    "smile": "smiling",
    "slow": "slow",
    "laugh": "laughing",
    "quiet": "quiet",
    "murmur": "quiet",
    "mutter": "mumbling",
    "loud": "loud",
    "hesitate": "hesitant",
    "stern": "firm",
    "breathless": "breathless",
    "warm": "warm",
    "sigh": "sighing",
    "gasp": "gasping",
    "growl": "growling",
    "sob": "sobbing",
    "hoarse": "hoarse",
    "cold": "cold",
    "groan": "groaning",
    "tremble": "trembling",
    "scream": "scream",
    "weak": "weak",
    "flat": "monotone",
    "sarcastic": "sarcastic",
    "sneer": "sarcastic",
    "shrill": "shrill",
}
"""Delivery words in speech tags, and their values among `VOICES`."""


@dataclass(frozen=True, slots=True)
class Example:
    """A passage, its target, and its labels.

    Args:
        source: scenes, books (careful readers), tags (visible), hidden (the same without the tag), or a corpus.
        split: train or dev.
        text: the passage, a paragraph a row.
        start, end: range of the target in it.
        target: shares of labels in the list of the source; empty if unknown.
        intensity: 1 to 3; 0 if unknown.
        rhythm, intonation: values of the lists; empty if unknown.
        voice: values of `VOICES`; None if unknown.
        evidence: ranges of the words that decide; None if unknown.
        kind: kind of a scene.
        id: id of its label.
        near: emotions that are not clearly wrong besides those of `target`; None if unknown.
        speakers: names of who says it; empty where the text names nobody, None if unknown.
    """

    source: str
    split: str
    text: str
    start: int
    end: int
    target: Mapping[str, float] = field(default_factory=dict)
    intensity: int = 0
    rhythm: str = ""
    intonation: str = ""
    voice: tuple[str, ...] | None = None
    evidence: tuple[tuple[int, int], ...] | None = None
    kind: str = ""
    id: str = ""
    near: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None


def visible(line: TaggedLine, fiction: Fiction) -> Example:
    """Return a line with its visible tag."""
    head, tail = _around(line, fiction)
    offset = len(head)
    text = head + line.text + tail
    return Example(
        "tags",
        line.split,
        text,
        offset + line.start,
        offset + line.end,
        target={line.emotion: 1.0} if line.emotion else {},
        voice=voice_of(line),
        evidence=((offset + line.tag_start, offset + line.tag_end),) if line.emotion else None,
        id=f"{line.language}{line.number}",
    )


def hidden(line: TaggedLine, fiction: Fiction) -> Example:
    """Return a line without its tag; of a Mandarin tag the last character stays, which is its verb of speaking."""
    cut = line.tag_end - (line.language == "zh")
    text = line.text[: line.tag_start] + line.text[cut:]
    shift = line.tag_start - cut if line.tag_end <= line.start else 0
    head, tail = _around(line, fiction)
    offset = len(head) + shift
    return Example(
        "hidden",
        line.split,
        head + text + tail,
        offset + line.start,
        offset + line.end,
        target={line.emotion: 1.0} if line.emotion else {},
        id=f"{line.language}{line.number}",
    )


def _around(line: TaggedLine, fiction: Fiction) -> tuple[str, str]:
    book = fiction.paragraphs(line.book)
    before = [row for row in book[max(0, line.paragraph - BEFORE) : line.paragraph] if row.strip()]
    after = [row for row in book[line.paragraph + 1 : line.paragraph + 1 + AFTER] if row.strip()]
    return "".join(f"{row}\n" for row in before), "".join(f"\n{row}" for row in after)


def voice_of(line: TaggedLine) -> tuple[str, ...] | None:
    """Return the voice that a sure tag names; None if it is ambiguous."""
    if not line.said.get("strong"):
        return None
    return tuple(sorted({DELIVERIES[name] for name in line.said.get("delivery", ()) if name in DELIVERIES}))
