"""Every kind of source gives the same records, and hostile files are refused with their place."""

import base64
import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import AptoneError, RecordError, UsageError
from aptone.files import file_hash
from aptone.rooms.aptness.data import make_items
from aptone.rooms.aptness.sources import read_lines
from aptone.run.sources import webdataset
from aptone.run.sources.audio_cache import VARIABLE
from aptone.run.sources.clips import read_clips
from aptone.run.sources.records import SourceOptions
from aptone.run.sources.source import find_source, sources
from tests.run.sources import files
from tests.tables import for_each


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.mark.parametrize("kind", files.MAKERS)
def test_every_kind_gives_the_items_of_the_manifest(tmp_path: Path, kind: str) -> None:
    (tmp_path / "expected").mkdir()
    (tmp_path / "given").mkdir()
    expected = list(make_items(read_lines(files.manifest(tmp_path / "expected"))[0]))
    path = files.MAKERS[kind](tmp_path / "given")
    samples, _ = read_lines(path)
    found = list(make_items(samples))
    assert len(found) == files.COUNT
    if kind == "folder":  # its ids are names of files
        assert [item.id for item in found] == [f"clip{number}.wav" for number in range(files.COUNT)]
        samples = [type(one)(**{**_fields(one), "id": f"u{number}"}) for number, one in enumerate(samples)]
        found = list(make_items(samples))
    assert [item.id for item in found] == [item.id for item in expected]
    # The hash covers the recording's bytes, the part of it, the words and the id, so equal hashes give equal scores.
    assert [item.content_hash for item in found] == [item.content_hash for item in expected]
    if kind in ("folder", "kaldi"):
        return
    for item, other in zip(found, expected, strict=True):
        ids = dict(item.payload["ids"])  # type: ignore[arg-type]
        ids.pop("meta.duration", None)  # NeMo has it in every record
        assert ids == other.payload["ids"]
        assert ids["meta.studio"] == "two"
        assert ids["speaker"] in ("s0", "s1")


def _fields(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}


@for_each(
    ("kind", "name"),
    [(kind, kind.partition(",")[0]) for kind in files.MAKERS],
)
def test_the_kind_is_found_out(tmp_path: Path, kind: str, name: str) -> None:
    assert find_source(files.MAKERS[kind](tmp_path)) is sources().load(name)


def test_a_source_says_what_it_was_read_as_and_a_plain_manifest_does_not(tmp_path: Path) -> None:
    reading = read_lines(files.nemo(tmp_path))[1]
    assert reading.told == (
        "read as NeMo manifest: id=id, audio=audio_filepath, speaker=speaker, line=text; "
        "columns that travel along: meta.duration, meta.studio"
    )
    plain = files.write_jsonl(tmp_path / "plain.jsonl", [{"id": "a", "audio": "clip0.wav", "line": "x"}])
    assert read_lines(plain)[1].is_plain


def test_columns_are_mapped_by_hand_and_a_field_that_is_none_is_refused(tmp_path: Path) -> None:
    files.recordings(tmp_path)
    path = tmp_path / "odd.csv"
    path.write_text("a,b,text\nclip1.wav,Said.,Not this.\n", encoding="utf-8")
    (sample,), _ = read_lines(path, SourceOptions(columns={"audio": "a", "line": "b"}))
    assert sample.target.text == "Said."
    assert sample.ids == {"meta.text": "Not this."}
    with pytest.raises(UsageError, match="there is no field lien; expected one of"):
        read_lines(path, SourceOptions(columns={"lien": "b"}))
    with pytest.raises(RecordError, match=r"odd.csv, line 2: there is no column wave; the columns are a, b, text"):
        read_lines(path, SourceOptions(columns={"audio": "wave"}))


def test_a_misspelt_field_of_a_manifest_is_refused_and_an_own_column_is_not(tmp_path: Path) -> None:
    path = files.write_jsonl(tmp_path / "m.jsonl", [{"audio": "a.wav", "lien": "x"}])
    with pytest.raises(RecordError, match=r"line 1: unknown field 'lien'; did you mean line\?"):
        read_lines(path)
    files.write_jsonl(path, [{"audio": "a.wav", "line": "x", "chapter": 3, "meta.lien": "y", "long": "z" * 2000}])
    (sample,), _ = read_lines(path)
    assert sample.ids["meta.chapter"] == "3"
    assert sample.ids["meta.lien"] == "y"
    assert len(sample.ids["meta.long"]) == 1000


def test_the_language_is_that_of_the_characters_unless_a_column_says_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("path,text,lang\na.wav,睡吧。,\nb.wav,Sleep.,\nc.wav,睡吧。,en\n", encoding="utf-8")
    assert [sample.language for sample in read_lines(path)[0]] == ["zh", "en", "en"]


