"""The smallest whole plugin for Aptone: an engine, its planner and judge, and a room with a verb of its own."""

import click

from aptone.cli.output import json_option, print_json
from aptone.models import About, Engine
from aptone.rooms import Room
from aptone.run import Call
from aptone.types import Audio, Outcome, Plan, Sample, Score, State

ENGINE = Engine(
    name="echo",
    summary="scores a clip by its length",
    planner="echo",
    judge="echo",
    settings={"judge.factor": 1.0},
)

ROOM = Room(
    name="echo",
    verb="echo",
    question="Does it say what it is told?",
    paper="none",
)


class EchoPlanner:
    """Wants everything calm."""

    about = About()
    signature = "planner:echo"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """The same plan for every line."""
        return Plan("calm", source="echo")


class EchoJudge:
    """Gives some points for every second, up to five."""

    about = About(sends_audio_to=("echo.example",), notes=("This engine only shows how plugins work.",))

    def __init__(self, *, factor: float = 2.0) -> None:
        self.factor = factor

    @property
    def signature(self) -> str:
        """Name and option."""
        return f"judge:echo|factor:{self.factor}"

    async def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        """The verdict on a clip."""
        score = Score(min(5.0, self.factor * audio.seconds), range=(0.0, 5.0), signature=self.signature)
        return Outcome(State.DONE, {"aptness": score}, rationale=f"{plan.emotion} enough", signature=self.signature)


@click.command()
@click.argument("words")
@json_option
def echo(words: str, as_json: bool) -> None:
    """Does it say what it is told?"""
    if as_json:
        print_json({"words": words})
    else:
        click.echo(words)
