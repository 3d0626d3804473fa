"""Writes the same ten records as files of every kind, by the libraries that own the formats; see `sources.py`.

    python benchmarks/source_files.py FOLDER

Runs on its own, under an interpreter that has lhotse, webdataset, datasets and pandas. FOLDER holds ``records.json``
and the recordings. Prints the versions of the libraries as JSON.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import datasets
import pandas as pd
import webdataset as wds
from lhotse import CutSet, Recording, RecordingSet, SupervisionSegment, SupervisionSet
from lhotse.kaldi import export_to_kaldi


def main(folder: Path) -> None:
    """Write all kinds."""
    records = json.loads((folder / "records.json").read_text(encoding="utf-8"))
    table = pd.DataFrame([{**one, "path": str(folder / one["path"])} for one in records])
    table.to_csv(folder / "pandas.csv", index=False)
    table.to_csv(folder / "pandas.tsv", index=False, sep="\t")
    table.to_parquet(folder / "pandas.parquet", index=False)
    given = datasets.Dataset.from_dict(table.rename(columns={"path": "audio"}).to_dict("list"))
    given = given.cast_column("audio", datasets.Audio(decode=False))
    given.to_parquet(folder / "datasets.parquet")
    given.save_to_disk(folder / "saved")
    datasets.DatasetDict({"train": given}).save_to_disk(folder / "saved_splits")
    metadata = table.assign(file_name=[one["path"] for one in records]).drop(columns="path")
    (folder / "audio_folder").mkdir()
    for one in records:
        (folder / "audio_folder" / one["path"]).write_bytes((folder / one["path"]).read_bytes())
    metadata.to_csv(folder / "audio_folder" / "metadata.csv", index=False)
    with wds.TarWriter(str(folder / "webdataset.tar")) as writer:
        for one in records:
            told = {"speaker": one["speaker"], "studio": one["studio"]}
            data = (folder / one["path"]).read_bytes()
            writer.write({"__key__": one["id"], "wav": data, "txt": one["text"], "json": told})
    recordings, supervisions = [], []
    for one in records:
        recording = Recording.from_file(folder / one["path"], recording_id=one["id"])
        recordings.append(recording)
        supervisions.append(
            SupervisionSegment(
                one["id"], one["id"], 0.0, recording.duration, text=one["text"], speaker=one["speaker"], language="en"
            )
        )
    all_recordings = RecordingSet.from_recordings(recordings)
    all_supervisions = SupervisionSet.from_segments(supervisions)
    export_to_kaldi(all_recordings, all_supervisions, folder / "kaldi")
    made = CutSet.from_manifests(recordings=all_recordings, supervisions=all_supervisions)
    cuts = CutSet.from_cuts(cut.with_id(cut.recording_id) for cut in made)
    cuts.to_file(folder / "cuts.jsonl.gz")
    parts = CutSet.from_cuts(
        cut.truncate(offset=0.25, duration=0.75).with_id(cut.recording_id)
        for cut in CutSet.from_file(folder / "cuts.jsonl.gz")
    )
    parts.to_file(folder / "cut_parts.jsonl.gz")
    names = ("pandas", "pyarrow", "datasets", "webdataset", "lhotse")
    sys.stdout.write(json.dumps({name: version(name) for name in names}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
