"""The JSON form: strict in both directions, and every complaint names the field."""

import base64
import enum
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from aptone.errors import RecordError
from aptone.types import (
    Audio,
    AudioRef,
    Entry,
    Estimate,
    Item,
    Json,
    Line,
    Outcome,
    Perception,
    Rhythm,
    Sample,
    Score,
    State,
    Trajectory,
    Vad,
    dumps,
    from_json,
    loads,
    schema_name,
    to_json,
)
from aptone.types.codec import MAX_DEPTH


def nested(depth: int) -> Json:
    value: Json = 1
    for _ in range(depth):
        value = [value]
    return value


SAMPLE = {"id": "a", "audio": {"path": "a.wav"}, "target": {"text": "Go."}}
ENTRY = {
    "item": {"id": "a", "payload": {}, "content_hash": ""},
    "outcome": {"state": "done", "scores": {"aptness": {"value": 3}}},
}


def test_the_tag_of_a_record_holds_its_name_and_the_version() -> None:
    assert schema_name(Score) == "aptone.Score/1"


def test_only_records_have_a_json_object() -> None:
    with pytest.raises(RecordError, match="expected a record, got dict"):
        to_json({"value": 1})
    with pytest.raises(RecordError, match="expected a record, got type"):
        to_json(Score)


def test_nan_is_null_in_the_text_and_nan_again_when_read() -> None:
    text = dumps(to_json(Score(math.nan, reason="no voiced frames")))
    assert '"value":null' in text
    assert math.isnan(from_json(Score, loads(text)).value)


def test_nan_anywhere_in_a_value_is_written_as_null() -> None:
    assert (
        dumps({"a": [math.nan, float(np.float32("nan"))], "b": {"c": -math.nan}}) == '{"a":[null,null],"b":{"c":null}}'
    )


@pytest.mark.parametrize("number", [math.inf, -math.inf, np.float32("inf"), np.float64("-inf")])
def test_an_infinite_number_is_refused_with_its_path(number: float) -> None:
    with pytest.raises(RecordError, match=re.escape("value.a[1]: an infinite number has no JSON form.")):
        dumps({"a": [0, number]})
    with pytest.raises(RecordError, match=re.escape("Perception.emotion.joy: an infinite number has no JSON form.")):
        to_json(Perception(1.0, emotion={"joy": number}))


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("shape", ["{}", "[1, {}]", '{{"a": {{"b": {}}}}}'])
def test_the_literals_that_only_python_reads_are_refused(literal: str, shape: str) -> None:
    with pytest.raises(RecordError, match=rf"^run\.jsonl, line 3: {literal} is not JSON; write null"):
        loads(shape.format(literal), what="run.jsonl, line 3")


@pytest.mark.parametrize("shape", ["{}", "[1, {}]", '{{"b": {{"c": {}}}}}'])
def test_a_key_that_comes_twice_is_refused_by_name(shape: str) -> None:
    text = shape.format('{"a": 1, "d": 2, "a": 1}')
    with pytest.raises(RecordError, match=r"^a\.jsonl, line 3: the key 'a' comes twice in one object; "):
        loads(text, what="a.jsonl, line 3")
    assert loads('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", "{'a': 1}", "nul", "1 2", '"\n"', "\ufeff{}", b"\xff\xfe\xfa", b'"\xff"']
)
def test_what_is_not_json_is_refused_and_the_file_is_named(text: str | bytes) -> None:
    with pytest.raises(RecordError, match=r"^a\.json: not valid JSON \("):
        loads(text, what="a.json")


@pytest.mark.parametrize("literal", ["1e999", "-1e999", "1" + "0" * 400])
def test_a_number_beyond_all_floats_is_refused_with_its_path(literal: str) -> None:
    with pytest.raises(RecordError, match=r"^Score\.value: expected a finite number, got "):
        from_json(Score, loads(f'{{"value": {literal}}}'))
    columns = f'"valence": [0, 0], "arousal": [0, {literal}], "dominance": [0, 0]'
    with pytest.raises(RecordError, match=r"^Trajectory\.arousal\[1\]: expected a finite number, got "):
        from_json(Trajectory, loads(f'{{"step": 1, {columns}}}'))


def test_a_number_beyond_all_floats_is_refused_in_free_json_too() -> None:
    with pytest.raises(RecordError, match=re.escape("Item.payload.x[1]: an infinite number has no JSON form.")):
        from_json(Item, loads('{"id": "a", "content_hash": "", "payload": {"x": [0, 1e999]}}'))


