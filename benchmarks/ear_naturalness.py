"""Naturalness of people, damaged recordings and machines by the ear, beside its teacher network and human ratings.

    python -m benchmarks.ear_naturalness --data DATA --made MADE
    python -m benchmarks.ear_naturalness --data DATA --made MADE --head MADE/naturalness.json

`MADE` is a folder that `recipes.ear.naturalness` has made; nothing of its ``test`` part was trained on: other
speakers, other machine voices, other sentences. Unless a head is given, what the ear itself says is measured.
The correlation with people is over all clips of EmoDB's test speakers, 20 listeners each. They were asked about acting
in a studio, not about machines; the same correlation of the teacher is shown beside it where `teacher_emodb.json` (file
to mean opinion score) lies in `MADE`.
"""

import argparse
import importlib
import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.errors import UsageError
from aptone.stats import pearson, spearman
from aptone.types import Audio, Estimate, Perception
from benchmarks.ear_data import load_set
from benchmarks.ear_report import as_json
from benchmarks.made_with import with_revisions
from recipes.ear.naturalness import Report, read_head, report, target
from recipes.ear.naturalness_clips import emodb_listeners, read_clips

PARTS = ("dev", "test")
RESULTS = Path(__file__).parent / "results"
Say = Callable[[Audio], float]


class Listening(Protocol):
    """Output of an ear's network for a clip."""

    @property
    def hidden(self) -> npt.NDArray[np.floating]:
        """The vector that the head is fitted on."""
        ...


class Ear(Protocol):
    """An ear, as far as it is needed here."""

    def listen(self, audio: Audio) -> Listening:
        """The network alone."""
        ...

    def perceive(self, audio: Audio) -> Perception:
        """Everything that is heard."""
        ...


@dataclass(frozen=True, slots=True)
class WithPeople:
    """Correlation with the share of listeners who found a clip natural."""

    pearson: Estimate
    spearman: Estimate


def how_natural(ear: Ear, head: Path | None) -> Say:
    """Return the naturalness: the ear's own, or that of a head on its vector."""
    if head is None:
        return lambda audio: ear.perceive(audio).naturalness
    fitted = read_head(head)
    return lambda audio: float(fitted.predict(ear.listen(audio).hidden[np.newaxis])[0])


def on_made_clips(made: Path, part: str, say: Say) -> Report:
    """The report on a part of the made folder.

    Raises:
        UsageError: if the teacher has not been asked.
    """
    kept = made / "teacher.json"
    if not kept.is_file():
        raise UsageError(f"{kept}: no such file; --made names a folder made by recipes.ear.naturalness.")
    opinions: Mapping[str, float] = json.loads(kept.read_text(encoding="utf-8"))
    items = [item for item in read_clips(made) if item.part == part]
    targets = np.array([target(item, opinions[item.id]) for item in items])
    return report(items, targets, np.array([say(read(made / item.path, rate=None)) for item in items]))


def with_people(data: Path, say: Callable[[Path], float]) -> WithPeople:
    """Over all clips of EmoDB's test speakers that were played to people."""
    shares = emodb_listeners(data)
    clips = [clip for clip in load_set(data, "emodb", part="test") if clip.name in shares]
    said, natural = [say(clip.path) for clip in clips], [shares[clip.name] for clip in clips]
    return WithPeople(pearson(said, natural), spearman(said, natural))


def shown(estimate: Estimate) -> str:
    """A figure with its interval.

    >>> shown(Estimate(0.5, 0.25, 0.75, count=9))
    '0.50 [0.25, 0.75]'
    """
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def table(part: str, found: Report) -> str:
    """A report in a few lines."""
    lines = [
        f"{part}: {found.clips} clips, {found.unjudged} not judged",
        f"  on targets: Pearson {shown(found.pearson)}, Spearman {shown(found.spearman)}, off by {found.error:.2f}",
        *(
            f"  {kind}: {found.means[kind]:.2f} on average, targets {found.target_means[kind]:.2f}"
            for kind in found.means
        ),
        f"  people above machines: {found.area:.3f} of pairs, targets {found.target_area:.3f}",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print the figures and write them."""
    parser = argparse.ArgumentParser(description="How natural the ear finds people, damaged recordings and machines.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with one folder a set.")
    parser.add_argument("--made", type=Path, required=True, help="Folder of recipes.ear.naturalness.")
    parser.add_argument("--ear", default="full", help="Ear: full or permissive.")
    parser.add_argument("--head", type=Path, help="A head to measure in place of the ear's own.")
    parser.add_argument("--output", type=Path, help="Result file; results/ear_naturalness.json unless given.")
    options = parser.parse_args()
    ear: Ear = importlib.import_module("aptone.ear").load_ear(options.ear)
    say = how_natural(ear, options.head)
    reports = {part: on_made_clips(options.made, part, say) for part in PARTS}
    for part, found in reports.items():
        print(table(part, found))
    people = {"ear": with_people(options.data, lambda path: say(read(path, rate=None)))}
    asked = options.made / "teacher_emodb.json"
    if asked.is_file():
        opinions: Mapping[str, float] = json.loads(asked.read_text(encoding="utf-8"))
        people["teacher"] = with_people(options.data, lambda path: opinions[path.name])
    for who, like in people.items():
        print(f"{who} with EmoDB's listeners: Pearson {shown(like.pearson)}, Spearman {shown(like.spearman)}")
    suffix = "" if options.ear == "full" else f"_{options.ear}"
    output = options.output or RESULTS / f"ear_naturalness{suffix}.json"
    record = {
        "what": "how natural the ear finds people, damaged recordings and machines",
        "ear": options.ear,
        "parts": as_json(reports),
        "emodb_listeners": as_json(people),
        "versions": {"python": platform.python_version(), "aptone": version("aptone"), "numpy": np.__version__},
    }
    output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
