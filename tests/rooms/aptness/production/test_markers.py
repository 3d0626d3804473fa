import csv
import shutil
import subprocess
from pathlib import Path

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