def test_a_whole_number_has_64_bits_at_most() -> None:
    limit = 2**63 - 1
    assert from_json(Entry, ENTRY | {"attempts": limit}).attempts == limit
    assert from_json(Entry, ENTRY | {"attempts": -limit}).attempts == -limit
    for number in (limit + 1, -limit - 1, 10**400, 10**5000):
        with pytest.raises(RecordError, match=r"^Entry\.attempts: expected a whole number of 64 bits, got "):
            from_json(Entry, ENTRY | {"attempts": number})


def test_a_whole_number_of_more_digits_than_python_reads_is_refused() -> None:
    with pytest.raises(RecordError, match=r"^JSON: not valid JSON"):
        loads("1" + "0" * 5000)
    with pytest.raises(RecordError, match=r"^value\.a: a whole number of 16610 bits is too long"):  # 5000 * log2(10)
        dumps({"a": 10**5000})
    assert loads(dumps(10**300)) == 10**300


@pytest.mark.parametrize("kind", [Line, Vad, AudioRef, Outcome, Sample])
def test_a_huge_whole_number_in_place_of_a_record_does_not_break_the_message(kind: type[object]) -> None:
    with pytest.raises(RecordError, match="got a whole number of 16610 bits"):
        from_json(kind, 10**5000)


def test_deep_nesting_is_refused_on_every_way_in_and_out() -> None:
    assert loads(dumps(nested(MAX_DEPTH))) == nested(MAX_DEPTH)
    with pytest.raises(RecordError, match=r"^value\[0\]\[0\].*: nested deeper than 100 levels\.$"):
        dumps(nested(MAX_DEPTH + 1))
    with pytest.raises(RecordError, match=r"^Item\.payload\.x\[0\]\[0\].*: nested deeper than 100 levels\.$"):
        to_json(Item("a", {"x": nested(5_000)}, ""))
    with pytest.raises(RecordError, match=r"^Item\.payload\.x\[0\]\[0\].*: nested deeper than 100 levels\.$"):
        from_json(Item, {"id": "a", "content_hash": "", "payload": {"x": nested(5_000)}})
    with pytest.raises(RecordError, match=r"^JSON: not valid JSON"):
        loads("[" * 200_000 + "]" * 200_000)
    with pytest.raises(RecordError, match=r"^Line\.text: expected str, got \[\["):
        from_json(Line, {"text": nested(5_000)})


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[Json] = []
    loop.append(loop)
    with pytest.raises(RecordError, match="nested deeper"):
        dumps(loop)


@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        (Line, [], "Line: expected an object, got []."),
        (Line, None, "Line: expected an object, got None."),
        (Line, "text", "Line: expected an object, got 'text'."),
        (Line, {"text": 1}, "Line.text: expected str, got 1."),
        (Line, {"text": None}, "Line.text: expected str, got None."),
        (Score, {"value": "3"}, "Score.value: expected a number, got '3'."),
        (Score, {"value": True}, "Score.value: expected a number, got True."),
        (Score, {"value": 3, "range": [0]}, "Score.range: expected 2 entries, got 1."),
        (Score, {"value": 3, "range": "05"}, "Score.range: expected a list, got '05'."),
        (Score, {"value": 3, "range": [0, "5"]}, "Score.range[1]: expected a number, got '5'."),
        (Score, {"value": 3, "needed": 1}, "Score.needed: expected bool, got 1."),
        (Score, {"value": 3, "higher_is_better": "yes"}, "Score.higher_is_better: expected bool, got 'yes'."),
        (Estimate, {"value": 1, "count": 2.0}, "Estimate.count: expected int, got 2.0."),
        (Estimate, {"value": 1, "count": True}, "Estimate.count: expected int, got True."),
        (Outcome, {"state": "fine"}, "Outcome.state: expected one of done, unscored, failed, got 'fine'."),
        (Outcome, {"state": ["done"]}, "Outcome.state: expected one of done, unscored, failed, got ['done']."),
        (Sample, SAMPLE | {"language": "de"}, "Sample.language: expected one of 'en', 'zh', got 'de'."),
        (Sample, SAMPLE | {"language": ["en"]}, "Sample.language: expected one of 'en', 'zh', got ['en']."),
        (Sample, SAMPLE | {"audio": "a.wav"}, "Sample.audio: expected an object, got 'a.wav'."),
        (Sample, SAMPLE | {"context": [{"text": "x"}, {"txt": "y"}]}, "Sample.context[1].text: missing."),
        (Sample, SAMPLE | {"ratings": []}, "Sample.ratings: expected an object, got []."),
        (Sample, SAMPLE | {"ratings": {"ann": "5"}}, "Sample.ratings.ann: expected a number, got '5'."),
        (Perception, {"seconds": 1, "rhythm": {"fast": 1}}, "Perception.rhythm key: expected one of brisk, heavy,"),
        (Entry, ENTRY | {"item": {"id": "a"}}, "Entry.item.payload: missing."),
        (Entry, ENTRY | {"outcome": {"state": "done"}}, "Entry.outcome: an outcome holds scores if and only if"),
        (Audio, {"rate": 8000, "samples": [0.0]}, "Audio.samples: expected base64 text, got [0.0]."),
        (Audio, {"rate": 8000, "samples": "AAA"}, "Audio.samples: not the base64 of 32-bit samples (Incorrect padding"),
        (Audio, {"rate": 8000, "samples": "AAAA"}, "Audio.samples: not the base64 of 32-bit samples (buffer size"),
        (Audio, {"rate": 8000, "samples": "声"}, "Audio.samples: not the base64 of 32-bit samples (string argument"),
        (Audio, {"rate": 8000, "samples": ""}, "Audio: array: expected one channel with samples, got shape (0,)."),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(kind: type[object], data: object, message: str) -> None:
    with pytest.raises(RecordError, match="^" + re.escape(message)):
        from_json(kind, data)


