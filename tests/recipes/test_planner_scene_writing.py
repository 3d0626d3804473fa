"""What writers of scenes hand in becomes labels, or says what is wrong with it."""

import json
import random
from pathlib import Path

import pytest

from recipes.planner.labels import rows, scene_lines, scenes
from recipes.planner.scene_writing import COLLECTIONS, merge, read_scene, specification


def test_every_marked_line_has_its_label_and_its_place() -> None:
    text, lines = read_scene("“⟦happy 2| Open it! ⟧” said Bo.\nANA: ⟦*far fear/sad/calm 1|Later.⟧")
    assert text == "“Open it!” said Bo.\nANA: Later."
    assert [(line.kind, line.emotion, line.also, line.intensity) for line in lines] == [
        ("", "happy", (), 2),
        ("far", "fear", ("sad", "calm"), 1),
    ]
    assert [text[line.start : line.end] for line in lines] == ["Open it!", "Later."]


@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("“⟦happy 2|Yes.⟧”", "not one target"),
        ("“⟦*tag happy 2|Yes.⟧” “⟦*tag sad 2|No.⟧”", "not one target"),
        ("“⟦*loud happy 2|Yes.⟧”", "not one target"),
        ("“⟦*tag merry 2|Yes.⟧”", "merry"),
        ("“⟦*tag happy 2|Yes.⟧” “⟦happy 9|No.⟧”", "cannot be read"),
    ],
)
def test_a_mark_that_cannot_be_read_is_refused(marked: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_scene(marked)


def test_written_scenes_are_added_once_and_their_lines_can_be_read_back(tmp_path: Path) -> None:
    written = tmp_path / "written.txt"
    written.write_text(
        "### 0001\n“⟦*tag angry 3|Out!⟧” he spat. “⟦calm 1|Gladly.⟧”\n\n### 0002\n“⟦sad 1|Oh.⟧”\n", encoding="utf-8"
    )
    for _ in range(2):
        merge("en", [written], COLLECTIONS["scenes"], folder=tmp_path)
    assert [json.dumps(row["story"]) for row in rows("scenes.en", folder=tmp_path)] == [
        json.dumps("“⟦Out!⟧” he spat. “Gladly.”")
    ]
    (scene,) = scenes("en", folder=tmp_path)
    (line,) = scene_lines("en", folder=tmp_path)
    assert scene.target == {"angry": 1.0}
    assert line.text[line.start : line.end] == "Gladly."
    assert line.split == scene.split
    assert line.target == {"calm": 1.0}


def test_trials_are_written_to_files_of_their_own_with_their_speakers(tmp_path: Path) -> None:
    written = tmp_path / "written.txt"
    written.write_text("### 1\n“⟦*tag angry 3 @the cook|Out!⟧” he spat. “⟦calm 1 @Bo|Gladly.⟧”\n", encoding="utf-8")
    merge("en", [written], COLLECTIONS["trials"], folder=tmp_path)
    (trial,) = scenes("en", name="trials", folder=tmp_path)
    (line,) = scene_lines("en", name="trial_lines", folder=tmp_path)
    assert (trial.split, line.split) == ("test", "test")
    assert (trial.speakers, line.speakers) == (("the cook",), ("Bo",))
    assert not (tmp_path / "lines.en.jsonl").exists()


def test_a_specification_gives_each_speaker_a_feeling() -> None:
    words = {name: ["x"] for name in ("form", "place", "relation", "event", "length", "seed")}
    row = specification(random.Random(3), words | {"names": ["Ana", "Bo", "Cy"]})
    kind, *_, cast, seed = row.split(" | ")
    assert kind in ("tag", "stage", "narrated", "tricky", "far", "implicit")
    assert seed == "use: x"
    names = [one.split(": ")[0] for one in cast.split("; ")]
    assert len(set(names)) == len(names) >= 1
