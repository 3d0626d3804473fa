"""Keeps answers and prints the id of each that was given out, until somebody kills it: ``… FOLDER START``."""

import sys
from pathlib import Path

from aptone.rooms.operation import Answer, ClipFile
from aptone.run import RunConfig
from aptone.types import Entry, Item, Outcome, Score, State, to_json
from aptone.view.kept_run import KeptRuns

CONFIG = RunConfig(verb="hear", engine="none", settings={"ear": "any"})


def answer_about(number: int) -> tuple[dict[str, object], Answer]:
    """A request with two recordings, one of which comes again and again, and its answer."""
    clips = (ClipFile(f"{number}.wav", b"recording %d" % number), ClipFile("same.wav", b"always the same"))
    outcome = Outcome(State.DONE, {"naturalness": Score(1.0)}, rationale="x" * (number * 997 % 9_000))
    entries = tuple(
        Entry(Item.make(clip.name, {"audio": to_json(clip.ref), "number": number, "ids": {}}), outcome)
        for clip in clips
    )
    return {"clips": clips, "language": "en"}, Answer({}, entries)


if __name__ == "__main__":
    with KeptRuns(Path(sys.argv[1]), {"hear": CONFIG}) as kept:
        number = int(sys.argv[2])
        while True:
            request, answer = answer_about(number)
            print(kept.keep("hear", request, answer).id, number, flush=True)
            number += 1
