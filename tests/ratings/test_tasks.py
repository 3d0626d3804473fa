"""Task files: those that ship are whole, in both languages and in step with the records; others are read strictly."""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from aptone.errors import RecordError, RegistryError
from aptone.ratings.tasks import parse_task, read_task, task_template, templates, with_items, write_task
from aptone.types import DIMENSIONS, AudioRef, Control, RatingItem, RatingTask, dumps, to_json
from aptone.types.rating import Words
from tests.tables import for_each


def wordings(task: RatingTask) -> Iterator[Words]:
    yield from (task.title, task.guide)
    yield from (shown.label for shown in task.shown)
    for control in task.controls:
        yield control.label
        yield from (band.meaning for band in control.bands)
        yield from (choice.label for choice in control.choices)


@for_each("name", templates())
def test_a_task_that_ships_has_its_name_no_items_and_says_everything_in_both_languages(name: str) -> None:
    task = task_template(name)
    assert task.name == name
    assert task.items == ()
    for words in wordings(task):
        assert set(words) == {"en", "zh"}
        assert all(text.strip() for text in words.values())
        assert any("\u4e00" <= character <= "\u9fff" for character in words["zh"])
        assert not any("\u4e00" <= character <= "\u9fff" for character in words["en"])


@for_each("name", templates())
def test_the_rubric_of_a_scale_covers_it(name: str) -> None:
    for control in task_template(name).controls:
        if control.kind not in ("scale", "ratings"):
            continue
        bands = sorted(control.bands, key=lambda band: band.low)
        assert bands[0].low == control.low
        assert bands[-1].high == control.high
        steps = [later.low - earlier.high for earlier, later in itertools.pairwise(bands)]
        assert set(steps) <= {0.0, control.step}


def controls(name: str) -> Mapping[str, Control]:
    return {control.name: control for control in task_template(name).controls}


def test_ceaeval_d_asks_the_fifteen_dimensions_as_the_record_has_them() -> None:
    asked = controls("ceaeval-d")
    assert list(asked) == list(DIMENSIONS)
    kinds = {"score": {"scale"}, "closed": {"choice"}, "text": {"text", "edit"}, "time": {"boundaries"}}
    for name, dimension in DIMENSIONS.items():
        assert asked[name].kind in kinds[dimension.kind]
        assert asked[name].label["en"].startswith(dimension.en)
        assert asked[name].label["zh"].startswith(dimension.zh)
        assert [choice.value for choice in asked[name].choices] == list(dimension.choices)
    for name in ("overall_score", "tts_difficulty"):
        assert (asked[name].low, asked[name].high, asked[name].step) == (0, 5, 0.1)
        assert [(band.low, band.high) for band in asked[name].bands] == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    for name in ("intonation", "rhythm"):
        assert all(": " in choice.label["en"] and "：" in choice.label["zh"] for choice in asked[name].choices)
    assert asked["emotion"].agreement == "vad"
    prefills = {name: control.prefill for name, control in asked.items() if control.prefill}
    assert prefills == {"refined_context": "context", "refined_content": "line", "boundaries": "boundaries"}
    assert [shown.kind for shown in task_template("ceaeval-d").shown] == ["story", "audio"]


def test_the_rules_are_those_of_the_papers() -> None:
    s3bench, paras2s, emosura = (task_template(name) for name in ("s3bench", "paras2s", "emosura-mos"))
    assert (s3bench.raters_per_item, s3bench.quota_per_rater, s3bench.outlier_share) == (5, 250, 0.3)
    assert [choice.value for choice in controls("s3bench")["confidence"].choices] == ["high", "medium", "low"]
    assert paras2s.raters_per_item == 3
    assert paras2s.accept == {"content_correct": "yes", "style_correct": "yes"}
    opinion = controls("emosura-mos")["opinion"]
    assert (emosura.raters_per_item, opinion.low, opinion.high, opinion.step) == (14, 1, 5, 1)
    assert task_template("paras2s-answers").raters_per_item == 3
    assert controls("preference")["better"].allows_same
    assert not controls("s3bench")["fit"].allows_same


def test_what_a_judge_is_compared_on_is_named_by_every_scale_that_a_room_scores() -> None:
    named = {name: [one.judged_by for one in controls(name).values() if one.judged_by] for name in templates()}
    assert named == {
        **{name: [] for name in ("abx", "aptness", "aptness-rank", "best-worst", "cmos", "mushra")},
        "ab": ["judge_choice"],
        "mos": ["judge_score"],
        "ceaeval-d": ["judge_score"],
        "emosura-mos": ["judge_score"],
        "paras2s": [],
        "paras2s-answers": ["judge_score"],
        "preference": ["judge_choice"],
        "s3bench": ["judge_score"],
    }