def test_ids_of_an_audio_folder_are_the_names_of_files_unless_a_column_gives_them(tmp_path: Path) -> None:
    for split, heading in (("train", "file_name,text"), ("test", "file_name,text,id")):
        files.recordings(tmp_path / split)
        row = "clip0.wav,Said." + (",own" if heading.endswith("id") else "")
        (tmp_path / split / "metadata.csv").write_text(f"{heading}\n{row}\n", encoding="utf-8")
    assert [sample.id for sample in read_lines(tmp_path)[0]] == ["own", "train/clip0.wav"]


def test_two_records_with_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,path,text\na,x.wav,One.\na,y.wav,Two.\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 3: the id 'a' was taken by line 2"):
        read_lines(path)


def test_a_story_is_a_file_or_a_text_and_gives_the_lines_around(tmp_path: Path) -> None:
    story = "It was dark.\nMara: Who is there?\nNobody answered.\n"
    (tmp_path / "night.txt").write_text(story, encoding="utf-8")
    records = [
        {"id": name, "audio": "a.wav", "line": "Who is there?", "story": told}
        for name, told in (("file", "night.txt"), ("text", story))
    ]
    by_file, by_text = read_lines(files.write_jsonl(tmp_path / "m.jsonl", records))[0]
    assert by_file.context == by_text.context
    assert [one.text for one in by_file.context] == ["It was dark."]
    assert [one.text for one in by_file.following] == ["Nobody answered."]
    assert by_file.target.role == "Mara"
    for change, complaint in (
        ({"story": "gone.txt"}, "gone.txt: cannot be read as a story"),
        ({"line": "What?"}, "line 1: .*What"),
        ({"context": ["Before."]}, "line 1: "),
        ({"story": 3}, 'line 1: "story" is a text'),
    ):
        path = files.write_jsonl(tmp_path / "m.jsonl", [{**records[0], **change}])
        with pytest.raises(RecordError, match=complaint):
            read_lines(path)


def test_a_part_of_a_file_is_cut_and_belongs_to_the_identity(tmp_path: Path) -> None:
    name = files.recordings(tmp_path)[0]
    record = {"audio_filepath": name, "text": "x", "duration": 0.1}
    path = files.write_jsonl(
        tmp_path / "m.json", [record, {**record, "offset": 0.0}, {**record, "offset": 0.1}, {**record, "offset": 0.1}]
    )
    samples, _ = read_lines(path)
    parts = [(one.audio.start, one.audio.end) for one in samples]  # type: ignore[union-attr]
    assert parts == [(0.0, None), (0.0, 0.1), (0.1, 0.2), (0.1, 0.2)]
    one_id = [type(one)(**{**_fields(one), "id": "same"}) for one in samples]
    hashes = [item.content_hash for item in make_items(one_id)]
    assert len(set(hashes)) == 3
    assert hashes[2] == hashes[3]


def test_cuts_of_lhotse_are_parts_or_whole_files(tmp_path: Path) -> None:
    (row, *_) = files.rows(tmp_path)
    inside = files.cut(row, id="inside", start=0.05, duration=0.1)
    tail = files.cut(row, id="tail", start=0.05, duration=0.2)
    memory = files.cut(row, id="memory")
    encoded = base64.b64encode(files.tone(0)).decode()
    memory["recording"]["sources"] = [{"type": "memory", "channels": [0], "source": encoded}]
    clips, _ = read_clips(files.write_jsonl(tmp_path / "cuts.jsonl", [files.cut(row), inside, tail, memory]))
    assert [(clip.audio.start, clip.audio.end) for clip in clips] == [(0, None), (0.05, 0.15), (0.05, None), (0, None)]
    assert file_hash(Path(clips[3].audio.path)) == file_hash(Path(clips[0].audio.path))


def test_segments_of_kaldi_are_parts_of_recordings(tmp_path: Path) -> None:
    folder = files.kaldi(tmp_path)
    (folder / "segments").write_text("a u0 0.00 0.10\nb u0 0.10 -1\n", encoding="utf-8")
    clips, _ = read_clips(folder)
    assert [(clip.told["id"], clip.audio.start, clip.audio.end) for clip in clips] == [("a", 0, 0.1), ("b", 0.1, None)]


def _cut_with(**source: Any) -> dict[str, Any]:
    made = files.cut({"id": "a", "path": "a.wav", "text": "x", "speaker": "s", "studio": "t"})
    made["recording"]["sources"] = [{"type": "file", "channels": [0], "source": "a.wav", **source}]
    return made


