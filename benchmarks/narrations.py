"""Synthetic narrations by narrators who make mistakes, with the time of every line.

Some words are misread as another one. A line may be begun, broken off and said again; said twice; said once with
wrong words and then corrected; begun again in its middle; or not read at all. A line of the text may have a near twin a
few lines on, which differs in one word. Every twenty lines there is music, and an announcement that is not in the text;
an announcement may quote a line of the text. Music may go on under speech.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aptone.types import Audio, Segment
from benchmarks.audiobook_recordings import RATE, Samples, Studio, synthesised

SECTION = 20
"""Lines between two announcements."""
PAUSE, STUMBLE = (0.15, 0.9), (0.1, 0.5)
"""Seconds of silence between two lines; within a line that is begun again in its middle."""
NOISE = 0.0005
MUSIC_BELOW = (8.0, 18.0)
"""Decibels by which music lies below the speech that it goes on under, from and to."""
ANNOUNCEMENT = "This is part {number} of our recording, made for the listeners at home, and all of it is free to share."
QUOTATIONS = (
    "In this part you are going to hear the words: {line}",
    "You have been listening to our reading. Do you remember? {line} Now let us go on.",
    "Note for the editor. The next line is: {line} Please take the second take.",
)


@dataclass(frozen=True, slots=True)
class Voice:
    """Voice of a synthesiser."""

    program: str
    name: str


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Shares of words that are misread, and of lines to which something else happens; see the head of this module.

    Args:
        quoted: share of lines before which an announcement quotes a line nearby.
        twins: share of lines that get a near twin; of the twins and their originals, `twin_not_read` are not read.
        under_music: share of lines with music under them.
    """

    misread: float = 0.05
    broken_off: float = 1 / 12
    said_twice: float = 1 / 20
    not_read: float = 1 / 40
    corrected: float = 0.0
    restarted: float = 0.0
    quoted: float = 0.0
    twins: float = 0.0
    twin_not_read: float = 0.0
    under_music: float = 0.0


PLAIN = Mistakes()
HOSTILE = Mistakes(
    not_read=1 / 20,
    corrected=1 / 15,
    restarted=1 / 15,
    quoted=1 / 25,
    twins=1 / 15,
    twin_not_read=0.3,
    under_music=1 / 6,
)


@dataclass(frozen=True, slots=True)
class Narrated:
    """A line of the text, and when its last take is said; ``None`` if nobody reads it.

    Args:
        mistake: what happens to it; empty if it is read once.
    """

    text: str
    time: Segment | None
    mistake: str = ""


@dataclass(frozen=True, slots=True)
class Narration:
    """A recording, the lines of its text, and when anything at all is said."""

    audio: Audio
    lines: list[Narrated]
    said: list[Segment]


def music(generator: np.random.Generator) -> Samples:
    """Some seconds of chords."""
    moments = np.arange(4 * RATE) / RATE
    roots = generator.choice([220.0, 246.9, 293.7, 329.6], size=4)
    chords = [np.sin(2 * np.pi * moments[:RATE] * root * factor) for root in roots for factor in (1.0, 1.25, 1.5)]
    bars = [sum(chords[3 * bar : 3 * bar + 3]) * np.exp(-moments[:RATE]) for bar in range(4)]
    return (0.05 * np.concatenate(bars)).astype(np.float32)


def with_twins(texts: Sequence[str], mistakes: Mistakes, generator: np.random.Generator) -> list[tuple[str, bool]]:
    """The lines with near twins one to three lines behind some of them, and which lines are one of two."""
    if not mistakes.twins:
        return [(text, False) for text in texts]
    vocabulary = vocabulary_of(texts)
    lines = [(text, False) for text in texts]
    for place in reversed(range(len(texts))):
        words = texts[place].split()
        long = [number for number, word in enumerate(words) if word.strip(",.!?;").isalpha() and len(word) > 3]
        if len(words) > 3 and long and generator.random() < mistakes.twins:
            number = int(generator.choice(long))
            end = words[number][len(words[number].rstrip(",.!?;")) :]
            twin = [*words[:number], f"{generator.choice(vocabulary)}{end}", *words[number + 1 :]]
            lines[place] = (texts[place], True)
            lines.insert(min(len(lines), place + 1 + int(generator.integers(0, 3))), (" ".join(twin), True))
    return lines


