"""The planner that needs no server: a small text model and cues in the text, asked once for each window.

The text model says which feeling the lines ask for, cues such as "over the phone" and a table say how that is spoken,
and the windows vote as they do for any other planner. Everything is known at once, so nothing is saved by a thrifty
vote; what it would have asked is counted all the same.
"""

from dataclasses import replace
from functools import cached_property

from aptone.errors import UsageError
from aptone.models import About
from aptone.planner.reading.cues import cues
from aptone.planner.delivery import delivery
from aptone.planner.text_model import load_text_model
from aptone.planner.votes import elected_plan, next_windows
from aptone.planner.windows import LARGEST_WINDOW, Window, checked_size, voting_windows
from aptone.run import Call
from aptone.types import Plan, Sample, Vad, Vote, signature

SOURCE = "built-in planner"
REVISION = 3
"""Of the cues and the table; the text model has its own."""
PARAMETERS = 6_668_282
"""Numbers that the text model holds; a test counts them."""
NOTE = (
    "The built-in planner was taught with the lines of TV series; in novels it has not been measured. Rhythm and "
    "intonation follow from the feeling by a table, and from words in the text."
)


class BuiltInPlanner:
    """Plans by vote over growing windows of the story, on this machine.

    Args:
        windows: lines in the longest window; 0 plans from the line alone.
        thrifty: leave out the votes of windows that cannot change the outcome.
        replan: whether to plan anew where the sample brings a plan.

    Raises:
        UsageError: if an option is not one.
    """

    about = About(notes=(NOTE,), parameters=PARAMETERS)

    def __init__(self, *, windows: int = LARGEST_WINDOW, thrifty: bool = False, replan: bool = False) -> None:
        for name, switch in (("thrifty", thrifty), ("replan", replan)):
            if not isinstance(switch, bool):
                raise UsageError(f"{name} is true or false, got {switch!r}.")
        self._windows = checked_size(windows)
        self._thrifty = thrifty
        self._replan = replan

    @property
    def replans(self) -> bool:
        """Whether it plans samples that bring a plan, too."""
        return self._replan

    @cached_property
    def signature(self) -> str:
        """The weights, and how many windows vote. A thrifty vote has the same winner, so it has the same signature."""
        return signature(
            "planner:built-in",
            {"revision": REVISION, "weights": load_text_model().revision, "windows": self._windows},
        )

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """The plan that most windows agree on; the sample's own plan where it brings one."""
        if sample.plan is not None and not self._replan:
            return sample.plan
        windows = {window.size: window for window in voting_windows(sample.context, largest=self._windows)}
        answers: list[Vote] = []
        places: dict[int, Vad] = {}
        while sizes := next_windows(tuple(windows), answers, thrifty=self._thrifty):
            for size in sizes:
                vote, places[size] = _vote(windows[size], sample)
                answers.append(vote)
        plan = elected_plan(answers, windows=len(windows), source=SOURCE, signature=self.signature)
        chosen = (plan.emotion, plan.rhythm, plan.intonation, plan.recording_condition)
        longest = max(vote.window for vote in answers if vote.choice == chosen)
        return replace(plan, vad=places[longest])


def _vote(window: Window, sample: Sample) -> tuple[Vote, Vad]:
    reading = load_text_model().read(window.before, sample.target, language=sample.language)
    found = cues(window.before, sample.target, language=sample.language, following=sample.following)
    spoken = delivery(reading, found)
    vote = Vote(
        window.size,
        emotion=reading.likeliest.label(sample.language),
        rhythm=spoken.rhythm,
        intonation=spoken.intonation,
        recording_condition=spoken.recording_condition.label(sample.language),
    )
    return vote, reading.vad
