"""Accuracy of the ear beside openSMILE's eGeMAPS features with a support vector machine, on unseen speakers.

    python -m benchmarks.ear --data DATA --cache CACHE --music MUSIC
    python -m benchmarks.ear --data DATA --only emotion,speed --without-rival

`DATA` holds one folder a set (see `ear_data.py`); none of it comes with Aptone. Each row's definition stands in
`ear_rows.py`, the rival's recipes in `ear_rival.py`, the recording conditions in `ear_conditions.py`, events and music
in `ear_sounds.py`, the clock in `ear_speed.py`. Sections that were not asked for keep their last result in the file.

*Ours* is the ear that comes with Aptone, heard through its own interface: what it does not judge counts as wrong.
*Runs* are networks of the same recipe that differ in their seed or in what they were trained on; they are too many to
ship, so their answers are kept in ``results/ear_predictions/RUN.npz``: ``all-seed1``, ``without-ravdess-seed1`` (leave
one corpus out), ``csemotions-fold0-seed1`` and ``emodb-fold0-seed1`` (leave the speakers of that fold out, numbered as
in `recipes.ear.data.FOLDS`). A row shows their mean and, in brackets, the lowest and the highest.
Intervals are 95 %, by bootstrap over clips; over speakers where there are at least five.
"""

import argparse
import json
import platform
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from aptone.ear import load_ear
from benchmarks.ear_report import Section, as_json, table
from benchmarks.ear_sections import (
    awkward,
    calibration,
    conditions,
    corpora,
    emotion,
    events,
    listeners,
    music,
    speed,
    voice,
)
from benchmarks.ear_setting import Setting
from benchmarks.made_with import with_revisions

SECTIONS: dict[str, Callable[[Setting], Section]] = {
    "emotion": emotion,
    "corpora": corpora,
    "voice": voice,
    "listeners": listeners,
    "conditions": conditions,
    "events": events,
    "music": music,
    "calibration": calibration,
    "speed": speed,
    "awkward": awkward,
}
PACKAGES = ("aptone", "numpy", "onnxruntime", "opensmile", "scikit-learn", "soundfile", "soxr")
RESULTS = Path(__file__).parent / "results"


def installed(package: str) -> str:
    """The version of a package, or that it is not there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def main() -> None:
    """Measure what was asked for, print the table and write the results."""
    parser = argparse.ArgumentParser(description="The ear beside eGeMAPS with a support vector machine.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with one folder a set.")
    parser.add_argument("--cache", type=Path, help="Folder in which the rival's features are kept.")
    parser.add_argument("--music", type=Path, help="Folder core/music of Debian's package wesnoth-1.16-music.")
    parser.add_argument("--ear", default="full", help="Ear: full, permissive, or a registered one.")
    parser.add_argument("--only", default=",".join(SECTIONS), help="Sections, with commas between them.")
    parser.add_argument("--without-rival", action="store_true", help="Leave the rival out.")
    parser.add_argument("--without-ear", action="store_true", help="Leave our ear out; the runs are still shown.")
    parser.add_argument("--predictions", type=Path, default=RESULTS / "ear_predictions", help="Answers of the runs.")
    parser.add_argument("--output", type=Path, help="Result file; by default results/ear.json or ear_permissive.json.")
    options = parser.parse_args()
    names = options.only.split(",")
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        parser.error(f"unknown section {unknown[0]!r}; choose from {', '.join(SECTIONS)}.")
    kind = options.ear.partition(":")[0]
    output = options.output or RESULTS / ("ear.json" if options.ear == "full" else f"ear_{kind}.json")
    setting = Setting(
        data=options.data,
        cache=options.cache,
        music=options.music,
        predictions=options.predictions,
        ear=None if options.without_ear else options.ear,
        rival=not options.without_rival,
    )
    record = json.loads(output.read_text(encoding="utf-8")) if output.is_file() else {"sections": {}}
    if set(names) == set(SECTIONS):  # else the other sections stay those of the ear that they were made with
        record = with_revisions(record, "permissive ear" if options.ear == "permissive" else "ear")
        record["ear"] = load_ear(options.ear).signature
    for name in names:
        section = SECTIONS[name](setting)
        print(f"\n{name}\n{table(section)}")
        record["sections"][name] = as_json(section)
        record["what"] = "the ear beside eGeMAPS with a support vector machine, on unseen speakers"
        record["versions"] = {"python": platform.python_version()} | {name: installed(name) for name in PACKAGES}
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
