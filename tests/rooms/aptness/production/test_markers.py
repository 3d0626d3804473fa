import csv
import shutil
import subprocess
from pathlib import Path

import pandas
import pytest
import rpp

from aptone.errors import UsageError
from aptone.rooms.aptness.production.markers import (
    ENDINGS,
    Marker,
    cue_sheet,
    marker_files,
    reaper_project,
    reaper_regions,
)
from tests.tables import for_each

MARKERS = (
    Marker(61.5, 63.25, '1. Ann: "Go, now!"\n\tsaid', "slower;\tlet it fall"),
    Marker(3.0, 4.5, "2. 小明：走吧，`快`, it's late"),
    Marker(3725.04, 3726.0, "3. " + "long " * 60),
)


def seconds(text: str) -> float:
    """The seconds of h:mm:ss.fff or m:ss.fff."""
    total = 0.0
    for part in text.split(":"):
        total = 60.0 * total + float(part)
    return total


def test_audacity_reads_start_end_and_text_between_tabs() -> None:
    text = marker_files(MARKERS, recording="a.wav", seconds=4000.0, editor="audacity")[".labels.txt"]
    rows = list(csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [(float(start), float(end)) for start, end, _ in rows] == [(3.0, 4.5), (61.5, 63.25), (3725.04, 3726.0)]
    assert rows[1][2] == '1. Ann: "Go, now!" said'
    assert not any(row[0].startswith("\\") for row in rows)  # that would be a range of frequencies


def test_a_reaper_project_has_the_recording_and_a_region_for_each_line() -> None:
    project = rpp.loads(reaper_project(MARKERS, "../book/a'b.flac", 4000.0))
    assert project.tag == "REAPER_PROJECT"
    ends = [row for row in project if isinstance(row, list) and row[0] == "MARKER"]
    begun, closed = ends[::2], ends[1::2]
    assert [(int(row[1]), float(row[2])) for row in begun] == [(1, 3.0), (2, 61.5), (3, 3725.04)]
    assert [(int(row[1]), float(row[2])) for row in closed] == [(1, 4.5), (2, 63.25), (3, 3726.0)]
    assert begun[0][3] == "2. 小明：走吧，`快`, it's late"
    assert begun[1][3] == '1. Ann: "Go, now!" said'
    assert {row[-1] for row in begun} == {"R"}
    assert {row[4] for row in ends} == {"1"}  # a region, not a marker
    source = project.find(".//SOURCE")
    assert list(source.attrib) == ["FLAC"]
    assert source.find("FILE")[1] == "../book/a'b.flac"
    assert float(project.find(".//ITEM").find("LENGTH")[1]) == 4000.0


def test_a_reaper_list_of_regions_has_the_columns_that_its_manager_writes() -> None:
    rows = list(csv.DictReader(reaper_regions(MARKERS).splitlines()))
    assert list(rows[0]) == ["#", "Name", "Start", "End", "Length", "Color"]
    assert [row["#"] for row in rows] == ["R1", "R2", "R3"]
    assert [(seconds(row["Start"]), seconds(row["End"])) for row in rows] == [
        (3.0, 4.5),
        (61.5, 63.25),
        (3725.04, 3726.0),
    ]
    assert [round(seconds(row["Length"]), 3) for row in rows] == [1.5, 1.75, 0.96]
    assert rows[1]["Name"] == '1. Ann: "Go, now!" said'
    assert len(rows[2]["Name"]) <= 120


def test_audition_reads_decimal_times_and_the_direction_as_description() -> None:
    text = marker_files(MARKERS, recording="a.wav", seconds=4000.0, editor="audition")[".markers.csv"]
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [(row["Start"], row["Duration"], row["Time Format"], row["Type"]) for row in rows] == [
        ("0:03.000", "0:01.500", "decimal", "Cue"),
        ("1:01.500", "0:01.750", "decimal", "Cue"),
        ("1:02:05.040", "0:00.960", "decimal", "Cue"),
    ]
    assert rows[1]["Description"] == "slower; let it fall"


def test_a_cue_sheet_has_a_track_from_each_line_on_and_one_from_the_beginning() -> None:
    assert cue_sheet(MARKERS[:2], "../book/a.wav") == (
        'FILE "../book/a.wav" WAVE\n'
        '  TRACK 01 AUDIO\n    TITLE "a.wav"\n    INDEX 01 00:00:00\n'
        '  TRACK 02 AUDIO\n    TITLE "2. 小明：走吧，`快`, it\'s late"\n    INDEX 01 00:03:00\n'
        "  TRACK 03 AUDIO\n    TITLE \"1. Ann: 'Go, now!' said\"\n    INDEX 01 01:01:37\n"  # 0.5 s are 37.5 frames
    )


def test_a_cue_sheet_keeps_the_first_lines_of_the_list_where_there_are_too_many() -> None:
    many = [Marker(float(1000 - number), 1000.0, f"line {number}") for number in range(120)]
    sheet = cue_sheet(many, "a.mp3")
    assert sheet.startswith('REM 22 more lines than a CUE sheet holds are left out\nFILE "a.mp3" MP3\n')
    assert sheet.count("TRACK") == 99
    assert '"line 97"' in sheet
    assert '"line 98"' not in sheet


@pytest.mark.skipif(shutil.which("cueprint") is None, reason="cuetools are not installed")
def test_cuetools_read_the_sheet(tmp_path: Path) -> None:
    path = tmp_path / "a.wav.cue"
    path.write_text(cue_sheet(MARKERS, "a.wav"), encoding="utf-8")
    shown = subprocess.run(["cueprint", "-t", "%n|%t\\n", "-d", "", path], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines()[:3] == ["1|a.wav", "2|2. 小明：走吧，`快`, it's late", "3|1. Ann: 'Go, now!' said"]
    cut = subprocess.run(["cuebreakpoints", path], capture_output=True, text=True, check=True)
    assert cut.stdout.split() == ["0:03.00", "1:01.37", "62:05.03"]  # the last two digits are frames


SPOKEN = (
    Marker(0.0, 1.0, "1. +1.2 Ann: “Go!”\r\n\t她说：「走」\u2028"),
    Marker(1.64, 2.0006, "2. +1.1 小明: \x85'it\x00s' 100% #1; a=b\\", "慢一点\t，\n轻"),
    Marker(59.9996, 61.0004, '3. +0.9 "Tom": NA'),
    Marker(36000.9996, 36001.5, "4. +0.8 旁白: …"),
)
"""Names as books have them: line breaks of all kinds, tabs, quotation marks, Mandarin, control characters."""
NAMES = (
    "1. +1.2 Ann: “Go!” 她说：「走」",
    "2. +1.1 小明: 'it s' 100% #1; a=b\\",
    '3. +0.9 "Tom": NA',
    "4. +0.8 旁白: …",
)


def written(tmp_path: Path, editor: str, *, recording: str = "a.wav") -> list[Path]:
    """The files of an editor for `SPOKEN`, as users have them."""
    files = marker_files(SPOKEN, recording=recording, seconds=40_000.0, editor=editor)  # type: ignore[arg-type]
    paths = []
    for ending, text in files.items():
        paths.append(tmp_path / f"a{ending}")
        paths[-1].write_bytes(text.encode())
    return paths


def test_deflacue_reads_titles_and_frames_of_a_cue_sheet(tmp_path: Path) -> None:
    parser = pytest.importorskip("deflacue.parser")
    (path,) = written(tmp_path, "cue", recording="../书 1/a b.wav")
    sheet = parser.CueParser.from_file(path, encoding="utf-8").run()
    assert [track.title for track in sheet.tracks] == [name.replace('"', "'") for name in NAMES]
    # In frames of 1/75 s, rounded down: 0; 1.64 s are 123 of them; 59.9996 s are 4499.97; 36000.9996 s are 2700074.97.
    assert [round(track.start / 588) for track in sheet.tracks] == [0, 123, 4499, 2_700_074]
    assert {(str(track.file), track.file.type) for track in sheet.tracks} == {("../书 1/a b.wav", "WAVE")}


def test_cuetools_of_python_reads_the_same(tmp_path: Path) -> None:
    cuetools = pytest.importorskip("cuetools")
    (path,) = written(tmp_path, "cue")
    tracks = cuetools.loads(path.read_text(encoding="utf-8")).tracks
    assert [(track.track, track.title, track.index01.frames) for track in tracks] == [
        (1, NAMES[0], 0),
        (2, NAMES[1], 123),
        (3, NAMES[2].replace('"', "'"), 4499),
        (4, NAMES[3], 2_700_074),
    ]


def test_crowsetta_reads_audacity_labels(tmp_path: Path) -> None:
    formats = pytest.importorskip("crowsetta.formats.seq")
    (path,) = written(tmp_path, "audacity")
    labels = formats.AudSeq.from_file(path)
    assert list(labels.labels) == list(NAMES)
    assert [*labels.start_times] == [one.start for one in SPOKEN]
    assert [*labels.end_times] == [one.end for one in SPOKEN]


def test_pandas_reads_audacity_labels_and_markers_of_audition(tmp_path: Path) -> None:
    (path,) = written(tmp_path, "audacity")
    labels = pandas.read_csv(path, sep="\t", header=None, names=["start", "end", "name"], keep_default_na=False)
    assert [tuple(row) for row in labels.itertuples(index=False)] == [
        (one.start, one.end, name) for one, name in zip(SPOKEN, NAMES, strict=True)
    ]
    (path,) = written(tmp_path, "audition")
    markers = pandas.read_csv(path, sep="\t", keep_default_na=False)
    assert list(markers.columns) == ["Name", "Start", "Duration", "Time Format", "Type", "Description"]
    assert list(markers["Name"]) == list(NAMES)
    assert list(markers["Start"]) == ["0:00.000", "0:01.640", "1:00.000", "10:00:01.000"]
    assert list(markers["Description"]) == ["", "慢一点 ， 轻", "", ""]


@for_each("editor", ["audition", "reaper"])
def test_begin_and_length_as_written_end_where_the_marker_does(tmp_path: Path, editor: str) -> None:
    path = written(tmp_path, editor)[-1]
    rows = list(
        csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t" if editor == "audition" else ",")
    )
    length = "Duration" if editor == "audition" else "Length"
    # 2.0006 s are written as 2.001, and 61.0004 s as 61.000
    ends = [round(seconds(row["Start"]) + seconds(row[length]), 3) for row in rows]
    assert ends == [1.0, 2.001, 61.0, 36001.5]


def test_rpp_reads_names_of_all_kinds_back(tmp_path: Path) -> None:
    project = rpp.loads(written(tmp_path, "reaper")[0].read_text(encoding="utf-8"))
    rows = [row for row in project if isinstance(row, list) and row[0] == "MARKER"]
    assert [row[3] for row in rows[::2]] == list(NAMES)
    assert [float(row[2]) for row in rows[1::2]] == [one.end for one in SPOKEN]


@for_each(
    "recording",
    {"a.wav": "WAVE", "a.FLAC": "FLAC", "a.mp3": "MP3", "a.ogg": "VORBIS", "a.opus": "OPUS", "a.m4b": "VIDEO"}.items(),
)
def test_a_project_names_the_source_by_which_reaper_reads_the_recording(recording: tuple[str, str]) -> None:
    project = rpp.loads(reaper_project((), recording[0], 1.0))
    assert list(project.find(".//SOURCE").attrib) == [recording[1]]


@for_each("editor", list(ENDINGS))
def test_no_marker_is_a_valid_list(editor: str) -> None:
    files = marker_files((), recording="a.wav", seconds=1.0, editor=editor)  # type: ignore[arg-type]
    assert tuple(files) == ENDINGS[editor]  # type: ignore[index]


def test_an_unknown_editor_and_times_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="expected one of reaper, audacity, audition, cue"):
        marker_files((), recording="a.wav", seconds=1.0, editor="protools")  # type: ignore[arg-type]
    for start, end in ((-1.0, 2.0), (2.0, 1.0), (float("nan"), 1.0), (0.0, float("inf"))):
        with pytest.raises(ValueError, match="a marker begins at 0 s or later"):
            Marker(start, end, "x")


def test_a_name_with_all_three_quotation_marks_still_stands_in_a_project() -> None:
    project = rpp.loads(reaper_project([Marker(0.0, 1.0, "a\"b'c`d")], "a.wav", 1.0))
    assert next(row for row in project if row[0] == "MARKER")[3] == "a\"b'c'd"