def test_what_a_record_refuses_is_a_record_error_when_it_comes_from_json() -> None:
    with pytest.raises(RecordError, match=r"^Sample\.audio: a\.wav: a clip cannot start at -1\.0 s\.$") as caught:
        from_json(Sample, SAMPLE | {"audio": {"schema": "aptone.AudioRef/1", "path": "a.wav", "start": -1}})
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_message_stays_short_however_large_the_value_is() -> None:
    huge = "x" * 1_000_000
    for kind, data in (
        (Outcome, {"state": huge}),
        (Sample, SAMPLE | {"language": huge}),
        (Line, {"text": [huge] * 99}),
    ):
        with pytest.raises(RecordError) as caught:
            from_json(kind, data)
        assert len(str(caught.value)) < 400


def test_the_clip_of_a_sample_is_told_apart_by_its_tag_or_by_its_fields() -> None:
    in_memory = to_json(Audio(np.array([0.5], np.float32), 8000))
    without_tag = {key: value for key, value in in_memory.items() if key != "schema"}
    assert isinstance(from_json(Sample, SAMPLE).audio, AudioRef)
    assert isinstance(from_json(Sample, SAMPLE | {"audio": in_memory}).audio, Audio)
    assert isinstance(from_json(Sample, SAMPLE | {"audio": without_tag}).audio, Audio)
    with pytest.raises(
        RecordError, match=r'"schema": aptone\.Audio/1 or aptone\.AudioRef/1, got \'aptone\.AudioRef/2\''
    ):
        from_json(Sample, SAMPLE | {"audio": {"schema": "aptone.AudioRef/2", "path": "a.wav"}})
    with pytest.raises(RecordError, match=r"^Sample\.audio\.samples: missing\. Or Sample\.audio\.path: missing\.$"):
        from_json(Sample, SAMPLE | {"audio": {"rate": 8000}})


