import pytest

from aptone.errors import UsageError
from aptone.rooms.answer.judge.built_in import BuiltInAnswerJudge
from aptone.rooms.answer.judge.chat import ChatAnswerJudge
from aptone.rooms.answer.parts import make_judge
from aptone.types import Json
from tests.tables import for_each


def test_the_built_in_judge_is_the_one_that_needs_nothing() -> None:
    judge = make_judge()
    assert isinstance(judge, BuiltInAnswerJudge)
    assert not judge.about.missing
    assert judge.about.sends_audio_to == ()
    assert "listeners" in judge.about.notes[0]


def test_a_served_model_is_made_from_its_options() -> None:
    settings: dict[str, Json] = {
        "judge.model": "some-model",
        "judge.base_url": "http://127.0.0.1:9/v1",
        "judge.max_tokens": 77,
    }
    judge = make_judge("api", settings=settings)
    assert isinstance(judge, ChatAnswerJudge)
    assert "some-model" in judge.signature
    assert "max_tokens:77" in judge.signature


@for_each(
    ("engine", "settings", "said"),
    [
        ("clever", {}, "built-in, api, local"),
        ("built-in", {"judge.model": "x"}, "has none"),
        ("api", {"judge.colour": "red"}, "no option 'colour'"),
        ("api", {"judge.temperature": 1}, "no option 'temperature'"),
        ("api", {"reader.model": "x"}, "belongs to no part"),
        ("api", {"judge.model": "x", "judge.base_url": "http://127.0.0.1:9", "judge.prompts": 3}, "a folder"),
    ],
)
def test_what_cannot_be_made_is_refused_with_what_there_is(engine: str, settings: dict[str, Json], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make_judge(engine, settings=settings)
