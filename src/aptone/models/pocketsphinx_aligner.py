"""Forced alignment of English by PocketSphinx (https://github.com/cmusphinx/pocketsphinx), on a plain CPU, offline.

Its acoustic model and dictionary come inside its package. As a transcriber it is poor; told what is said, it finds the
words to some hundredths of a second, at a hundredth of the time that they take.
"""

import math
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from aptone.audio import resample
from aptone.errors import MissingExtraError
from aptone.messages import message
from aptone.models.forced_alignment import AlignedWord, ExpectedWords
from aptone.models.parts import About
from aptone.models.pronunciation import pronounce
from aptone.types import Audio, Json, Language, Segment, signature

RATE, FRAMES_PER_SECOND = 16_000, 100

BEAM, WORD_BEAM, GAUSSIANS = 1e-300, 1e-250, 2
"""Paths that are this much less likely than the best are dropped; PocketSphinx's own beams lose one piece in ten, and
narrower ones than these lose their way over music. Gaussians that are counted of each state: two, not PocketSphinx's
four, move one word in 700 by more than 0.1 s, and pay for the beams."""

SCALE = 1024
"""Nats of one unit of PocketSphinx's acoustic scores, which it shifts by ten bits."""

SILENCE = bytes(2 * RATE // 4)
"""A quarter of a second that is heard before each recording, so that nothing of the one before is carried on."""

LEAVE_OUT = 1e-3
"""Probability of leaving out a word that was not heard as it stands."""

_CONTRACTIONS = ("t", "s", "d", "m", "ll", "re", "ve")
_OTHER = re.compile(r"[^a-z']")
_VARIANT = re.compile(r"\(\d+\)$")


@dataclass(frozen=True, slots=True)
class _Arc:
    """A way from a state of the grammar to another; `word` is empty where nothing is said, `place` that in the text."""

    start: int
    end: int
    probability: float
    word: str = ""
    place: int = -1


@dataclass(slots=True)
class _Grammar:
    """Everything that may be said in a recording, from state 0 to the last."""

    arcs: list[_Arc] = field(default_factory=list)
    states: int = 1

    def state(self) -> int:
        """Add a state."""
        self.states += 1
        return self.states - 1


@dataclass(frozen=True, slots=True)
class _Said:
    """A word that was found, from its first to its last frame, and its log likelihood in nats."""

    word: str
    first: int
    last: int
    score: float


class PocketSphinxAligner:
    """PocketSphinx, which aligns English with what is said, on a plain CPU."""

    about = About(
        modules=("pocketsphinx",),
        extra="speech",
        licence=message("models.licence-pocketsphinx", model="en-us", licence="BSD-2-Clause"),
    )
    languages: tuple[Language, ...] = ("en",)

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()

    @property
    def signature(self) -> str:
        """Package, version and settings; raises `MissingExtraError` if the package is not installed."""
        try:
            installed = version("pocketsphinx")
        except PackageNotFoundError as error:
            raise MissingExtraError("PocketSphinx", extra="speech") from error
        settings: dict[str, Json] = {
            "beams": [BEAM, WORD_BEAM, GAUSSIANS],
            "leave_out": LEAVE_OUT,
            "letter_rules": 1,
            "scores": 1,
        }
        return signature("pocketsphinx", {"model": "en-us", "version": installed, **settings})

    def align_words(self, audio: Audio, words: Sequence[ExpectedWords]) -> tuple[AlignedWord | None, ...]:
        """Return each word of the text in the sound; see `aptone.models.forced_alignment.WordAligner`."""
        total = sum(len(one.text) for one in words)
        nothing: tuple[AlignedWord | None, ...] = (None,) * total
        if not total or not audio.samples.size:
            return nothing
        sound = resample(audio, rate=RATE)
        with self._one_at_a_time:
            grammar = self._grammar(words)
            said = self._decode(sound, grammar)
        if said is None:
            return nothing
        times: list[AlignedWord | None] = [None] * total
        for place, part in _walk(grammar, said):
            start, end = part.first / FRAMES_PER_SECOND, min(sound.seconds, (part.last + 1) / FRAMES_PER_SECOND)
            if place >= 0 and start < end:
                times[place] = AlignedWord(Segment(start, end), part.score / (part.last + 1 - part.first))
        return tuple(times)

    @cached_property
    def _decoder(self) -> Any:
        try:
            import pocketsphinx
        except ImportError as error:
            raise MissingExtraError("PocketSphinx", extra="speech") from error
        beams = {"beam": BEAM, "pbeam": BEAM, "wbeam": WORD_BEAM, "topn": GAUSSIANS}
        # The mean of the features is taken over each recording, not carried on from the one before.
        config = pocketsphinx.Config(lm=None, bestpath=False, cmn="batch", loglevel="FATAL", **beams)
        return pocketsphinx.Decoder(config)

    def _spellings(self, token: str, *, heard: bool) -> list[str]:
        """The dictionary's words for a token without apostrophes; words that it lacks are added.

        What was heard and is not of the text has names of its own, so that it is not taken for a word of the text.
        """
        plain = _OTHER.sub("", token)
        known = [
            word
            for word in (plain, *(f"{plain[: -len(end)]}'{end}" for end in _CONTRACTIONS if plain.endswith(end)))
            if word and self._decoder.lookup_word(word)
        ]
        if known and not heard:
            return known
        name = f"{'heard' if heard else 'new'}:{plain}"
        if self._decoder.lookup_word(name) is None:
            self._decoder.add_word(name, pronounce(known[0] if known else plain, self._decoder.lookup_word), False)
        return [name]

    def _grammar(self, words: Sequence[ExpectedWords]) -> _Grammar:
        grammar, state, place = _Grammar(), 0, 0
        for one in words:
            places = range(place, place + len(one.text))
            text = [(self._spellings(token, heard=False), at) for token, at in zip(one.text, places, strict=True)]
            if one.is_certain:
                for names, at in text:
                    state = self._word(grammar, state, names, at)
            else:
                heard = [(self._spellings(token, heard=True), -1) for token in one.heard]
                if len(text) == len(heard) == 1:
                    (names, at), (others, _) = text[0], heard[0]
                    state = self._word(grammar, state, [*names, *others], at)
                else:
                    state = self._either_order(grammar, state, text, heard)
            place = places.stop
        return grammar

    def _word(self, grammar: _Grammar, state: int, names: Sequence[str], place: int, *, optional: bool = False) -> int:
        """Add a word that comes next, and return the state behind it."""
        end = grammar.state()
        grammar.arcs += [_Arc(state, end, 1.0, name, place) for name in names]
        if optional:
            grammar.arcs.append(_Arc(state, end, LEAVE_OUT))
        return end

    def _either_order(
        self,
        grammar: _Grammar,
        state: int,
        text: Sequence[tuple[list[str], int]],
        heard: Sequence[tuple[list[str], int]],
    ) -> int:
        """Add words each of which may be left out: the text and then what was heard, or the other way round."""
        orders = [[*text, *heard], [*heard, *text]] if text and heard else [[*text, *heard]]
        ends = []
        for order in orders:
            reached = state
            for names, place in order:
                reached = self._word(grammar, reached, names, place, optional=True)
            ends.append(reached)
        end = grammar.state()
        grammar.arcs += [_Arc(reached, end, 1.0) for reached in ends]
        return end

    def _decode(self, audio: Audio, grammar: _Grammar) -> list[_Said] | None:
        """Return the words that were found; ``None`` if no way through was found."""
        decoder = self._decoder
        samples = np.clip(np.round(audio.samples * 32767.0), -32768, 32767).astype("<i2")
        arcs = [
            (arc.start, arc.end, arc.probability, arc.word) if arc.word else (arc.start, arc.end, arc.probability)
            for arc in grammar.arcs
        ]
        decoder.add_fsg("text", decoder.create_fsg("text", 0, grammar.states - 1, arcs))
        decoder.activate_search("text")
        for sound in (SILENCE, samples.tobytes()):
            decoder.start_utt()
            decoder.process_raw(sound, full_utt=True)
            decoder.end_utt()
        if decoder.hyp() is None:
            return None
        found = [
            _Said(
                _VARIANT.sub("", part.word),
                part.start_frame,
                part.end_frame,
                SCALE * math.log(max(part.ascore, 1e-300)),
            )
            for part in decoder.seg()
        ]
        return [part for part in found if part.word[0] not in "<[("]  # silence, noise and states


def _walk(grammar: _Grammar, said: Sequence[_Said]) -> list[tuple[int, _Said]]:
    """The place in the text of each word of a way through the grammar; -1 for a word beside the text.

    The decoder names words, not arcs; where two ways say the same, the one that leaves out later words is taken.
    """
    ways: dict[int, list[_Arc]] = {}
    for arc in grammar.arcs:
        ways.setdefault(arc.start, []).append(arc)
    before: dict[tuple[int, int], tuple[tuple[int, int], _Arc] | None] = {(0, 0): None}
    stack, goal = [(0, 0)], (grammar.states - 1, len(said))
    while stack and goal not in before:
        state, count = stack.pop()
        for arc in sorted(ways.get(state, ()), key=lambda arc: bool(arc.word)):
            is_said = count < len(said) and arc.word == said[count].word
            if arc.word and not is_said:
                continue
            reached = (arc.end, count + bool(arc.word))
            if reached not in before:
                before[reached] = ((state, count), arc)
                stack.append(reached)
    found = []
    at, step = goal, before.get(goal)
    while step is not None:
        if step[1].word:
            found.append((step[1].place, said[at[1] - 1]))
        at = step[0]
        step = before[at]
    return found[::-1]
