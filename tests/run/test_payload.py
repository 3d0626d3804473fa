from aptone.run.payload import find_clips, line_of, lines_of, texts_of
from aptone.types import AudioRef, Json, Line, to_json


def test_clips_are_found_wherever_they_lie_and_labelled_by_their_field() -> None:
    ref = to_json(AudioRef("x.wav", start=1.0, end=2.0))
    payload: dict[str, Json] = {"question_audio": ref, "turns": [{"text": "hi", "user": ref}, {"answer": ref}], "n": 3}
    clips = find_clips(payload)
    assert [clip.label for clip in clips] == ["question audio", "turns 1 user", "turns 2 answer"]
    assert clips[0].ref == AudioRef("x.wav", start=1.0, end=2.0)


def test_a_damaged_reference_is_shown_with_its_problem() -> None:
    (clip,) = find_clips({"audio": {"schema": "aptone.AudioRef/1", "path": ""}})
    assert clip.ref is None
    assert "empty" in clip.problem


def test_lines_are_read_one_or_many_and_anything_else_is_left_out() -> None:
    payload: dict[str, Json] = {
        "target": to_json(Line("Hello", "Tom")),
        "context": [to_json(Line("Rain.")), 3, {"text": 4}],
    }
    assert lines_of(payload, "target") == (Line("Hello", "Tom"),)
    assert lines_of(payload, "context") == (Line("Rain."),)
    assert lines_of(payload, "following") == ()
    assert lines_of({"target": {"text": "x", "role": None}}, "target") == (Line("x"),)


def test_an_item_without_a_line_is_named_by_its_first_text() -> None:
    assert line_of({"target": to_json(Line("Hello")), "caption": "no"}) == "Hello"
    assert line_of({"caption": "A calm voice.", "answer": "b", "question": ""}) == "A calm voice."
    assert line_of({"n": 3}) == ""
    assert texts_of({"schema": "x", "id": "i", "caption": "A calm voice.", "n": 3}) == {"caption": "A calm voice."}
    assert texts_of({"target": to_json(Line("Hello")), "caption": "no"}) == {}
