"""Labels that the planner was trained on and is measured by: every row is well-formed, and no split leaks."""

import json
from collections import defaultdict
from pathlib import Path
from typing import get_args

import pytest

from aptone.lexicon.feelings import VOICES
from aptone.types import Language
from recipes.planner.examples import EMOTIONS, INTONATIONS, RHYTHMS, Example
from recipes.planner.fiction import Fiction
from recipes.planner.labels import CLOSE, OPEN, passage_lines, reported_books, rows, scene_lines, scenes, soft, talk
from recipes.planner.scene_readings import label_of, spoken
from tests.tables import for_each

LANGUAGES = get_args(Language)
WRITTEN = ("scenes", "contrast", "pieces", "trials", "test", "fresh")
each_language = for_each("language", LANGUAGES)
each_file = for_each("name", WRITTEN)


def words_of(story: str) -> str:
    """The target of a scene, without marks at its ends."""
    return story[story.index(OPEN) + 1 : story.index(CLOSE)].strip(" ,.!?，。！？…").lower()


@each_language
@each_file
def test_scenes_are_well_formed(language: Language, name: str) -> None:
    found = rows(f"{name}.{language}")
    assert len({row["id"] for row in found}) == len(found)
    for row in found:
        story = row["story"]
        assert story.count(OPEN) == story.count(CLOSE) == 1, row["id"]
        assert words_of(story), row["id"]
        named = [row["emotion"], *row["also"], *(row.get("near") or ())]
        assert set(named) <= set(EMOTIONS), row["id"]
        assert len(set(named)) == len(named), row["id"]
        assert row["kind"] in ("tag", "stage", "narrated", "implicit", "tricky", "far"), row["id"]
        assert (row.get("rhythm") or RHYTHMS[0]) in RHYTHMS, row["id"]
        assert (row.get("intonation") or INTONATIONS[0]) in INTONATIONS, row["id"]
        assert set(row.get("voice") or ()) <= set(VOICES), row["id"]
        assert sum(soft(row).values()) == pytest.approx(1.0)


@each_language
@each_file
def test_words_that_decide_stand_in_their_scene(language: Language, name: str) -> None:
    for example in scenes(language, name=name):
        for start, end in example.evidence or ():
            assert 0 <= start < end <= len(example.text), example.id


@each_language
def test_a_contrast_set_is_never_split(language: Language) -> None:
    splits = defaultdict(set)
    for row in rows(f"contrast.{language}"):
        splits[words_of(row["story"])].add(row["split"])
    assert {len(names) for names in splits.values()} == {1}
    assert {name for names in splits.values() for name in names} == {"train", "dev"}


@each_language
def test_no_scene_is_in_two_splits(language: Language) -> None:
    seen: dict[str, str] = {}
    for name in WRITTEN:
        for row in rows(f"{name}.{language}"):
            split = row.get("split", "test")
            assert seen.setdefault(row["story"], split) == split, row["id"]


@each_language
def test_talk_is_well_formed(language: Language) -> None:
    found = rows(f"talk.{language}")
    assert len({row["id"] for row in found}) == len(found)
    for row in found:
        assert row["split"] in ("train", "dev")
        for turn in row["turns"]:
            assert turn["role"], row["id"]
            assert turn["text"], row["id"]
            assert {turn["emotion"], *turn["also"]} <= set(EMOTIONS), row["id"]


@each_language
def test_a_turn_is_read_after_the_turns_before_it(language: Language) -> None:
    examples = list(talk(language))
    first, second = examples[:2]
    turns = rows(f"talk.{language}")[0]["turns"]
    assert first.text[first.start : first.end] == turns[0]["text"]
    assert turns[0]["text"] in second.text[: second.start]
    assert turns[2]["text"] not in second.text


@each_language
def test_lines_of_scenes_are_spoken_in_them(language: Language) -> None:
    found = rows(f"lines.{language}")
    assert len({row["id"] for row in found}) == len(found) > 5000
    splits = {
        row["id"]: row["split"] for name in ("scenes", "contrast", "pieces") for row in rows(f"{name}.{language}")
    }
    for row in found:
        assert splits[row["scene"]] == row["split"], row["id"]
        assert {row["emotion"], *row["also"]} <= set(EMOTIONS), row["id"]
    for example in scene_lines(language):
        said = example.text[example.start : example.end]
        assert said.strip() == said != "", example.id
        assert not set(said) & set("⟦⟧"), example.id


