"""Messages are texts that know their id and values, through copies, errors and files."""

import copy
import json
import math
import pickle
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from aptone.errors import AudioError, MissingExtraError
from aptone.messages import (
    Message,
    MessageError,
    collect,
    joined,
    labelled,
    message,
    restore,
    sentence,
    translate,
    words,
)
from aptone.messages.catalogue import name_in

SILENT = message("ear.clip-silent")


def test_a_message_is_its_english_text_and_is_translated_by_its_id() -> None:
    assert SILENT == "the clip is silent"
    assert isinstance(SILENT, str)
    counts: dict[str, int] = {SILENT: 1}
    assert counts["the clip is silent"] == 1
    assert translate(SILENT, "zh") == "音频是静音"
    assert type(translate(SILENT, "en")) is str


def test_values_are_formatted_by_the_catalogue_and_messages_among_them_are_translated() -> None:
    why = message("ear.measure-undefined", measure=message("names.pitch level"), why=SILENT)
    assert why == "pitch level: the clip is silent"
    assert translate(why, "zh") == "音高水平：音频是静音"


def test_texts_that_are_no_messages_stay_as_they_are() -> None:
    for text in ("", "the moon was full", "{0} {why} {{7*7}}", "the clip is silent"):
        assert translate(text, "zh") == text


def test_braces_in_a_value_are_not_filled_in() -> None:
    why = labelled("{text}", "{label} {0}")
    assert why == "{text}: {label} {0}"
    assert translate(why, "zh") == "{text}：{label} {0}"


def test_str_of_a_message_and_of_an_error_that_holds_one_is_the_message() -> None:
    assert str(SILENT) is SILENT
    error = AudioError(SILENT)
    assert translate(str(error), "zh") == "音频是静音"
    assert translate(str(pickle.loads(pickle.dumps(error))), "zh") == "音频是静音"
    assert translate(str(MissingExtraError("reading m4a", extra="formats")), "zh").startswith("reading m4a 需要扩展")


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_are_messages_too(remake: object) -> None:
    why = message("ear.measure-undefined", measure=message("names.pitch level"), why=SILENT)
    made = remake(why)  # type: ignore[operator]
    assert made == why
    assert translate(made, "zh") == translate(why, "zh")


def test_paths_and_numbers_of_numpy_become_plain_values() -> None:
    made = message("text.labelled", label=Path("a") / "b.wav", text=np.float32(0.5))
    assert made.values == {"label": str(Path("a") / "b.wav"), "text": 0.5}
    assert type(made.values["text"]) is float


def test_parts_are_joined_in_the_language_of_the_reader() -> None:
    both = joined([SILENT, message("ear.no-speech"), "the moon was full"])
    assert both == "the clip is silent; no speech found; the moon was full"
    assert translate(sentence(both), "zh") == "音频是静音；没有找到语音；the moon was full。"
    assert joined([]) == ""
    assert joined([SILENT]) is SILENT


def test_mistakes_in_the_source_raise() -> None:
    for wrong in ("ear.no-such-message", "nowhere.at-all", "ear"):
        with pytest.raises(MessageError):
            message(wrong)
    with pytest.raises(MessageError, match="needed"):
        message("ear.speech-too-short", count=0.1)
    with pytest.raises(MessageError):
        words("en", "report")("no such key")
    with pytest.raises(MessageError):
        words("zh", "report")("items_count")


def test_a_count_chooses_the_plural_form() -> None:
    word = words("en", "report")
    assert [word("items_count", count=count) for count in (0, 1, 2)] == ["0 items", "1 item", "2 items"]
    assert words("zh", "report")("items_count", count=1) == "1 个条目"


def test_a_name_that_is_not_ours_stays_as_it_is() -> None:
    assert [name_in("zh", name) for name in ("angry bird", "", "{0}")] == ["angry bird", "", "{0}"]


@dataclass(frozen=True, slots=True)
class Kept:
    reason: str
    reasons: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    inner: "Kept | None" = None
    value: float = 1.0


def test_a_record_is_stored_as_text_with_ids_beside_it_and_is_restored() -> None:
    why = message("ear.measure-undefined", measure=message("names.pitch level"), why=SILENT)
    inner = Kept("of the user", reasons=(why, "of the user"))
    record = Kept(SILENT, counts={message("ear.no-speech"): 3}, inner=inner)
    stored = json.loads(json.dumps(collect(record)))
    assert stored["the clip is silent"] == {"id": "ear.clip-silent", "values": {}}
    assert set(stored) == {SILENT, why, "no speech found"}
    plain = Kept(
        "the clip is silent",
        counts={"no speech found": 3},
        inner=Kept("of the user", (str.__str__(why), "of the user")),
    )
    made = restore(plain, stored)
    assert made == record
    assert translate(made.reason, "zh") == "音频是静音"
    assert [translate(text, "zh") for text in made.counts] == ["没有找到语音"]
    assert made.inner is not None
    assert translate(made.inner.reasons[0], "zh") == "音高水平：音频是静音"
    assert type(plain.reason) is str, "what was given is not changed"
    assert restore(plain, {}) is plain


@pytest.mark.parametrize(
    "stored",
    [
        None,
        7,
        [],
        {"the clip is silent": None},
        {"the clip is silent": {"id": 7, "values": {}}},
        {"the clip is silent": {"id": "ear.clip-silent"}},
        {"the clip is silent": {"id": "ear.clip-silent", "values": {"x": [1]}}},
        {"the clip is silent": {"id": "ear.clip-silent", "values": {"x": {"text": "a", "id": "b"}}}},
    ],
)
def test_what_is_not_stored_in_our_form_leaves_the_text(stored: object) -> None:
    assert type(restore(Kept("the clip is silent"), stored).reason) is str


@pytest.mark.parametrize("id", ["ear.of-a-later-version", "nowhere.at-all", "", "ear.speech-too-short"])
def test_a_message_that_is_not_known_here_is_shown_in_english(id: str) -> None:
    made = restore(Kept("the sun was green"), {"the sun was green": {"id": id, "values": {}}})
    assert isinstance(made.reason, Message)
    assert translate(made.reason, "zh") == "the sun was green"


def test_values_nested_too_deeply_are_not_read() -> None:
    stored: dict[str, object] = {"id": "ear.clip-silent", "values": {}}
    for _ in range(50):
        stored = {"id": "text.sentence", "values": {"text": {"text": "x", **stored}}}
    assert type(restore(Kept("x"), {"x": stored}).reason) is str


def test_a_number_that_json_cannot_hold_is_kept_as_text() -> None:
    made = message("ear.speech-too-short", count=math.nan, needed=math.inf)
    stored = json.loads(json.dumps(collect(made), allow_nan=False))
    restored = restore(made.text, stored)
    assert translate(restored, "zh") == "只有 nan 秒语音，至少需要 inf 秒"
