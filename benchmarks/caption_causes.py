"""Why false claims of captions pass and true ones are refused: by kind of claim and by cause.

    python -m benchmarks.caption_causes --data FOLDER_WITH_THE_SETS --captions near_miss
    python -m benchmarks.caption_causes --data FOLDER --captions learn --list    # each caption, with what was read

A false claim that is not caught was

- *not read*: no unit touches its words;
- *read otherwise*: a unit touches its words and says something else;
- *let pass*: the unit that makes it is verified.

A true claim that is refused was called *undecided* or *false*. Only captions to learn from may be listed: the held-out
ones are for reporting, so this script does not open them.
"""

import argparse
import json
import platform
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aptone.ear import load_ear
from aptone.ear.claims.verification import Verdict
from benchmarks.caption_foreign import LANGUAGES, Judged, Marked, evaluate
from benchmarks.made_with import with_revisions
from recipes.claims.perceptions import FOLDER, Perceptions

HERE = Path(__file__).parent
SEEN = ("learn", "near_miss", "own_learn")


def cause(one: Judged, claim: Marked) -> str:
    """Return why a claim was not judged as it should be; empty where it was, or where the facts cannot tell."""
    number = one.unit_of(claim)
    if claim.holds is None:
        return ""
    if number is not None:
        verdict = one.verdicts[number]
        if claim.holds:
            return "" if verdict is Verdict.TRUE else f"called {verdict.value}"
        return "let pass" if verdict is Verdict.TRUE else ""
    end = claim.start + len(claim.words)
    touched = any(unit.start < end and claim.start < unit.end for unit in one.units)
    return "read otherwise" if touched else "not read"


def causes(judged: Sequence[Judged]) -> dict[str, Any]:
    """Count the causes of false and of true claims, for every kind of claim."""
    counts: dict[str, dict[str, Counter[str]]] = {"false": {}, "true": {}}
    for one in judged:
        for claim in one.given.claims:
            if claim.holds is not None:
                kind = f"{'not ' if claim.denied else ''}{claim.attribute}"
                row = counts["true" if claim.holds else "false"].setdefault(kind, Counter())
                row[cause(one, claim) or "right"] += 1
    return {
        holds: {"all": dict(sum(rows.values(), Counter())), **{kind: dict(rows[kind]) for kind in sorted(rows)}}
        for holds, rows in counts.items()
    }


def listed(one: Judged) -> list[str]:
    """Return the wrongly judged claims of a caption as lines; none where all are right."""
    lines = []
    for claim in one.given.claims:
        if why := cause(one, claim):
            denied = "not " if claim.denied else ""
            lines.append(f"    {'TRUE' if claim.holds else 'FALSE'} {claim.words!r} {denied}{claim.value}: {why}")
    if lines:
        lines = [f"{one.given.id}: {one.given.caption}   ({one.given.clip})", *lines]
        for unit, verdict in zip(one.units, one.verdicts, strict=True):
            denied = "not " if unit.is_denied else ""
            value = f"{unit.value}{' -> ' + unit.becomes if unit.becomes else ''}"
            words = one.given.caption[unit.start : unit.end]
            lines.append(f"      {words!r} = {denied}{unit.attribute} {value}: {verdict.value}")
    return lines


def main() -> None:
    """Judge, count and print."""
    parser = argparse.ArgumentParser(description="Why false claims of captions pass and true ones are refused.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with the sets, each with a labels.csv.")
    parser.add_argument("--captions", default="near_miss", choices=SEEN, help="Captions to judge.")
    parser.add_argument("--folder", type=Path, default=HERE / "caption_sentences", help="Folder with the captions.")
    parser.add_argument("--cache", type=Path, default=FOLDER, help="Folder in which perceptions are kept.")
    parser.add_argument("--list", action="store_true", help="Print every caption with a claim that went wrong.")
    parser.add_argument("--output", type=Path, help="Result file; by default in benchmarks/results.")
    options = parser.parse_args()
    ear = load_ear("full")
    files = {language: options.folder / f"{options.captions}.{language}.jsonl" for language in LANGUAGES}
    judged = evaluate(files, options.data, Perceptions(ear, options.cache))
    record = {
        "what": "claims of captions by kind and by cause: false ones not caught, true ones not verified",
        "captions": options.captions,
        "languages": {language: causes(found) for language, found in judged.items()},
        "versions": {"python": platform.python_version(), "aptone": version("aptone"), "ear": ear.signature},
    }
    for language, found in judged.items():
        if options.list:
            print("\n".join(line for one in found for line in listed(one)))
        for holds, rows in causes(found).items():
            print(f"{language}, {holds} claims")
            for kind, row in rows.items():
                print(f"  {kind:24}", ", ".join(f"{name} {count}" for name, count in sorted(row.items())))
    output = options.output or HERE / "results" / f"caption_causes_{options.captions}.json"
    text = json.dumps(with_revisions(record, "ear"), indent=1, sort_keys=True, ensure_ascii=False)
    output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
