"""Ten records as files of every kind, made by the libraries that own the formats, scored equal to the manifest's.

    python -m benchmarks.sources --owners PYTHON

PYTHON is an interpreter with lhotse, webdataset, datasets and pandas, which are no part of Aptone; it runs
`source_files.py`. NeMo's manifest is written by hand as its documentation describes it, since its library has too many
dependencies, and so is the folder of recordings, which is nobody's format; Kaldi's is Lhotse's export. Every kind is
scored by `aptone score` in a process of its own, without the reply cache, by the built-in planner and judge; equal is
equal to the last bit, in the same order. Two rows are of parts of files: cuts of Lhotse and offsets of NeMo against
``start`` and ``end``.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aptone.audio import read, write
from aptone.types import Audio
from benchmarks.made_with import with_revisions

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "lighthouse" / "clips"
RESULTS = HERE / "results" / "sources.json"
COUNT, RATE, SECONDS = 10, 16_000, 3.0
LINES = ("Is anybody there?", "Get out, the water is coming in!", "Nobody has seen him.", "Come here.", "I am glad.")
KINDS = {
    "table, commas": ("pandas.csv", "pandas"),
    "table, tabs": ("pandas.tsv", "pandas"),
    "Parquet, paths": ("pandas.parquet", "pandas"),
    "Parquet, audio bytes": ("datasets.parquet", "datasets"),
    "saved dataset": ("saved", "datasets"),
    "saved dataset with splits": ("saved_splits", "datasets"),
    "audio folder": ("audio_folder", "pandas"),
    "WebDataset tar": ("webdataset.tar", "webdataset"),
    "Kaldi wav.scp": ("kaldi", "lhotse"),
    "Lhotse cuts": ("cuts.jsonl.gz", "lhotse"),
    "Lhotse cuts, parts": ("cut_parts.jsonl.gz", "lhotse"),
    "NeMo manifest": ("nemo.json", "by hand"),
    "NeMo manifest, parts": ("nemo_parts.json", "by hand"),
    "folder of recordings": ("takes", "by hand"),
}
"""File of each kind, and what made it."""


def made(folder: Path) -> None:
    """Recordings, their records, our manifests, and the kinds that no library owns here."""
    sources = sorted(EXAMPLE.glob("*.opus"))
    records: list[dict[str, Any]] = []
    whole: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    nemo: list[dict[str, Any]] = []
    nemo_parts: list[dict[str, Any]] = []
    (folder / "takes").mkdir()
    for number in range(COUNT):
        audio = read(sources[number % len(sources)], rate=RATE, channel="mix")
        samples = audio.samples[: int(SECONDS * RATE)] * (0.9 - 0.02 * number)
        name, line = f"u{number}.wav", LINES[number % len(LINES)]
        write(folder / name, Audio(samples, rate=RATE, source=name))
        shutil.copy(folder / name, folder / "takes" / name)
        (folder / "takes" / f"u{number}.txt").write_text(line, encoding="utf-8")
        one = {"id": f"u{number}", "speaker": f"s{number % 2}"}
        records.append({**one, "path": name, "text": line, "studio": "two"})
        whole.append({**one, "audio": name, "line": line})
        parts.append({**one, "audio": name, "line": line, "start": 0.25, "end": 1.0})
        nemo.append({**one, "audio_filepath": name, "text": line, "duration": samples.size / RATE})
        nemo_parts.append({**nemo[-1], "offset": 0.25, "duration": 0.75})
    (folder / "records.json").write_text(json.dumps(records), encoding="utf-8")
    lists: dict[str, list[dict[str, Any]]] = {
        "whole.jsonl": whole,
        "parts.jsonl": parts,
        "nemo.json": nemo,
        "nemo_parts.json": nemo_parts,
    }
    for name, rows in lists.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def scored(path: Path, folder: Path) -> tuple[list[dict[str, float]], str]:
    """The scores of a source in its order, and what was said of how it was read."""
    command = [sys.executable, "-m", "aptone", "score", str(path), "-o", str(folder), "--no-cache", "--json"]
    surroundings = {**os.environ, "APTONE_AUDIO_CACHE": str(folder.parent / "cache"), "NO_COLOR": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings)
    if ran.returncode != 0:
        raise SystemExit(f"{path.name}: aptone score ended with {ran.returncode}: {ran.stderr[-2000:]}")
    said = [line for line in ran.stderr.splitlines() if "read as" in line]
    return [item["scores"] for item in json.loads(ran.stdout)["items"]], said[0] if said else ""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--owners", required=True, help="interpreter with lhotse, webdataset, datasets and pandas")
    owners = parser.parse_args().owners
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        made(folder)
        ran = subprocess.run(
            [owners, str(HERE / "source_files.py"), str(folder)], capture_output=True, text=True, check=False
        )
        if ran.returncode != 0:
            raise SystemExit(ran.stderr[-3000:])
        libraries = json.loads(ran.stdout.splitlines()[-1])
        expected = {name: scored(folder / f"{name}.jsonl", folder / f"run-{name}")[0] for name in ("whole", "parts")}
        for number, (kind, (name, maker)) in enumerate(KINDS.items()):
            found, said = scored(folder / name, folder / f"run-{number}")
            against = expected["parts" if kind.endswith("parts") else "whole"]
            equal = sum(one == other for one, other in zip(found, against, strict=True))
            read_as = said.replace(str(folder), "").removeprefix("aptone: ")
            rows.append({"kind": kind, "made_by": maker, "records": len(found), "equal": equal, "said": read_as})
            print(f"{kind:28} {maker:28} {equal:2} of {len(found)} equal   {read_as}", flush=True)
        defined = sum(value is not None for one in expected["whole"] for value in one.values())
    result = {
        "rows": rows,
        "all_equal": all(row["equal"] == row["records"] == COUNT for row in rows),
        "defined_scores_of_the_manifest": defined,
        "whole_and_part_differ": sum(a != b for a, b in zip(expected["whole"], expected["parts"], strict=True)),
        "libraries": libraries,
        "aptone": version("aptone"),
        "python": platform.python_version(),
    }
    print(f"all equal: {result['all_equal']}; parts that score otherwise: {result['whole_and_part_differ']} of {COUNT}")
    RESULTS.write_text(json.dumps(with_revisions(result, "ear", "planner", "judge"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
