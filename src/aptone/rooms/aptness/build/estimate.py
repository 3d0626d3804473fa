"""What a build will listen to and send away, and what it can cost at most, before anything is sent."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.audio import probe
from aptone.errors import AudioError, UsageError
from aptone.models.asking.listeners import MAX_TOKENS
from aptone.rooms.aptness.books.chapters import Book
from aptone.rooms.aptness.books.tokens import tokens_of
from aptone.rooms.aptness.books.works import Work
from aptone.rooms.aptness.build.line_places import FallenWork
from aptone.types import Json, is_finite_number

AUDIO_TOKENS = 25.0
"""Tokens that a second of sound has: those of Qwen's Omni models; other models have fewer."""

PROMPT_TOKENS = 400.0
"""Tokens of the question that goes with a clip, generously."""

MILLION = 1e6


@dataclass(frozen=True, slots=True)
class Ahead:
    """What lies ahead for one work.

    Args:
        work: its name.
        minutes: of recordings; NaN where they cannot be read.
        lines: that may become items.
        is_heard: whether a transcriber listens to it.
        problem: why it gives no lines; empty when it can.
    """

    work: str
    minutes: float
    lines: int
    is_heard: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Prices:
    """What is charged, in the currency of whoever charges; NaN where it was not said.

    Args:
        minute: of sound that is transcribed.
        input: of a million tokens that the captioner reads or hears.
        output: of a million tokens that it writes.
        longest: tokens of a caption.
    """

    minute: float = math.nan
    input: float = math.nan
    output: float = math.nan
    longest: float = MAX_TOKENS

    @classmethod
    def of(cls, settings: Mapping[str, Json]) -> "Prices":
        """The prices among the options of transcriber and captioner.

        Raises:
            UsageError: if one is no number.
        """
        names = {
            "minute": "transcriber.price_per_minute",
            "input": "captioner.input_price",
            "output": "captioner.output_price",
            "longest": "captioner.max_tokens",
        }
        given = {}
        for field, name in names.items():
            value = settings.get(name)
            if value is None:
                continue
            if not is_finite_number(value) or value < 0:
                raise UsageError(f"--set {name}: expected a number that is not negative, got {value!r}.")
            given[field] = float(value)
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Costs:
    """What a build costs at most; NaN where no price was said, 0 for what is done on this machine."""

    transcripts: float
    captions: float

    @property
    def total(self) -> float:
        """Both; NaN if one is not known."""
        return self.transcripts + self.captions


def look_ahead(works: Sequence[Work], books: Mapping[str, Book | FallenWork]) -> list[Ahead]:
    """What there is to listen to, without listening."""
    found = []
    for work in works:
        book, problem, minutes = books[work.key], "", math.nan
        try:
            minutes = sum(probe(recording).seconds for recording in work.recordings) / 60
        except AudioError as error:
            problem = str(error)
        if isinstance(book, FallenWork):
            found.append(Ahead(work.name, minutes, 0, False, book.reason))
            continue
        lines = sum(bool(tokens_of(line.line.text, book.language)) for line in book.lines if not line.is_heading)
        found.append(Ahead(work.name, minutes, lines, not work.transcripts and not work.is_subtitled, problem))
    return found


def costs_at_most(ahead: Sequence[Ahead], prices: Prices, *, pays_transcripts: bool, pays_captions: bool) -> Costs:
    """What is charged if every minute is speech, every line is found, and every caption is as long as it may be.

    Args:
        ahead: the works.
        prices: of the models.
        pays_transcripts: whether the transcriber is on another machine.
        pays_captions: whether the captioner is.

    >>> one = Ahead("a", minutes=10.0, lines=100, is_heard=True)
    >>> costs_at_most([one], Prices(minute=0.006), pays_transcripts=True, pays_captions=False)
    Costs(transcripts=0.06, captions=0.0)
    """
    usable = [work for work in ahead if not work.problem]
    minutes = sum(work.minutes for work in usable if work.is_heard)
    lines = sum(work.lines for work in usable)
    sound = AUDIO_TOKENS * 60 * sum(work.minutes for work in usable)
    captions = ((sound + PROMPT_TOKENS * lines) * prices.input + prices.longest * lines * prices.output) / MILLION
    return Costs(minutes * prices.minute if pays_transcripts else 0.0, captions if pays_captions else 0.0)