HOSTILE = {
    "lone high surrogate": "\ud800",
    "lone low surrogate": "a\udfffb",
    "surrogates the wrong way round": "\udc00\ud800",
    "control characters": "".join(map(chr, [*range(32), *range(127, 160)])),
    "line separators": "a\u2028b\u2029c\x85d",
    "quotes and slashes": '"\\/</script><!--',
    "markup": "<score>5.0</score>",
    "direction overrides": "\u202eabc\u202c",
    "one megabyte": "长" * 350_000,
    "null": "\0",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_survives_as_value_and_as_key(text: str) -> None:
    item = Item.make(text, {text: text})
    written = dumps(to_json(item))
    assert from_json(Item, loads(written.encode())) == item
    assert "\n" not in written
    assert from_json(Line, loads(dumps(to_json(Line(text))))) == Line(text)


def test_two_surrogates_that_form_a_pair_are_read_as_the_one_character_they_spell() -> None:
    assert loads(dumps("\ud83d\ude00")) == "😀"  # JSON has one spelling for both


def test_mandarin_is_written_as_it_is() -> None:
    assert dumps({"台词": "你走吧。"}) == '{"台词":"你走吧。"}'
    assert "张三说：你走吧。" in dumps(to_json(Line("张三说：你走吧。", role="张三")), indent=2)


def test_equal_values_give_equal_text_whatever_the_order_of_keys() -> None:
    assert (
        dumps({"b": 1, "a": {"d": 2, "c": 3}}) == dumps({"a": {"c": 3, "d": 2}, "b": 1}) == '{"a":{"c":3,"d":2},"b":1}'
    )


def test_equal_records_give_equal_text_when_one_was_made_with_whole_numbers() -> None:
    pairs: list[tuple[object, object]] = [
        (Score(3, range=(0, 5)), Score(3.0, range=(0.0, 5.0))),
        (AudioRef("a.wav", 0, 2), AudioRef("a.wav", 0.0, 2.0)),
        (Perception(1, emotion={"joy": 1}), Perception(1.0, emotion={"joy": 1.0})),
    ]
    counted: Any = np.int64(3)
    pairs.append((Score(counted), Score(3.0)))
    for whole, floating in pairs:
        assert whole == floating
        assert dumps(to_json(whole)) == dumps(to_json(floating))
    with pytest.raises(RecordError, match=r"^Perception\.emotion\.joy: expected a finite number"):
        to_json(Perception(1.0, emotion={"joy": 10**400}))


def test_whole_number_fields_stay_whole() -> None:
    assert '"count":7' in dumps(to_json(Estimate(0.5, count=7)))


def test_an_indented_text_says_the_same() -> None:
    value: Json = {"a": [1, 2.5, None], "b": "是"}
    assert dumps(value, indent=2) == '{\n  "a": [\n    1,\n    2.5,\n    null\n  ],\n  "b": "是"\n}'
    assert loads(dumps(value, indent=2)) == value


def test_bytes_are_read_like_text() -> None:
    assert loads('{"台": 1}'.encode()) == {"台": 1}


def test_numpy_scalars_and_enum_members_are_written_as_what_they_mean() -> None:
    values: Any = [np.int64(3), np.float32(0.5), np.bool_(True), np.float64("nan"), Rhythm.BRISK, (1, "a")]
    assert dumps(values) == '[3,0.5,true,null,"brisk",[1,"a"]]'
    assert dumps({Rhythm.BRISK: 1}) == '{"brisk":1}'


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: b"bytes", "value.x: bytes has no JSON form."),
        (lambda: {1, 2}, "value.x: set has no JSON form."),
        (lambda: 1j, "value.x: complex has no JSON form."),
        (lambda: Score, "value.x: type has no JSON form."),
        (lambda: np.zeros((2, 2)), "value.x: ndarray has no JSON form."),  # not silently as 32-bit floats
        (lambda: {1: "a"}, "value.x: the keys of a JSON object are text."),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_path(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(RecordError, match=re.escape(message)):
        dumps({"x": make()})


def test_free_json_is_passed_through_as_the_parser_gave_it() -> None:
    payload = {"a": [1, 2.5, None, True, {"schema": "aptone.Score/9", "b": ""}]}
    again = from_json(Item, loads(json.dumps({"id": "i", "payload": payload, "content_hash": "h"})))
    assert again.payload == payload


def test_samples_are_written_as_little_endian_32_bit_floats() -> None:
    encoded = to_json(Audio(np.array([1.0, -0.5], np.float32), 8000))["samples"]
    # IEEE 754: 1.0 is 3f800000, -0.5 is bf000000, least significant byte first.
    assert encoded == base64.b64encode(bytes.fromhex("0000803f000000bf")).decode()


class Level(enum.IntEnum):
    LOW = 1


@dataclass(frozen=True)
class Custom:
    """A record of a plugin: the form is not tied to the records of this package."""

    level: Level
    nothing: None = None
    state: State | Line = State.DONE


def test_a_record_of_a_plugin_has_the_same_form() -> None:
    record = Custom(Level.LOW, state=Line("a"))
    assert to_json(record)["level"] == 1
    assert from_json(Custom, loads(dumps(to_json(record)))) == record
    assert from_json(Custom, {"level": 1, "state": "failed"}) == Custom(Level.LOW, state=State.FAILED)
    with pytest.raises(
        RecordError, match=r"^Custom\.state: expected one of done.*Or Custom\.state: expected an object"
    ):
        from_json(Custom, {"level": 1, "state": "gone"})
    with pytest.raises(RecordError, match=r"^Custom\.nothing: expected NoneType, got 1\.$"):
        from_json(Custom, {"level": 1, "nothing": 1})