def _tar(*members: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as file:
        for name, data in members:
            files.add_member(file, name, data)
    return made.getvalue()


@for_each(
    ("name", "content", "complaint"),
    [
        ("wav.scp", b"a sox x.mp3 -t wav - |\n", "wav.scp, line 1: a command stands for the recording"),
        ("wav.scp", b"a x.ark:17\n", "line 1: x.ark:17 is a place in an archive"),
        ("wav.scp", b"a\n", "line 1: expected an id and a path"),
        ("c.jsonl", json.dumps(_cut_with(type="command")).encode(), "line 1: a recording of the type command"),
        ("c.jsonl", json.dumps(_cut_with(channels=[0, 1])).encode(), "line 1: expected a recording with one file"),
        ("c.jsonl", json.dumps({**_cut_with(), "type": "MixedCut"}).encode(), "line 1: a cut of the type MixedCut"),
        ("c.jsonl.gz", gzip.compress(json.dumps(_cut_with()).encode())[:-9], "cannot be unpacked|of no kind"),
        ("n.json", b'{"audio_filepath": "a.wav", "text": "x", "offset": 1}', '"offset" and "duration"'),
        ("m.jsonl", b"[" * 100_000, "m.jsonl"),
        ("m.jsonl", b'{"a": ' * 50_000, "line 1"),
        ("m.jsonl", b"\xff\xfe", "UTF-8|m.jsonl"),
        ("m.jsonl", b"3\n", "line 1: expected a JSON object, got int"),
        ("t.csv", b"a,b\n1,2,3\n", "line 2: the row has more cells"),
        ("t.csv", b"path,text,start\na.wav,x,soon\n", "t.csv, line 2: start is a number, got 'soon'"),
        ("t.csv", b"path,text\n", "t.csv: holds no record"),
        ("t.csv", b"text\nx\n", 't.csv, line 2: expected the path of a recording under "audio"'),
        ("p.parquet", b"PAR1 and then nothing of the kind", "p.parquet: cannot be read as a table"),
        ("s.tar", _tar(("a.wav", b"RIFF"), ("a.mp3", b"ID3")), "a.mp3: the sample has two recordings"),
        (
            "s.tar",
            _tar(
                ("a.json", b"[1]"),
            ),
            "a.json: expected a JSON object",
        ),
        ("s.tar", _tar(("a.wav", b"R" * 3000))[:2000], "s.tar"),
        ("s.tar.gz", b"\x1f\x8b" + b"0" * 99, "s.tar.gz: no tar file, or a damaged one"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(
    tmp_path: Path, name: str, content: bytes, complaint: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AptoneError, match=complaint):
        read_lines(tmp_path / name)


def test_members_of_a_tar_file_leave_nothing_outside_of_the_cache(tmp_path: Path, cache: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    given = files.tone(1)
    (folder / "s.tar").write_bytes(_tar(("../../up.wav", given), ("../../up.txt", b"x"), ("/etc/abs.wav", given)))
    clips, _ = read_clips(folder / "s.tar")
    assert [Path(clip.audio.path).is_relative_to(cache) for clip in clips] == [True, True]
    assert [Path(clip.audio.path).read_bytes() for clip in clips] == [given, given]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["in", "s.tar"]


def test_sizes_of_members_and_ratios_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webdataset, "LARGEST_MEMBER", 1000)
    (tmp_path / "s.tar").write_bytes(_tar(("a.wav", b"0" * 1001)))
    with pytest.raises(RecordError, match=r"s\.tar: a\.wav is larger"):
        read_clips(tmp_path / "s.tar")
    monkeypatch.setattr(webdataset, "LEAST_UNPACKED", 10_000)
    bomb = gzip.compress(_tar(("skipped.bin", b"\0" * 5_000_000), ("a.wav", b"0")))
    (tmp_path / "s.tar.gz").write_bytes(bomb)
    with pytest.raises(RecordError, match="unpacks to more than 200 times its size"):
        read_clips(tmp_path / "s.tar.gz")


def test_a_table_is_read_row_by_row(tmp_path: Path) -> None:
    files.recordings(tmp_path)
    path = tmp_path / "t.csv"
    path.write_text("path,text\nclip0.wav,One.\nclip1.wav,Two,too many\n", encoding="utf-8")
    found = sources().load("table").rows(path)
    assert next(found).cells == {"path": "clip0.wav", "text": "One."}
    with pytest.raises(RecordError, match="line 3"):
        next(found)


@for_each(
    ("make", "count"),
    [(files.parquet_paths, 10), (files.recordings_folder, 10), (files.manifest, None)],
)
def test_records_are_counted_where_that_is_cheap(
    tmp_path: Path, make: Callable[[Path], Path], count: int | None
) -> None:
    path = make(tmp_path)
    assert find_source(path).count(path) == count
