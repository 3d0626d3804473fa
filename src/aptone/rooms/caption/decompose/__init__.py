"""Decomposition of captions into atomic units: claims as sentences that stand alone, in English and Mandarin."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from aptone.ear.describe import Attribute, Music
from aptone.models import About
from aptone.rooms.caption.data import Unit
from aptone.run import Call
from aptone.types import ClosedSet, Language

Sentences = tuple[str, str]
"""Sentences for a claim and for its denial."""

_SENTENCES: Mapping[Language, Mapping[Attribute, Sentences]] = {
    "en": {
        "emotion": ("The speaker's emotion is {value}.", "The speaker's emotion is not {value}."),
        "intensity": ("The emotion is {value}.", "The emotion is not {value}."),
        "sex": ("The speaker is {value}.", "The speaker is not {value}."),
        "age": ("The speaker's age group is {value}.", "The speaker's age group is not {value}."),
        "pitch": ("The pitch of the voice is {value}.", "The pitch of the voice is not {value}."),
        "pitch_variation": ("The melody of the voice is {value}.", "The melody of the voice is not {value}."),
        "rate": ("The speaking rate is {value}.", "The speaking rate is not {value}."),
        "volume": ("The volume of the voice is {value}.", "The volume of the voice is not {value}."),
        "texture": ("The voice sounds {value}.", "The voice does not sound {value}."),
        "rhythm": ("The rhythm of the speech is {value}.", "The rhythm of the speech is not {value}."),
        "intonation": ("The intonation is {value}.", "The intonation is not {value}."),
        "recording_condition": ("The recording condition is {value}.", "The recording condition is not {value}."),
        "events": ("There is the sound of {value}.", "There is no sound of {value}."),
        "music": ("The music in the background is {value}.", "The music in the background is not {value}."),
    },
    "zh": {
        "emotion": ("说话人的情绪是{value}。", "说话人的情绪不是{value}。"),
        "intensity": ("情绪的强度是{value}。", "情绪的强度不是{value}。"),
        "sex": ("说话人的性别是{value}。", "说话人的性别不是{value}。"),
        "age": ("说话人的年龄段是{value}。", "说话人的年龄段不是{value}。"),
        "pitch": ("音调{value}。", "音调不是{value}。"),
        "pitch_variation": ("音调的起伏{value}。", "音调的起伏不是{value}。"),
        "rate": ("语速{value}。", "语速不是{value}。"),
        "volume": ("音量{value}。", "音量不是{value}。"),
        "texture": ("嗓音的质感是{value}。", "嗓音的质感不是{value}。"),
        "rhythm": ("节奏是{value}。", "节奏不是{value}。"),
        "intonation": ("语调是{value}。", "语调不是{value}。"),
        "recording_condition": ("录音状态是{value}。", "录音状态不是{value}。"),
        "events": ("录音中有{value}。", "录音中没有{value}。"),
        "music": ("背景中的音乐是{value}。", "背景中的音乐不是{value}。"),
    },
}
_MUSIC: Mapping[Language, Sentences] = {
    "en": ("Music plays in the background.", "No music plays in the background."),
    "zh": ("背景中有音乐。", "背景中没有音乐。"),
}


_CHANGES: Mapping[Language, Mapping[Attribute, Sentences]] = {
    "en": {
        "emotion": (
            "The speaker's emotion changes from {value} to {becomes}.",
            "The speaker's emotion does not change from {value} to {becomes}.",
        ),
        "pitch": (
            "The pitch of the voice changes from {value} to {becomes}.",
            "The pitch of the voice does not change from {value} to {becomes}.",
        ),
        "rate": (
            "The speaking rate changes from {value} to {becomes}.",
            "The speaking rate does not change from {value} to {becomes}.",
        ),
        "volume": (
            "The volume of the voice changes from {value} to {becomes}.",
            "The volume of the voice does not change from {value} to {becomes}.",
        ),
    },
    "zh": {
        "emotion": ("说话人的情绪由{value}变为{becomes}。", "说话人的情绪没有由{value}变为{becomes}。"),
        "pitch": ("音调由{value}变为{becomes}。", "音调没有由{value}变为{becomes}。"),
        "rate": ("语速由{value}变为{becomes}。", "语速没有由{value}变为{becomes}。"),
        "volume": ("音量由{value}变为{becomes}。", "音量没有由{value}变为{becomes}。"),
    },
}
"""Sentences for the attributes whose changes are claims of their own."""


def plainly(attribute: Attribute, value: ClosedSet, *, is_denied: bool) -> tuple[ClosedSet, bool]:
    """A claim without its denial, where that says the same: music that is not present is absent.

    >>> value, is_denied = plainly("music", Music.PRESENT, is_denied=True)
    >>> str(value), is_denied
    ('absent', False)
    """
    if attribute == "music" and is_denied:
        return (Music.ABSENT if value is Music.PRESENT else Music.PRESENT), False
    return value, is_denied


def fact(attribute: Attribute, value: ClosedSet | str, *, is_denied: bool = False, language: Language = "en") -> str:
    """The sentence that says a claim; a value may be in free words.

    >>> from aptone.ear.describe import Pitch, VocalEvent
    >>> fact("pitch", Pitch.LOW), fact("events", VocalEvent.LAUGHTER, is_denied=True)
    ('The pitch of the voice is low.', 'There is no sound of laughter.')
    >>> fact("emotion", "wistful")
    "The speaker's emotion is wistful."
    >>> fact("pitch", Pitch.LOW, language="zh")
    '音调较低。'
    """
    if not isinstance(value, ClosedSet):
        return _SENTENCES[language][attribute][is_denied].format(value=value)
    if attribute == "music":
        return _MUSIC[language][(value is Music.ABSENT) != is_denied]
    return _SENTENCES[language][attribute][is_denied].format(value=value.label(language))


def change_fact(
    attribute: Attribute, before: ClosedSet, after: ClosedSet, *, is_denied: bool = False, language: Language = "en"
) -> str:
    """The sentence that says that one value takes the place of another.

    >>> from aptone.ear.describe import Volume
    >>> change_fact("volume", Volume.SOFT, Volume.LOUD)
    'The volume of the voice changes from soft to loud.'
    """
    said = {"value": before.label(language), "becomes": after.label(language)}
    return _CHANGES[language][attribute][is_denied].format(**said)


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A caption in its units.

    Args:
        units: each claim once, in the order of the caption.
        dropped: number of units whose evidence does not stand in the caption.
        problem: reason why the caption cannot be taken apart at all; empty where it can.
        understood: places of words that were read without making a claim: denials, people who are not the speaker,
            phrases that say nothing of the voice. They count as read in `aptone.ear.reading.coverage`.
        unread: words that the decomposer could not read and that may be claims; none of a model, which reads all.
    """

    units: tuple[Unit, ...]
    dropped: int = 0
    problem: str = ""
    understood: tuple[tuple[int, int], ...] = ()
    unread: tuple[str, ...] = ()


class Decomposer(Protocol):
    """Takes captions apart."""

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that its units depend on besides the caption."""
        ...

    async def decompose(self, caption: str, *, language: Language, call: Call) -> Decomposition:
        """The units of a caption that says something.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if a model's replies cannot be read.
        """
        ...
