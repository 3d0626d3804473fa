"""The planner that needs no server: it reads the story around a line.

Three readers look at the same passage: one finds what the text says outright (speech tags, stage directions, narration
of the speaker), a small transformer infers what is not said, and counts of words help where it is unsure. Together they
give one distribution over emotions, and "the story does not say" is one of its outcomes.
"""

import hashlib
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models import About
from aptone.planner.story_language import require_readable
from aptone.planner.story_reader import Reading, read_line
from aptone.planner.votes import elected_plan, next_windows
from aptone.planner.windows import (
    LARGEST_WINDOW,
    Window,
    checked_size,
    checked_voting,
    context_window,
    voting_windows,
)
from aptone.run import Call
from aptone.types import Intonation, Plan, Rhythm, Sample, Vote, signature

SOURCE = "built-in planner"
REVISION = 4
"""Of the explicit reader and of how both are put together; the encoders have their own."""
PARAMETERS = 26_000_000
"""Numbers that the encoder holds, to a hundred thousand; a test counts them."""
NOTE = message("planner.note-built-in")
BuiltInVoting = Literal["none", "release", "paper", "one"]


class BuiltInPlanner:
    """Reads the story around a line, on this machine.

    Args:
        voting: ``none`` to read everything near the line at once. The others are those of `ChatPlanner`, for
            comparisons: votes of one deterministic reader say nothing about how sure it is.
        windows: lines before the target that are read at most, or in the longest window; 0 plans from the line alone.
            By default everything near the line, or 15 where windows vote.
        thrifty: leave out the votes of windows that cannot change the outcome.
        replan: whether to plan again where the sample brings a plan.

    Raises:
        UsageError: if an option is not one.
    """

    about = About(notes=(NOTE,), parameters=PARAMETERS)

    def __init__(
        self,
        *,
        voting: BuiltInVoting = "none",
        windows: int | None = None,
        thrifty: bool = False,
        replan: bool = False,
    ) -> None:
        for name, switch in (("thrifty", thrifty), ("replan", replan)):
            if not isinstance(switch, bool):
                raise UsageError(f"{name} is true or false, got {switch!r}.")
        self._voting = None if voting == "none" else checked_voting(voting)
        self._windows = None if windows is None else checked_size(windows)
        self._thrifty = thrifty
        self._replan = replan

    @property
    def replans(self) -> bool:
        """Whether it plans samples that bring a plan, too."""
        return self._replan

    @cached_property
    def signature(self) -> str:
        """The weights, and how windows vote. A thrifty vote has the same winner, so it has the same signature."""
        return signature(
            "planner:built-in",
            {
                "revision": REVISION,
                "weights": weights_revision(),
                "voting": self._voting or "none",
                "windows": self._windows,
            },
        )

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """The plan of a line; the sample's own plan where it brings one.

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
        require_readable(sample)
        return plan_of(read_line(sample), sample, signature=self.signature)


@cache
def weights_revision() -> str:
    """What identifies everything that was learned: the lexicon's tables, the encoder, word counts and their weights."""
    found = hashlib.sha256()
    for folder in (files("aptone.lexicon"), files("aptone.planner") / "weights"):
        for file in sorted(folder.iterdir(), key=lambda one: one.name):
            if file.name.endswith((".tsv", ".npz", ".json")):
                found.update(file.read_bytes())
    return found.hexdigest()[:12]


def plan_of(reading: Reading, sample: Sample, *, signature: str) -> Plan:
    """A reading as a plan."""
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
    """A sample that sees no more of its story than a window, and its own paragraph's end."""
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
