"""Lists of other toolkits for the page about inputs: ``python -m docs.page_lists`` writes them beside its clips."""

import csv
import json
from pathlib import Path

import soundfile


def main() -> None:
    """Write a NeMo manifest and a table with odd names over the English lines of the example."""
    lines = Path("manifest.jsonl").read_text(encoding="utf-8").splitlines()
    records = [record for record in map(json.loads, lines) if record["language"] == "en" and "-apt" in record["id"]]
    manifest = [
        {
            "audio_filepath": record["audio"],
            "duration": round(soundfile.info(record["audio"]).duration, 2),
            "text": record["line"],
            "studio": "north",
        }
        for record in records
    ]
    Path("train_manifest.json").write_text("".join(f"{json.dumps(row)}\n" for row in manifest), encoding="utf-8")
    with Path("clips.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sound", "said", "studio"])
        writer.writerows((record["audio"], record["line"], "north") for record in records)


if __name__ == "__main__":
    main()
