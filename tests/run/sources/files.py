"""Files of every kind of source with the same ten records, written without the libraries that own the formats."""

import csv
import gzip
import io
import json
import math
import struct
import tarfile
import wave
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

RATE = 16_000
COUNT = 10


def tone(number: int, *, seconds: float = 0.25) -> bytes:
    """Bytes of a wav file with a tone that is another one for each number."""
    frequency = 100.0 + 20.0 * number
    samples = [int(9000 * math.sin(math.tau * frequency * k / RATE)) for k in range(int(seconds * RATE))]
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return made.getvalue()


def line(number: int) -> str:
    """Words of a record."""
    return f"This is line {number}."


def recordings(folder: Path) -> list[str]:
    """Write the recordings, and return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"clip{number}.wav" for number in range(COUNT)]
    for number, name in enumerate(names):
        (folder / name).write_bytes(tone(number))
    return names


def rows(folder: Path) -> list[dict[str, Any]]:
    """Records with the columns of nobody in particular."""
    names = recordings(folder)
    return [
        {"id": f"u{number}", "path": name, "text": line(number), "speaker": f"s{number % 2}", "studio": "two"}
        for number, name in enumerate(names)
    ]


def write_jsonl(path: Path, records: list[dict[str, Any]]) -> Path:
    """JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def manifest(folder: Path) -> Path:
    """Write our own manifest."""
    given = [
        {"id": row["id"], "audio": row["path"], "line": row["text"], "speaker": row["speaker"], "studio": row["studio"]}
        for row in rows(folder)
    ]
    return write_jsonl(folder / "manifest.jsonl", given)


def _table(folder: Path, name: str, delimiter: str) -> Path:
    records = rows(folder)
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(records[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(records)
    return folder / name


def parquet_paths(folder: Path) -> Path:
    """Write a Parquet file with the paths of the recordings."""
    pq.write_table(pa.Table.from_pylist(rows(folder)), folder / "clips.parquet", row_group_size=3)
    return folder / "clips.parquet"


def _with_bytes(folder: Path) -> list[dict[str, Any]]:
    made = []
    for number, row in enumerate(rows(folder / "unused")):
        audio = {"bytes": tone(number), "path": row["path"]}
        made.append({"id": row["id"], "audio": audio, **{name: row[name] for name in ("text", "speaker", "studio")}})
    return made


def parquet_bytes(folder: Path) -> Path:
    """Write a Parquet file with the recordings in it, as the Hub has them."""
    pq.write_table(pa.Table.from_pylist(_with_bytes(folder)), folder / "clips.parquet", row_group_size=3)
    return folder / "clips.parquet"


def saved_dataset(folder: Path) -> Path:
    """Write what ``save_to_disk`` writes."""
    made = folder / "saved"
    made.mkdir()
    table = pa.Table.from_pylist(_with_bytes(folder))
    name = "data-00000-of-00001.arrow"
    with pa.ipc.new_stream(str(made / name), table.schema) as writer:
        writer.write_table(table, max_chunksize=4)
    (made / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}), encoding="utf-8")
    (made / "dataset_info.json").write_text("{}", encoding="utf-8")
    return made


def audio_folder(folder: Path) -> Path:
    """Write an audio folder."""
    made = folder / "folder"
    records = [{"file_name": row.pop("path"), **row} for row in rows(made)]
    write_jsonl(made / "metadata.jsonl", records)
    return made


def webdataset(folder: Path) -> Path:
    """Write a tar file of samples."""
    path = folder / "shard.tar"
    with tarfile.open(path, "w") as file:
        for number, row in enumerate(rows(folder / "unused")):
            told = json.dumps({"speaker": row["speaker"], "studio": row["studio"]}).encode()
            for ending, data in (("wav", tone(number)), ("json", told), ("txt", line(number).encode())):
                add_member(file, f"{row['id']}.{ending}", data)
    return path


def add_member(file: tarfile.TarFile, name: str, data: bytes) -> None:
    """Add a member to a tar file."""
    member = tarfile.TarInfo(name)
    member.size = len(data)
    file.addfile(member, io.BytesIO(data))


def kaldi(folder: Path) -> Path:
    """Write a data folder of Kaldi."""
    records = rows(folder / "data")
    made = folder / "data"
    for name, column in (("wav.scp", "path"), ("text", "text"), ("utt2spk", "speaker")):
        listed = "".join(f"{row['id']} {row[column]}\n" for row in records)
        (made / name).write_text(listed, encoding="utf-8")
    return made


def cut(row: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """One cut of Lhotse."""
    source = {"type": "file", "channels": [0], "source": row["path"]}
    whole = {
        "id": row["id"],
        "sources": [source],
        "sampling_rate": RATE,
        "num_samples": 4000,
        "duration": 0.25,
        "channel_ids": [0],
    }
    said = {
        "id": row["id"],
        "recording_id": row["id"],
        "start": 0.0,
        "duration": 0.25,
        "channel": 0,
        "text": row["text"],
        "speaker": row["speaker"],
    }
    made = {"id": row["id"], "start": 0, "duration": 0.25, "channel": 0, "supervisions": [said], "recording": whole}
    return {**made, "type": "MonoCut", "custom": {"studio": row["studio"]}, **changes}


def lhotse(folder: Path) -> Path:
    """Write packed cuts of Lhotse."""
    path = folder / "cuts.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(cut(row)) + "\n" for row in rows(folder))
    return path


def nemo(folder: Path) -> Path:
    """Write a manifest of NeMo, which it calls .json."""
    records = [{"audio_filepath": row.pop("path"), "duration": 0.25, **row} for row in rows(folder)]
    return write_jsonl(folder / "train_manifest.json", records)


def recordings_folder(folder: Path) -> Path:
    """Write recordings with their words beside them."""
    made = folder / "takes"
    for number, name in enumerate(recordings(made)):
        (made / name).with_suffix(".txt").write_text(line(number) + "\n", encoding="utf-8")
    return made


MAKERS: Mapping[str, Callable[[Path], Path]] = {
    "manifest": manifest,
    "table, commas": lambda folder: _table(folder, "clips.csv", ","),
    "table, tabs": lambda folder: _table(folder, "clips.tsv", "\t"),
    "parquet, paths": parquet_paths,
    "parquet, bytes": parquet_bytes,
    "saved-dataset": saved_dataset,
    "audio-folder": audio_folder,
    "webdataset": webdataset,
    "kaldi": kaldi,
    "lhotse": lhotse,
    "nemo": nemo,
    "folder": recordings_folder,
}
"""Makers of a source by its kind and variant."""
