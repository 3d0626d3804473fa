"""Built-in planner: reads the story around a line, without a server.

Three readers look at the same passage: one finds explicit cues (speech tags, stage directions, narration of the
speaker), a small transformer infers what is not said, and word counts help where it is unsure. Together they give one
distribution over emotions, and "the story does not say" is one of its outcomes.
"""

import functools
import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from aptone.errors import UsageError
from aptone.messages import known_name, message
from aptone.models import About
from aptone.planner.narration_reader import NARRATION_REVISION, is_told, read_narration
from aptone.planner.story_reader import Reading, read_line
from aptone.planner.votes import (
    LARGEST_WINDOW,
    Window,
    checked_size,
    checked_voting,
    context_window,
    elected_plan,
    next_windows,
    voting_windows,
)
from aptone.run import Call
from aptone.types import Intonation, Language, Plan, Rhythm, Sample, Vote, signature

LANGUAGES: tuple[Language, ...] = ("en", "zh")
"""Languages that the built-in planner reads."""
LOOKED_AT = 1500
"""Characters around the target that the language is detected from."""
NEAR = 6
"""Lines before and after the target that the language is detected from."""
SHOWN = 60
"""Characters of the target that an error shows."""
FEWEST_WORDS = 5
"""Fewest words of a text in Latin letters whose language can be detected."""
UNLIKELY = 0.02
"""Probability of English below which a text in Latin letters is taken for another language."""
_FREQUENT = """
about after and because been could every from have him his how into know nobody nothing said she should something that
the their them then there these they this those though through were what when where which while who with without would
you your
"""
ENGLISH_WORDS = frozenset(_FREQUENT.split())
"""Frequent English words that other languages in Latin letters hardly use."""
SURELY_ENGLISH = 0.2
"""Share of `ENGLISH_WORDS` from which a text is English without asking the detector, whose model takes long to load."""
_SCRIPTS = (
    ("Japanese", re.compile(r"[\u3040-\u30ff]")),
    ("Korean", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("a language in Cyrillic letters", re.compile(r"[\u0400-\u04ff]")),
    ("a language in Arabic letters", re.compile(r"[\u0600-\u06ff]")),
    ("Hebrew", re.compile(r"[\u0590-\u05ff]")),
    ("Greek", re.compile(r"[\u0370-\u03ff]")),
    ("Thai", re.compile(r"[\u0e00-\u0e7f]")),
    ("a language in an Indic script", re.compile(r"[\u0900-\u0dff]")),
)
_NAMES = {
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "pl": "Polish",
    "cs": "Czech",
    "sv": "Swedish",
    "da": "Danish",
    "no": "Norwegian",
    "fi": "Finnish",
    "tr": "Turkish",
    "ro": "Romanian",
    "hu": "Hungarian",
    "id": "Indonesian",
    "vi": "Vietnamese",
}
_LATIN_WORD = re.compile(r"[^\W\d_]+")
_NOT_LATIN = re.compile(r"[\u0370-\u1fff\u2c00-\U0010ffff]+")
"""Characters among which those of all other scripts are."""
_CHINESE = re.compile(r"[\u3400-\u9fff]")


def foreign_language(text: str) -> str:
    """Return the language of a text that is neither English nor Mandarin; empty for those two, or if unsure.

    >>> foreign_language("Er zitterte vor Angst und sagte: „Geh weg!“"), foreign_language("Go away!")
    ('German', '')
    """
    near = text[-LOOKED_AT:]
    if others := "".join(_NOT_LATIN.findall(near)):
        letters = sum(map(str.isalpha, near))
        for name, script in _SCRIPTS:
            if letters and 4 * len(script.findall(others)) > letters:
                return name
        if letters and 3 * len(_CHINESE.findall(others)) >= letters:
            return ""
    words = _LATIN_WORD.findall(near)
    known = sum(word.lower() in ENGLISH_WORDS for word in words)
    if len(words) < FEWEST_WORDS or known >= SURELY_ENGLISH * len(words):
        return ""
    ranked = _identifier().rank(near)
    return "" if dict(ranked)["en"] >= UNLIKELY else _NAMES[ranked[0][0]]


def require_readable(sample: Sample) -> None:
    """Refuse stories that the built-in planner cannot read.

    Raises:
        UsageError: if the story is in another language than English or Mandarin.
    """
    if sample.language not in LANGUAGES:
        raise UsageError(message("planner.other-language-named", language=repr(sample.language)))
    near = [line.text[-LOOKED_AT:] for line in sample.context[-NEAR:]]
    after = [line.text[:LOOKED_AT] for line in sample.following[:NEAR]]
    if name := foreign_language("\n".join([*near, sample.target.text, *after])[-2 * LOOKED_AT :]):
        words = repr(sample.target.text[:SHOWN])
        raise UsageError(message("planner.other-language", words=words, language=known_name(name)))


@functools.cache
def _identifier() -> Any:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(["en", *_NAMES])
    return identifier


MOST_SHARED = 4096
"""Plans that are kept for further clips of the same line in the same story; each takes a few kB."""
SOURCE = "built-in planner"
REVISION = 9
"""Revision of the explicit reader and of the fusion; the encoders have their own."""
PARAMETERS = 26_000_000
"""Parameters of the encoder, to a hundred thousand; a test counts them."""
NOTE = message("planner.note-built-in")
BuiltInVoting = Literal["none", "release", "paper", "one"]


class BuiltInPlanner:
    """Planner that reads the story around a line, on this machine.

    Args:
        voting: ``none`` to read everything near the line at once. The others are those of `ChatPlanner`, for
            comparisons: votes of one deterministic reader say nothing about how sure it is.
        windows: lines before the target that are read at most, or in the longest window; 0 plans from the line alone.
            By default everything near the line, or 15 where windows vote.
        thrifty: leave out the votes of windows that cannot change the outcome.
        replan: plan again where the sample brings a plan.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    about = About(notes=(NOTE,), parameters=PARAMETERS)

    def __init__(
        self, *, voting: BuiltInVoting = "none", windows: int | None = None, thrifty: bool = False, replan: bool = False
    ) -> None:
        for name, switch in (("thrifty", thrifty), ("replan", replan)):
            if not isinstance(switch, bool):
                raise UsageError(f"{name} is true or false, got {switch!r}.")
        self._voting = None if voting == "none" else checked_voting(voting)
        self._windows = None if windows is None else checked_size(windows)
        self._thrifty = thrifty
        self._replan = replan
        self._plans: OrderedDict[bytes, Plan] = OrderedDict()

    @property
    def replans(self) -> bool:
        """True if it also plans samples that bring a plan."""
        return self._replan

    @cached_property
    def signature(self) -> str:
        """Weights and voting. A thrifty vote has the same winner, so it has the same signature."""
        return self._signature({"revision": REVISION})

    @cached_property
    def narration_signature(self) -> str:
        """Signature of the plans of narration, which is read by rules of its own."""
        return self._signature({"narration": NARRATION_REVISION})

    def _signature(self, reader: Mapping[str, int]) -> str:
        weights, voting = weights_revision(), self._voting or "none"
        return signature("planner:built-in", {**reader, "weights": weights, "voting": voting, "windows": self._windows})

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """Return the plan of a line; the sample's own plan where it brings one.

        Raises:
            UsageError: if the story is written in another language than English or Mandarin.
        """
        if sample.plan is not None and not self._replan:
            return sample.plan
        if self._voting is None:
            if self._windows is None:
                return self._planned(sample)
            return self._planned(_within(sample, context_window(sample.context, (), size=self._windows)))
        largest = LARGEST_WINDOW if self._windows is None else self._windows
        found = voting_windows(sample.context, sample.following, largest=largest, voting=self._voting)
        if self._voting == "one":
            return self._planned(_within(sample, found[0]))
        windows = {window.size: window for window in found}
        plans: dict[int, Plan] = {}
        votes: list[Vote] = []
        while sizes := next_windows(tuple(windows), votes, thrifty=self._thrifty):
            for size in sizes:
                plans[size] = self._planned(_within(sample, windows[size]))
                votes.append(_vote(size, plans[size]))
        elected = elected_plan(votes, windows=len(windows), source=SOURCE, signature=self.signature)
        chosen = (elected.emotion, elected.rhythm, elected.intonation, elected.recording_condition)
        longest = max(vote.window for vote in votes if vote.choice == chosen)
        return replace(plans[longest], votes=elected.votes, windows=elected.windows)

    def _planned(self, sample: Sample) -> Plan:
        """Return the plan of a line in its story, whoever says it: takes and systems share it."""
        key = _story_digest(sample)
        plan = self._plans.get(key)
        if plan is None:
            require_readable(sample)
            if is_told(sample):
                plan = plan_of(read_narration(sample), sample, signature=self.narration_signature)
            else:
                plan = plan_of(read_line(sample), sample, signature=self.signature)
            self._plans[key] = plan
            if len(self._plans) > MOST_SHARED:
                self._plans.popitem(last=False)
        return plan


def _story_digest(sample: Sample) -> bytes:
    """Return 16 bytes that stand for all that a plan is read from."""
    read = repr((sample.language, sample.context, sample.target, sample.following, sample.is_narration))
    return hashlib.blake2b(read.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@cache
def weights_revision() -> str:
    """Return the identity of all trained parts: lexicon tables, encoder, word counts and fusion weights."""
    found = hashlib.sha256()
    for folder in (files("aptone.lexicon"), files("aptone.planner") / "weights"):
        for file in sorted(folder.iterdir(), key=lambda one: one.name):
            if file.name.endswith((".tsv", ".npz", ".json")):
                found.update(file.read_bytes())
    return found.hexdigest()[:12]


def plan_of(reading: Reading, sample: Sample, *, signature: str) -> Plan:
    """Return the plan of a reading."""
    condition = reading.recording_condition
    return Plan(
        emotion=reading.emotion.label(sample.language) if reading.emotion is not None else "",
        rhythm=reading.rhythm,
        intonation=reading.intonation,
        recording_condition=condition.label(sample.language) if condition is not None else "",
        source=SOURCE,
        signature=signature,
        emotions={str(emotion): share for emotion, share in reading.emotions.items()},
        unsaid=reading.unsaid,
        intensity=reading.intensity,
        voice=reading.voice,
        sounds=reading.sounds,
        evidence=reading.evidence,
    )


def _within(sample: Sample, window: Window) -> Sample:
    """Return the sample with no more of its story than a window and the end of its own paragraph."""
    tag = sample.following[:1] if not window.after and sample.following[:1] and sample.following[0].continues else ()
    return replace(sample, context=window.before, following=window.after or tag)


def _vote(size: int, plan: Plan) -> Vote:
    return Vote(
        size,
        emotion=plan.emotion,
        rhythm=plan.rhythm or Rhythm.RELAXED,
        intonation=plan.intonation or Intonation.FLAT,
        recording_condition=plan.recording_condition,
    )