def vocabulary_of(texts: Sequence[str]) -> list[str]:
    """Longer words of some lines."""
    return sorted({word for text in texts for word in text.split() if word.isalpha() and len(word) > 3})


@dataclass(slots=True)
class Narrator:
    """Reads a text aloud, with mistakes."""

    studio: Studio
    mistakes: Mistakes
    vocabulary: Sequence[str]
    said: list[Segment]

    def say(
        self, voice: Voice, words: Sequence[str], *, under_music: bool = False, pause: tuple[float, float] = PAUSE
    ) -> Segment:
        """Say some words; return when they are heard."""
        samples = synthesised(voice.program, " ".join(words), "en", voice.name)
        if under_music and samples.size:
            bed = np.concatenate([music(self.studio.generator) for _ in range(samples.size // (4 * RATE) + 1)])
            below = self.studio.generator.uniform(*MUSIC_BELOW)
            loudness = np.sqrt(np.mean(samples**2) / np.mean(bed**2)) * 10 ** (-below / 20)
            samples = (samples + loudness * bed[: samples.size]).astype(np.float32)
        time = self.studio.add(samples, pause=pause)
        self.said.append(time)
        return time

    def misread(self, words: Sequence[str], share: float) -> list[str]:
        """The words with some of them misread."""
        draw = self.studio.generator
        return [str(draw.choice(self.vocabulary)) if draw.random() < share else word for word in words]

    def read(self, voice: Voice, text: str) -> Narrated:
        """Read a line, with what goes wrong; its last take is the one that counts."""
        mistakes, draw = self.mistakes, self.studio.generator
        words = self.misread(text.split(), mistakes.misread)
        chance = draw.random()
        under_music = mistakes.under_music > 0 and draw.random() < mistakes.under_music
        limits = np.cumsum([mistakes.broken_off, mistakes.said_twice, mistakes.corrected, mistakes.restarted])
        mistake = ""
        if chance < limits[0] and len(words) > 3:
            mistake = "broken off"
            self.say(voice, words[: len(words) // 2 + 1], under_music=under_music)
        elif chance < limits[1]:
            mistake = "said twice"
            self.say(voice, words, under_music=under_music)
        elif chance < limits[2] and len(words) > 3:
            mistake = "corrected"
            wrong = int(draw.integers(len(words)))
            self.say(voice, [*words[:wrong], str(draw.choice(self.vocabulary)), *words[wrong + 1 :]])
        elif chance < limits[3] and len(words) > 5:
            mistake = "restarted"
            stop = int(draw.integers(2, len(words) - 1))
            first = self.say(voice, words[:stop], under_music=under_music, pause=STUMBLE)
            last = self.say(voice, words[max(0, stop - int(draw.integers(1, 4))) :], under_music=under_music)
            return Narrated(text, Segment(first.start, last.end), mistake)
        if under_music:
            mistake = f"{mistake} under music".strip()
        return Narrated(text, self.say(voice, words, under_music=under_music), mistake)


def narrate(
    texts: Sequence[str],
    minutes: float,
    generator: np.random.Generator,
    *,
    voices: Sequence[Voice],
    mistakes: Mistakes = PLAIN,
) -> Narration:
    """Narrate some lines, by the voices in turn, until there are so many minutes."""
    studio, lines, said = Studio(generator), list[Narrated](), list[Segment]()
    narrator = Narrator(studio, mistakes, vocabulary_of(texts), said)
    book = with_twins(texts, mistakes, generator)
    for number, (text, is_twin) in enumerate(book):
        if studio.size > minutes * 60 * RATE:
            break
        voice = voices[number // SECTION % len(voices)]
        if number % SECTION == 0:
            studio.add(music(generator), pause=PAUSE)
            narrator.say(voice, ANNOUNCEMENT.format(number=number // SECTION + 1).split())
        if mistakes.quoted and generator.random() < mistakes.quoted:
            near = book[int(np.clip(number + generator.integers(-2, 4), 0, len(book) - 1))][0]
            narrator.say(voice, str(generator.choice(QUOTATIONS)).format(line=near).split())
        if generator.random() < (mistakes.twin_not_read if is_twin else mistakes.not_read):
            lines.append(Narrated(text, None, "twin not read" if is_twin else "not read"))
            continue
        lines.append(narrator.read(voice, text))
    return Narration(studio.audio(noise=NOISE), lines, said)
