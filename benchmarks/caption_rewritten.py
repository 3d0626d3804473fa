"""Captions of people, made false by rewriting: is the falsehood found, and does F fall, from text to score?

    python -m benchmarks.caption_rewritten --data FOLDER_WITH_THE_SETS [--captions learn]

Every caption of ``caption_sentences`` without a marked false claim is rewritten once for each kind of falsehood
(`aptone.rooms.caption.bench.perturb_text`); those that cannot be rewritten without breaking their grammar are counted
and left out. Caption and rewritten caption are taken apart, verified on the clip and scored by EmoSURA with the
person's own caption as the reference:

- *found*: share of the exchanged or made-up claims that are not verified;
- *falls*: share of the rewritten captions whose F lies below that of the caption that they were made from; ties do not
  count as falling.
"""

import argparse
import asyncio
import json
import platform
from collections import defaultdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.claims.verification import Verdict, check_all
from aptone.errors import UsageError
from aptone.rooms.caption.bench.perturb import Perturbation
from aptone.rooms.caption.bench.perturb_text import perturb_caption
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.decompose.built_in import decompose
from aptone.rooms.caption.match import BuiltInMatcher
from aptone.rooms.caption.score import emosura
from aptone.run import Call
from aptone.types import Language, Perception
from benchmarks.caption_foreign import HERE, LANGUAGES, RATE, read_captions, share, shown, spoken_languages
from benchmarks.made_with import with_revisions
from recipes.claims.perceptions import FOLDER, Perceptions

MATCHER = BuiltInMatcher()


def verified(units: tuple[Unit, ...], perception: Perception, spoken: str) -> list[bool]:
    """Return which units the ear verifies."""
    claims = [unit.claim for unit in units]
    checked = iter(check_all([claim for claim in claims if claim], perception, language=spoken or None))
    return [claim is not None and next(checked).verdict is Verdict.TRUE for claim in claims]


def final(units: tuple[Unit, ...], truths: list[bool], reference: tuple[Unit, ...], language: Language) -> float:
    """Return F."""
    matches = asyncio.run(MATCHER.match(units, reference, language=language, call=Call()))
    return emosura(units, truths, reference, matches).final.value


def measure(language: Language, path: Path, data: Path, heard: Perceptions) -> dict[str, Any]:
    """Return the figures of one language, by kind of falsehood."""
    captions = [one for one in read_captions(path, language) if not any(claim.holds is False for claim in one.claims)]
    spoken = spoken_languages(data, [one.clip for one in captions])
    found: dict[str, list[bool]] = defaultdict(list)
    falls: dict[str, list[bool]] = defaultdict(list)
    rewritten: dict[str, list[bool]] = defaultdict(list)
    for number, one in enumerate(captions):
        perception = heard(one.clip, partial(read, data / one.clip, rate=RATE), spoken[one.clip])
        units = decompose(one.caption, language=language)
        before = final(units, verified(units, perception, spoken[one.clip]), units, language)
        for kind in Perturbation:
            try:
                false = perturb_caption(one.caption, units, kind, language=language, seed=number)
            except UsageError:
                continue  # the caption claims nothing of that kind
            rewritten[kind.value].append(false.is_coherent)
            if not false.is_coherent:
                continue
            others = decompose(false.caption, language=language)
            truths = verified(others, perception, spoken[one.clip])
            known = {(unit.attribute, unit.value, unit.is_denied) for unit in units}
            for unit, is_true in zip(others, truths, strict=True):
                is_new = (unit.attribute, unit.value, unit.is_denied) not in known
                if is_new and unit.attribute in false.changed and not unit.is_denied:
                    found[kind.value].append(not is_true)
            falls[kind.value].append(final(others, truths, units, language) < before)
    return {
        kind.value: {
            "rewritten": share(sum(rewritten[kind.value]), len(rewritten[kind.value])),
            "found": share(sum(found[kind.value]), len(found[kind.value])),
            "falls": share(sum(falls[kind.value]), len(falls[kind.value])),
        }
        for kind in Perturbation
    } | {"captions": len(captions)}


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Captions of people, made false by rewriting.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with the sets, each with a labels.csv.")
    parser.add_argument("--captions", default="held_out", choices=("held_out", "learn"), help="Captions to rewrite.")
    parser.add_argument("--folder", type=Path, default=HERE / "caption_sentences", help="Folder with the captions.")
    parser.add_argument("--cache", type=Path, default=FOLDER, help="Folder in which perceptions are kept.")
    parser.add_argument("--output", type=Path, help="Result file; by default in benchmarks/results.")
    options = parser.parse_args()
    ear = load_ear("full")
    heard = Perceptions(ear, options.cache)
    rows = {
        language: measure(language, options.folder / f"{options.captions}.{language}.jsonl", options.data, heard)
        for language in LANGUAGES
    }
    for language, row in rows.items():
        print(f"{language}: {row['captions']} true captions")
        for kind in Perturbation:
            own = row[kind.value]
            print(f"  {kind.value:10} rewritten {shown(own['rewritten'])}  found {shown(own['found'])}")
            print(f"  {'':10} falls {shown(own['falls'])}")
    record = {
        "what": "people's captions rewritten to be false: how many can be, falsehoods found, F that falls",
        "captions": options.captions,
        "languages": rows,
        "versions": {"python": platform.python_version(), "aptone": version("aptone"), "ear": ear.signature},
    }
    name = "caption_rewritten" if options.captions == "held_out" else "caption_rewritten_learn"
    output = options.output or HERE / "results" / f"{name}.json"
    text = json.dumps(with_revisions(record, "ear"), indent=1, sort_keys=True, ensure_ascii=False)
    output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
