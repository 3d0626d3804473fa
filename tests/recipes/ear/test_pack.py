import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.ear.labelled_clips import COLUMNS
from aptone.errors import RecordError, UsageError
from recipes.ear.data import read_pack
from recipes.ear.pack import FAR, NEAR, Span, cut_music, draw_rooms, prepare
from tests.tables import for_each

CLIP = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"
FEW_FAR, FEW_NEAR = replace(FAR, count=1, rt60=Span(0.3, 0.4)), replace(NEAR, count=2)


def write_set(data: Path, *, columns: tuple[str, ...] = COLUMNS) -> None:
    (data / "emodb").mkdir(parents=True)
    (data / "emodb" / "a.opus").write_bytes(CLIP.read_bytes())
    row = dict.fromkeys(columns, "x") | {"file": "a.opus", "emotion": "sad"}
    with (data / "emodb" / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerow(row)


def write_music(folder: Path, *, seconds: float = 1.0) -> Path:
    folder.mkdir()
    time = np.arange(int(seconds * 22_050)) / 22_050
    soundfile.write(folder / "tune.wav", np.stack([np.sin(700 * time), np.cos(700 * time)], axis=1), 22_050)
    return folder


def test_a_pack_holds_where_clips_speak_and_not_the_clips(tmp_path: Path) -> None:
    write_set(tmp_path / "data")
    music = write_music(tmp_path / "music")
    made = prepare(tmp_path / "data", music, tmp_path / "pack", far=FEW_FAR, near=FEW_NEAR)
    assert made == (("emodb",), 1, 1, 1, 2)
    assert sorted(path.name for path in (tmp_path / "pack").iterdir()) == [
        "index.jsonl",
        "music",
        "pack.json",
        "rooms.npz",
    ]
    (clip,) = read_pack(tmp_path / "pack")
    assert clip.path == tmp_path / "data" / "emodb" / "a.opus"
    assert clip.speech
    assert json.loads((tmp_path / "pack" / "index.jsonl").read_text(encoding="utf-8"))["emotion"] == "sad"


def test_rooms_are_a_second_of_unit_energy_and_the_same_every_time() -> None:
    rooms = draw_rooms(FEW_NEAR, np.random.default_rng(7))
    assert rooms.shape == (2, 16_000)
    assert rooms.dtype == np.float16
    assert np.square(rooms.astype(np.float64)).sum(axis=1).tolist() == pytest.approx([1.0, 1.0], abs=0.01)
    assert np.array_equal(rooms, draw_rooms(FEW_NEAR, np.random.default_rng(7)))


def test_a_room_that_cannot_be_is_drawn_again() -> None:
    # a decay of 0.1 s is too short for the larger half of these rooms
    assert len(draw_rooms(replace(NEAR, count=3, rt60=Span(0.1, 0.12)), np.random.default_rng(1))) == 3


@pytest.mark.slow
@for_each(("seconds", "kept"), [(5.0, 5.0), (20.0, 5.0), (60.0, 30.0)])
def test_music_is_half_a_minute_from_the_fifteenth_second_where_it_lasts_so_long(
    tmp_path: Path, seconds: float, kept: float
) -> None:
    music = write_music(tmp_path / "music", seconds=seconds)
    (tmp_path / "out").mkdir()
    assert cut_music([music / "tune.wav"], tmp_path / "out") == 1
    about = soundfile.info(tmp_path / "out" / "tune.ogg")
    assert (about.samplerate, about.channels, about.subtype) == (16_000, 1, "OPUS")
    assert about.duration == pytest.approx(kept, abs=0.05)


def test_a_folder_without_sets_or_without_music_is_refused(tmp_path: Path) -> None:
    music = write_music(tmp_path / "music")
    with pytest.raises(UsageError, match="no set in this folder; expected ravdess"):
        prepare(tmp_path, music, tmp_path / "pack")
    write_set(tmp_path / "data")
    with pytest.raises(UsageError, match="no music in this folder"):
        prepare(tmp_path / "data", tmp_path / "data", tmp_path / "pack")
    assert not (tmp_path / "pack").exists()


def test_a_table_that_lacks_a_column_is_refused(tmp_path: Path) -> None:
    write_set(tmp_path / "data", columns=tuple(column for column in COLUMNS if column != "split"))
    music = write_music(tmp_path / "music")
    with pytest.raises(RecordError, match=r"labels\.csv: expected the columns .*; split missing"):
        prepare(tmp_path / "data", music, tmp_path / "pack", far=FEW_FAR, near=FEW_NEAR)
