"""What ``aptone build ceaeval-d`` prints: what lies ahead, and what was built."""

import math
from collections.abc import Sequence

from aptone.cli.output import print_json, print_text
from aptone.messages import translate, words
from aptone.models import About
from aptone.rooms.aptness.build.estimate import Ahead, Costs
from aptone.rooms.aptness.build.files import MANIFEST, REJECTS, REPORT, TASK_FILE, Built
from aptone.rooms.aptness.books.works import Work
from aptone.types import Json, Language

SHOWN_REASONS = 8
"""Reasons for lost lines that are printed; all are in a file."""


def print_ahead(ahead: Sequence[Ahead], costs: Costs, about: About, lang: Language, *, as_json: bool) -> None:
    """Print what would be heard and sent, and what it costs at most."""
    if as_json:
        listed: list[Json] = [
            {"work": one.work, "minutes": round(one.minutes, 2), "lines": one.lines, "problem": one.problem}
            for one in ahead
        ]
        costed: dict[str, Json] = {"transcripts": costs.transcripts, "captions": costs.captions, "total": costs.total}
        print_json({"works": listed, "sends_audio_to": list(about.sends_audio_to), "costs_at_most": costed})
        return
    word = words(lang, "aptness.ceaeval-d")
    for one in ahead:
        if one.problem:
            print_text(word("ahead_problem", work=one.work, reason=translate(one.problem, lang)))
        else:
            print_text(word("ahead", work=one.work, minutes=f"{one.minutes:.1f}", lines=one.lines))
    if not about.sends_audio_to:
        print_text(word("sends_nothing"))
        return
    print_text(word("sends", machines=", ".join(about.sends_audio_to)))
    shown = {
        name: word("not_known") if math.isnan(cost) else f"{cost:.2f}"
        for name, cost in (("transcripts", costs.transcripts), ("captions", costs.captions))
    }
    print_text(word("costs", **shown))


def built_json(built: Built) -> dict[str, Json]:
    """What was built, for machines."""
    yields: dict[str, Json] = {name: dict(counts) for name, counts in built.yields.items()}
    reasons: dict[str, Json] = {name: dict(counts) for name, counts in built.reasons.items()}
    return {
        "folder": str(built.folder),
        "lines": built.lines,
        "seconds": round(built.seconds, 3),
        "task_lines": built.task_lines,
        "calibration": built.calibration,
        "yields": yields,
        "reasons": reasons,
        "unfinished": built.unfinished,
        "stopped": built.stopped,
    }


def print_built(built: Built, works: Sequence[Work], lang: Language) -> None:
    """Print what was built, what fell and why, and where it lies."""
    word = words(lang, "aptness.ceaeval-d")
    if built.yields:
        _print_yields(built, lang)
        lost = [(count, reason) for why in built.reasons.values() for reason, count in why.items()]
        for count, reason in sorted(lost, key=lambda one: (-one[0], one[1]))[:SHOWN_REASONS]:
            print_text(word("fell", count=count, reason=translate(reason, lang)))
        if unknown := [work.name for work in works if not work.licence]:
            print_text(word("no_licence", works=", ".join(unknown)))
    if built.stopped:
        print_text(word("stopped", why=translate(built.stopped, lang)))
    elif built.unfinished:
        print_text(word("unfinished", count=built.unfinished))
    if built.yields:
        files = {"manifest": MANIFEST, "task": TASK_FILE, "report": REPORT, "rejects": REJECTS}
        print_text(word("files", **{name: built.folder / file for name, file in files.items()}))


def _print_yields(built: Built, lang: Language) -> None:
    word, found = words(lang, "aptness.ceaeval-d"), built.yields
    print_text(word("works", out=found["works"]["out"], in_=found["works"]["in"]))
    speech = found["speech"]
    print_text(word("speech", minutes=speech["minutes"], spoken=speech["minutes of speech"]))
    heard = found["transcript"]
    print_text(
        word(
            "transcript",
            found=heard["words found"],
            words=heard["words of the texts"],
            heard=heard["words heard"],
            extras=heard["stretches not in the texts"],
        )
    )
    print_text(word("lines", out=found["lines"]["out"], in_=found["lines"]["in"]))
    described = found["described"]
    print_text(word("described", out=described["out"], in_=described["in"], silent=described["without caption"]))
    task = found["task"]
    print_text(
        word(
            "task",
            lines=task["lines"],
            minutes=task["minutes"],
            calibration_lines=task["calibration lines"],
            calibration=task["calibration minutes"],
        )
    )