def pair(name: str) -> RatingItem:
    return RatingItem(name, {"clip": AudioRef(f"{name}.wav")}, {"description": "A low voice."}, gold={"fit": 4})


def test_items_make_a_task_of_a_template_and_a_test_without_items_is_none() -> None:
    task = with_items(task_template("s3bench"), [pair("a"), pair("b")], name="mine", qualification=["a"])
    assert (task.name, [item.id for item in task.items]) == ("mine", ["a", "b"])
    assert task.qualification is not None
    assert (task.qualification.items, task.qualification.tolerance) == (("a",), 1.5)
    assert with_items(task_template("s3bench"), [pair("a")]).qualification is None


def test_items_that_lack_what_the_template_shows_are_refused() -> None:
    with pytest.raises(RecordError, match="no field 'description' to show"):
        with_items(task_template("s3bench"), [RatingItem("a", {"clip": AudioRef("a.wav")})])
    with pytest.raises(RecordError, match="no rule for passing a test"):
        with_items(task_template("paras2s"), [], qualification=["a"])


@for_each("suffix", [".json", ".yaml", ".yml"])
@for_each("name", templates())
def test_a_task_comes_back_from_its_file_as_it_was(tmp_path: Path, name: str, suffix: str) -> None:
    path = tmp_path / f"task{suffix}"
    write_task(path, task_template(name))
    assert dumps(to_json(read_task(path))) == dumps(to_json(task_template(name)))


def test_yes_and_no_are_words_in_a_task_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    path.write_text(
        "name: clear\n"
        "title: {en: 'Is it clear?'}\n"
        "guide: {en: Listen.}\n"
        "shown: [{name: clip, kind: audio}]\n"
        "controls:\n"
        "- {name: clear, kind: choice, label: {en: Clear}, choices: [{value: yes, label: {}}, {value: no, label: {}}]}"
        "\n"
        "items: [{id: a, audio: {clip: {path: a.wav}}, gold: {clear: yes}}]\n",
        encoding="utf-8",
    )
    task = read_task(path)
    assert [choice.value for choice in task.controls[0].choices] == ["yes", "no"]
    assert task.items[0].gold == {"clear": "yes"}


@for_each(
    ("data", "message"),
    [
        (b"\xff", "upload: not UTF-8 text"),
        (b"{", "upload: not valid JSON"),
        (b"[]", "upload: .*expected"),
        (b'{"name": "x"}', "upload: RatingTask"),
        (
            b'{"name":"x","title":{},"guide":{},"shown":[],"controls":[],"items":[],"raters_per_item":0}',
            "upload: RatingTask: task 'x'",
        ),
        (b'{"name":"x","title":{},"guide":{},"shown":[],"controls":[],"items":[],"sytle":1}', "sytle"),
    ],
)
def test_a_file_that_is_no_task_is_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        parse_task(data, what="upload")


def test_a_name_that_does_not_ship_and_a_path_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="those that ship are ab, abx"):
        task_template("../../etc/passwd")
    with pytest.raises(RecordError, match="cannot be read"):
        read_task(tmp_path / "nowhere.json")


def test_a_file_beyond_all_measure_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.ratings.tasks.LARGEST_FILE", 10)
    path = tmp_path / "task.json"
    path.write_bytes(b" " * 11)
    with pytest.raises(RecordError, match="split the task"):
        read_task(path)


def test_a_plain_text_counts_wherever_words_by_language_are_expected() -> None:
    task = parse_task(
        b"""{"name": "a", "title": "Tones", "guide": "\xe5\x90\xac\xe3\x80\x82", "items": [],
        "shown": [{"name": "clip", "kind": "audio", "label": "Clip"}],
        "controls": [
            {"name": "fit", "kind": "scale", "label": "Fit?", "low": 1, "high": 5, "step": 1,
             "bands": [{"low": 1, "high": 5, "meaning": "All"}]},
            {"name": "yes", "kind": "choice", "label": {"en": "Yes?", "zh": "\xe6\x98\xaf\xef\xbc\x9f"},
             "choices": [{"value": "y", "label": "Yes"}, {"value": "n", "label": "No"}]}]}""",
        what="task",
    )
    assert [dict(words) for words in wordings(task)] == [
        {"en": "Tones"},
        {"zh": "听。"},
        {"en": "Clip"},
        {"en": "Fit?"},
        {"en": "All"},
        {"en": "Yes?", "zh": "是？"},
        {"en": "Yes"},
        {"en": "No"},
    ]
    with pytest.raises(RecordError, match=r"title"):
        parse_task(b'{"name": "a", "title": 3, "guide": "", "shown": [], "controls": [], "items": []}', what="task")
