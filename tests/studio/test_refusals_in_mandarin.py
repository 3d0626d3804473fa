"""Mandarin translations of the studio's errors and of the sentences in its reports."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from aptone.errors import AudioError, RecordError
from aptone.messages import Message, message, messages_in, translate
from aptone.ratings.tasks import parse_task
from aptone.studio.agreement.overview import agreement_report
from aptone.studio.folder import without_folder
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.server import schemas
from aptone.studio.store.tasks import _check_task
from aptone.types import Json, Qualification, Rating, RatingTask, to_json
from aptone.web.error_replies import refusal_response
from aptone.web.routing import field_error
from aptone.web.schemas import Body
from tests.studio.compared import rated, rating, task_of

WRONG: tuple[tuple[type[Body], Json], ...] = (
    (schemas.TaskBody, {}),
    (schemas.TaskBody, 7),
    (schemas.TaskBody, {"open": "yes"}),
    (schemas.TaskBody, {"open": True, "closed": True}),
    (schemas.InvitationBody, {"role": "king", "name": "Ada"}),
    (schemas.InvitationBody, {"role": "annotator", "name": ""}),
    (schemas.InvitationBody, {"role": "annotator", "name": 7}),
    (schemas.InvitationBody, {"role": "annotator", "name": "A" * 201}),
    (schemas.InvitationBody, {"role": "annotator", "name": "Ada", "days": 0}),
    (schemas.InvitationBody, {"role": "annotator", "name": "Ada", "days": 4000}),
    (schemas.InvitationBody, {"role": "annotator", "name": "Ada", "days": "7"}),
    (schemas.AdjudicationBody, {"answers": []}),
    (schemas.ChangesBody, {"changes": {}}),
    (schemas.ChangesBody, {"changes": [{}] * 1000}),
    (schemas.ChangesBody, {"changes": [{"id": "?", "control": "fit", "value": 1, "sequence": 1}]}),
    (schemas.ChangesBody, {"changes": [{"id": "12345678", "control": "fit", "value": 1, "sequence": -1}]}),
    (schemas.ChangesBody, {"changes": [{"id": "12345678", "control": "fit", "value": 1, "sequence": 1.5}]}),
)


@pytest.mark.parametrize(
    ("body", "wrong"), WRONG, ids=[f"{body.__name__}-{number}" for number, (body, _) in enumerate(WRONG)]
)
def test_a_wrong_field_of_a_request_is_said_by_its_kind_of_error(body: type[Body], wrong: Json) -> None:
    with pytest.raises(ValidationError) as error:
        body.model_validate(wrong)
    said = field_error(error.value)
    assert isinstance(said, Message)
    first = error.value.errors()[0]
    assert first["msg"].partition(" or instance")[0] in said, "English is what pydantic says"
    assert re.search("[\u4e00-\u9fff]", translate(said, "zh"))
    assert "Input" not in translate(said, "zh")


TASK = to_json(replace(task_of(2), name="t"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"items": 7}, "任务文件：RatingTask.items：应为列表，得到 7。"),
        ({"itmes": []}, "任务文件：RatingTask：未知字段 'itmes'；是否想写 items 或 test？"),
        ({"raters_per_item": "two"}, "任务文件：RatingTask.raters_per_item：应为整数，得到 'two'。"),
        ({"raters_per_item": 0}, "任务文件：RatingTask：任务 't'：每个条目至少一位评分者，得到 0。"),
        ({"attention": ["x"]}, "任务文件：RatingTask：任务 't'：没有 id 为 'x' 的条目。"),
        ({"shown": [{"name": "clip", "kind": "audio", "label": {}}]},
         "任务文件：RatingTask：任务 't'，条目 'i0'：没有要显示的字段 'clip'。"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_task_file_is_said(changed: dict[str, Json], said: str) -> None:
    with pytest.raises(RecordError) as error:
        parse_task(json.dumps({**TASK, **changed}).encode(), what=message("studio.task-file"))
    assert translate(str(error.value), "zh") == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2\n", "任务文件第 2 行：不是有效的 YAML（'a' 出现两次）。"),
        ("a: &x 1\nb: *x\n", "任务文件第 2 行：不是有效的 YAML（不读取别名（*name）；请完整写出）。"),
    ],
)
def test_what_is_wrong_with_yaml_is_said(text: str, said: str) -> None:
    with pytest.raises(RecordError) as error:
        parse_task(text.encode(), what=message("studio.task-file"), is_yaml=True)
    assert translate(str(error.value), "zh") == said


def test_what_the_studio_cannot_use_in_a_task_is_said() -> None:
    task = task_of(1)
    gold = replace(task, name="t", items=(replace(task.items[0], gold={"score": 9}),))
    with pytest.raises(NotAnAnswerError) as error:
        _check_task(gold)
    assert error.value.message == (
        "task 't', item 'i0': its right answer (gold) cannot be 9: score: expected a number from 0 to 5."
    )
    assert translate(error.value.message, "zh") == (
        "任务 't'，条目 'i0'：它的正确答案（gold）不能是 9：score：应为 0 至 5 的数字。"
    )


def test_a_reply_says_both_languages_and_hides_where_the_folder_lies() -> None:
    error = AudioError(message("audio.file-empty", name="/srv/study/clips/a.wav"))
    why = without_folder(error, Path("/srv/study"))
    body = json.loads(bytes(refusal_response(NotAnAnswerError(why, next=message("studio.listen-end"))).body))["error"]
    assert body["message"] == "clips/a.wav: the file is empty (0 bytes); record, export or copy it again."
    assert body["mandarin"] == {
        "message": "clips/a.wav：文件是空的（0 字节）；请重新录制、导出或复制。",
        "next": "请听完整段录音。",
    }


RULES = {"qualification": Qualification(("i0",), tolerance=0.5), "outlier_distance": 1.0, "outlier_share": 0.2}
SAID = ("how", "method", "reason")


def sentences(report: Json, name: str = "") -> set[str]:
    """Every sentence in the JSON of a report, by the fields that hold one."""
    if isinstance(report, str):
        return {report} if report and name in SAID else set()
    if isinstance(report, dict):
        within = {key: "reason" if name == "set_aside" else key for key in report}
        return {text for key, value in report.items() for text in sentences(value, within[key])}
    return {text for value in report for text in sentences(value, name)} if isinstance(report, list | tuple) else set()


@settings(max_examples=60, deadline=None)
@given(drawn=rated(), ruled=st.booleans(), shared=st.booleans())
def test_no_sentence_of_a_report_of_agreement_is_left_in_english(
    drawn: tuple[RatingTask, list[Rating]], ruled: bool, shared: bool
) -> None:
    task, ratings = drawn
    if ruled:
        gold = replace(task.items[0], gold={"score": 5})
        task = replace(task, items=(gold, *task.items[1:]), **RULES)  # type: ignore[arg-type]
    if shared:
        task = replace(task, calibration=(task.items[-1].id,))
    report = agreement_report(task, ratings)
    table = {one.text: translate(one, "zh") for one in messages_in(report)}
    for sentence in sentences(to_json(report)):
        assert not re.search(r"(?!ICC|Fisher|McGraw|Wong|Bonett|Wright|Wilson)\b[A-Za-z]{3,}", table[sentence]), (
            sentence
        )


def test_a_crowd_and_a_judge_on_another_scale_are_told_too() -> None:
    ratings = [
        rating(f"i{n}", f"r{k:02}", {"score": (n + k % 3) % 6}) for n in range(30) for k in range(40) if n != k % 30
    ]
    task = task_of(30)
    items = tuple(replace(item, hidden={"judge": 10.0 * n}) for n, item in enumerate(task.items))
    said = {translate(one, "zh") for one in messages_in(agreement_report(replace(task, items=items), ratings))}
    assert "自动评判的量表不同：10 不在 0 至 5 之间" in said
    assert any(one.startswith("780 对评分者中共有条目最多的 400 对") for one in said)
