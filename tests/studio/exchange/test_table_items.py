"""Items from tables: columns are mapped, sets go by the names of their columns, what is odd is named by its row."""

import pytest

from aptone.errors import RecordError
from aptone.studio.exchange.table_items import guess_columns, items_from_table, read_table, targets
from aptone.types import AudioRef, Control, RatingTask, Shown

LABEL = {"en": "?"}


def task(*shown: Shown, controls: tuple[Control, ...] = ()) -> RatingTask:
    return RatingTask("t", {}, {}, shown, controls, ())


FIT = Control("fit", "scale", LABEL, low=0, high=5, step=1)


def test_columns_fill_clips_texts_right_answers_and_what_is_hidden() -> None:
    asked = task(Shown("audio", "audio"), Shown("line", "text"), controls=(FIT,))
    table = read_table("name;file;Line;gold;system\na;x.wav;Come in.;4;A\nb;y.wav;Go.;;B\n")
    mapping = {"id": "name", "audio": "file", "line": "Line", "gold:fit": "gold"}
    one, two = items_from_table(asked, table, mapping, clips={"x.wav": "clips/1"}).items
    assert (one.id, one.audio, one.fields) == ("a", {"audio": AudioRef("clips/1")}, {"line": "Come in."})
    assert (one.gold, one.hidden) == ({"fit": 4}, {"system": "A"})
    assert (two.gold, two.audio["audio"].path) == ({}, "y.wav")


def test_an_instruction_has_a_column_a_language() -> None:
    asked = task(Shown("line", "text"), controls=(FIT,))
    table = read_table("line,gold:fit,instruction:en,Instruction:ZH\nGo.,2,Answer 2 here.,此处请选 2。\nCome.,,,\n")
    told, plain = items_from_table(asked, table, guess_columns(asked, table.columns)).items
    assert (told.instruction, told.gold, told.hidden) == (
        {"en": "Answer 2 here.", "zh": "此处请选 2。"},
        {"fit": 2},
        {},
    )
    assert plain.instruction == {}


def test_a_set_goes_by_the_names_of_its_columns_and_may_have_fewer_clips_in_a_row() -> None:
    rated = Control("quality", "ratings", LABEL, low=0, high=100, step=1, prefill="systems")
    asked = task(Shown("systems", "switch", reference="reference"), controls=(rated,))
    assert targets(asked)[:5] == ("id", "reference", "systems:1", "systems:2", "systems:3")
    table = read_table("ref,a,b,c\nr.wav,1.wav,2.wav,3.wav\nr.wav,1.wav,2.wav,\n")
    mapping = {"reference": "ref", "systems:1": "a", "systems:2": "b", "systems:3": "c"}
    three, two = items_from_table(asked, table, mapping).items
    assert (three.fields["systems"], two.fields["systems"]) == (["a", "b", "c"], ["a", "b"])
    assert three.audio["reference"] == AudioRef("r.wav")
    assert [item.id for item in (three, two)] == ["1", "2"]
    again = items_from_table(asked, table, {**mapping, "systems:2": "a"})
    assert (again.items, len(again.problems)) == ((), 2)


def test_a_story_is_json_or_lines_of_which_the_last_is_in_question() -> None:
    table = read_table('story\n"Mara: Who is there?\nIt rained.\nTom: Me."\n')
    (item,) = items_from_table(task(Shown("story", "story")), table, {"story": "story"}).items
    assert item.fields["story"] == {
        "lines": [
            {"text": "Who is there?", "role": "Mara", "clip": ""},
            {"text": "It rained.", "role": "", "clip": ""},
            {"text": "Me.", "role": "Tom", "clip": ""},
        ],
        "target": 2,
    }


def test_rows_without_a_clip_or_with_a_used_id_are_named() -> None:
    table = read_table("id,audio\none,a.wav\none,b.wav\ntwo,\n")
    found = items_from_table(task(Shown("audio", "audio")), table, {"id": "id", "audio": "audio"})
    assert [item.id for item in found.items] == ["one"]
    assert [(one.row, one.text[:10]) for one in found.problems] == [(2, "the id 'on"), (3, "no clip in")]


@pytest.mark.parametrize("text", ["", "a,a\n1,2\n", "a,\n1,2\n", '"a\n', "a\n" + "1\n" * 20_001])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read_table(text)


@pytest.mark.parametrize("mapping", [{"audio": "none"}, {"nothing": "file"}, {"id": "file"}, {"hidden:": "file"}])
def test_a_mapping_that_does_not_fit_is_refused(mapping: dict[str, str]) -> None:
    table = read_table("file\nx.wav\n")
    with pytest.raises(RecordError):
        items_from_table(task(Shown("audio", "audio")), table, mapping)


def test_columns_of_the_same_name_are_proposed_and_a_usual_name_for_the_only_clip() -> None:
    asked = task(Shown("clip_a", "audio"), Shown("the line", "text"))
    assert guess_columns(asked, ["ID", "The_Line", "File"]) == {"id": "ID", "the line": "The_Line", "clip_a": "File"}