@each_language
def test_lines_of_trials_are_for_reporting_and_spoken_in_them(language: Language) -> None:
    trials = {row["id"] for row in rows(f"trials.{language}")}
    found = rows(f"trial_lines.{language}")
    assert {row["split"] for row in found} == {"test"}
    assert {row["scene"] for row in found} <= trials
    for example in scene_lines(language, name="trial_lines"):
        assert example.text[example.start : example.end].strip(), example.id


def test_the_other_lines_of_a_scene_are_found_and_its_target_is_one_of_them() -> None:
    story = "ANN (curtly): Sit down.\nTOM: ⟦Why?⟧\n“Because,” she said. Rain. “I say so.”"
    text, spans = spoken(story)
    assert "⟦" not in text
    assert [(text[start:end], is_target) for start, end, is_target in spans] == [
        ("Sit down.", False),
        ("Why?", True),
        ("Because,", False),
        ("I say so.", False),
    ]


def test_a_row_of_a_reader_becomes_a_label_or_says_what_is_wrong() -> None:
    scenes_by_id = {"a": {"story": "“Sit,” said Ann. “⟦No!⟧”", "split": "dev"}}
    label = label_of("a 2|angry|sad, angry|3", scenes_by_id)
    assert label == {
        "id": "a.2",
        "scene": "a",
        "start": 18,
        "end": 21,
        "split": "dev",
        "emotion": "angry",
        "also": ["sad"],
        "intensity": 3,
        "is_target": True,
    }
    for row, message in {
        "a 3|angry|-|1": "2 spoken lines",
        "a 1|grumpy|-|1": "grumpy",
        "b 1|angry|-|1": "scene 'b'",
        "a 1|angry|-|4": "intensity '4'",
    }.items():
        with pytest.raises(ValueError, match=message):
            label_of(row, scenes_by_id)


@each_language
def test_labels_of_passages_hold_no_text_of_them(language: Language) -> None:
    found = rows(f"passages.{language}")
    assert len({row["id"] for row in found}) == len(found) > 3000
    for row in found:
        assert not {"story", "text", "line"} & row.keys(), row["id"]
        assert row["split"] in ("train", "dev")
        assert 0 <= row["start"] < row["end"], row["id"]
        assert {row["emotion"], *row["also"]} <= set(EMOTIONS), row["id"]
        assert "?" not in row["speakers"], row["id"]


def test_passages_of_books_whose_speakers_are_reported_teach_no_speakers(tmp_path: Path) -> None:
    book = ["Ann sat down.", "“Go,” said Tom.", "He left."]
    label = {"paragraph": 1, "start": 1, "end": 4, "speakers": ["Tom"], "emotion": "angry", "also": ["sad"]}
    label |= {"intensity": 2, "split": "train"}
    written = [{"id": name, "book": name, **label} for name in ("en1_a", "en2_b")]
    (tmp_path / "passages.en.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in written), encoding="utf-8")

    class Books(Fiction):
        def __init__(self) -> None:
            """Hold one book under every name."""

        def paragraphs(self, book_id: str) -> list[str]:
            return book

    known, kept = passage_lines("en", Books(), kept_from={"en2_b"}, folder=tmp_path)
    assert known.text[known.start : known.end] == "Go,"
    assert known.text == "\n".join(book)
    assert known.target == {"angry": 0.7, "sad": pytest.approx(0.3)}
    assert known.speakers == ("Tom",)
    assert kept.speakers is None
    assert reported_books()


@each_language
def test_labels_of_books_hold_no_text_of_them(language: Language) -> None:
    for row in rows(f"books.{language}"):
        assert not {"story", "text", "line"} & row.keys(), row["id"]
        assert row["split"] in ("train", "dev")
        assert row["start"] < row["end"], row["id"]
        assert row["tag"][0] <= row["tag"][1], row["id"]
        assert {row["emotion"], *row["also"]} <= set(EMOTIONS)


def test_a_direction_outlives_the_words_that_it_was_written_for() -> None:
    pytest.importorskip("torch")
    from recipes.planner.fit_fusion import staged

    own = [
        Example("scenes", "dev", "TOM (furious): Go.\nANN: No.", 15, 18, {"angry": 1.0}, kind="stage"),
        Example("scenes", "dev", "ANN (weeping): Please stay.", 15, 27, {"sad": 1.0}, kind="stage"),
        Example("scenes", "dev", "He left.", 0, 8, {"neutral": 1.0}, kind="implicit"),
    ]
    swapped = staged(own)
    assert [one.text for one in swapped] == ["TOM (furious): Please stay.\nANN: No.", "ANN (weeping): Go."]
    assert [one.text[one.start : one.end] for one in swapped] == ["Please stay.", "Go."]
    assert [dict(one.target) for one in swapped] == [{"angry": 1.0}, {"sad": 1.0}]
