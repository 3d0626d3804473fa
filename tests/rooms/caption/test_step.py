import asyncio
from pathlib import Path

import pytest

from aptone.ear.claims.verification import Verdict
from aptone.errors import AptoneError, UnusableReplyError, UsageError
from aptone.models.scripted import ScriptedChat
from aptone.rooms.caption.data import CaptionSample, Unit
from aptone.rooms.caption.decompose.built_in import BuiltInDecomposer
from aptone.rooms.caption.decompose.chat import ChatDecomposer
from aptone.rooms.caption.match import BuiltInMatcher
from aptone.rooms.caption.parts import make_step
from aptone.rooms.caption.score import NO_UNITS
from aptone.rooms.caption.step import CaptionStep, doubts, main_score, score_sample
from aptone.rooms.caption.verify import VerifiedUnit
from aptone.run import Call
from aptone.types import AudioRef, State, to_json
from tests.rooms.caption.caption_parts import TONE, ListedVerifier
from tests.tables import for_each


def step(*true: str, false: tuple[str, ...] = ()) -> CaptionStep:
    return CaptionStep(BuiltInDecomposer(), ListedVerifier(true, false), BuiltInMatcher())


def test_a_caption_flows_from_units_to_scores() -> None:
    sample = CaptionSample("a", TONE, "Her voice is deep and loud.", "A deep, slow voice.")
    outcome = score_sample(sample, step("deep", "Her", false=("loud",)))
    # Units: sex (true), pitch (true, matched), volume (false). s_p = 2/3. Reference: pitch, rate; extra: sex.
    # s_r = (1 + 1) / (2 + 1) = 2/3, s_f = 2/3. Descriptive: s_p = 1/2, s_r = 1/2, s'_f = 1/2. F = 7/12.
    assert outcome.main_score == "F"
    assert outcome.scores["s_p"].value == pytest.approx(2 / 3)
    assert outcome.scores["F"].value == pytest.approx(7 / 12)
    assert "2 of 3 claims hold. The recording speaks against “loud”" in outcome.rationale
    assert "leaves out “slow”" in outcome.rationale
    units = to_json(outcome)["evidence"]["units"]  # type: ignore[index,call-overload]
    assert [one["verdict"] for one in units] == ["true", "true", "false"]  # type: ignore[union-attr,index,call-overload]


def test_without_a_reference_captions_are_ranked_by_precision() -> None:
    sample = CaptionSample("a", TONE, "Her voice is deep.")
    assert score_sample(sample, step("deep")).main_score == "s_p"
    assert main_score([sample]) == "s_p"
    assert main_score([CaptionSample("b", TONE, "Deep.", "Low.")]) == "F"


def test_undecided_units_are_not_verified() -> None:
    outcome = score_sample(CaptionSample("a", TONE, "Her voice is deep."), step("deep"))
    assert outcome.scores["s_p"].value == 0.5
    assert outcome.evidence["counts"] == {"true": 1, "false": 0, "undecided": 1}


@for_each(("text", "why"), [("", "the caption is empty"), (" \n", "the caption is empty"), ("Hm.", NO_UNITS)])
def test_a_caption_that_claims_nothing_is_unscored_and_says_why(text: str, why: str) -> None:
    outcome = score_sample(CaptionSample("a", TONE, text, "A deep voice."), step())
    assert (outcome.state, outcome.reason) == (State.UNSCORED, why)


def test_units_that_a_model_makes_up_are_counted() -> None:
    reply = '{"units": [{"fact": "x", "attribute": "pitch", "value": "low", "evidence": "made up"}]}'
    made_up = CaptionStep(ChatDecomposer(ScriptedChat([reply])), ListedVerifier([]), BuiltInMatcher())
    outcome = score_sample(CaptionSample("a", TONE, "A deep voice."), made_up)
    assert outcome.state is State.UNSCORED
    assert outcome.evidence["dropped_units"] == 1


def test_a_decomposition_that_cannot_be_read_leaves_the_caption_unscored() -> None:
    unread = CaptionStep(ChatDecomposer(ScriptedChat(["?"] * 3)), ListedVerifier([]), BuiltInMatcher())
    with pytest.raises(UnusableReplyError):
        asyncio.run(unread.on_sample(CaptionSample("a", TONE, "A deep voice."), Call()))
    again = CaptionStep(ChatDecomposer(ScriptedChat(["?"] * 30)), ListedVerifier([]), BuiltInMatcher())
    assert score_sample(CaptionSample("a", TONE, "A deep voice."), again).state is State.UNSCORED


def test_a_recording_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AptoneError, match=r"nothing\.wav"):
        score_sample(CaptionSample("a", AudioRef(str(tmp_path / "nothing.wav")), "Deep."), step())


def test_the_rationale_is_told_in_mandarin() -> None:
    sample = CaptionSample("a", TONE, "她的声音低沉，不愤怒。", "语速较慢。", language="zh")
    said = score_sample(sample, step("声音低沉", false=("愤怒",))).rationale
    assert said == "3 条说法中有 1 条属实。否定的“愤怒”与录音不符。无法判断“她”。描述遗漏了“语速较慢”。"


@for_each(
    ("options", "complaint"),
    [
        ({"engine": "cloud"}, "built-in, api, local"),
        ({"settings": {"reader.model": "x"}}, "no options"),
        ({"settings": {"judge.model": "x"}}, "belongs to no part"),
        ({"settings": {"verifier.model": "x"}}, "it has ear"),
        ({"settings": {"verifier.ear": "third"}}, "third"),
        ({"show_reference": True}, "--show-reference"),
        ({"engine": "api"}, "reader"),
        ({"verifier": "api"}, "verifier"),
    ],
)
def test_options_that_no_part_has_are_refused(
    options: dict[str, object], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "APTONE_READER_MODEL", "APTONE_VERIFIER_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match=complaint):
        make_step(**options)  # type: ignore[arg-type]


def test_parts_of_different_engines_work_together(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = make_step(verifier="api", settings={"verifier.model": "ears", "verifier.base_url": "http://127.0.0.1:9/v1"})
    assert isinstance(mixed.decomposer, BuiltInDecomposer)
    assert "ears" in mixed.verifier.signature
    assert mixed.about.sends_audio_to == ()  # 127.0.0.1 is this machine


def test_a_caption_of_which_too_little_was_read_is_unscored_and_says_which_words() -> None:
    caption = "A sad frob quonks zorbish gleebs while mumps whiffle the tulgey wabe."
    outcome = score_sample(CaptionSample("a", TONE, caption), step("sad"))
    assert outcome.state is State.UNSCORED
    assert "not read: frob, quonks, zorbish, gleebs, mumps" in outcome.reason
    read = outcome.evidence["coverage"]
    assert isinstance(read, dict)
    assert read["unread"][0] == {"words": "frob", "start": 6, "end": 10}


def test_coverage_stands_in_the_evidence_of_every_outcome() -> None:
    outcome = score_sample(CaptionSample("a", TONE, "A sad frob."), step("sad"))
    read = outcome.evidence["coverage"]
    assert isinstance(read, dict)
    assert (read["share"], read["read"]) == (0.5, 1)


def test_a_full_score_is_held_back_for_a_word_that_may_be_a_claim() -> None:
    outcome = score_sample(CaptionSample("a", TONE, "Her voice is deep and zorbish."), step("deep", "Her"))
    assert outcome.scores["s_p"].value == pytest.approx(2 / 3)  # two of two, and one claim that nobody checked
    assert "A full score is held back: these words may be claims that nobody checked: zorbish." in outcome.rationale
    assert score_sample(CaptionSample("a", TONE, "Her voice is deep."), step("deep", "Her")).scores["s_p"].value == 1.0
    missed = score_sample(CaptionSample("a", TONE, "Her deep, zorbish voice."), step("deep", false=("Her",)))
    assert missed.scores["s_p"].value == 0.5  # not full anyhow: the paper's formula
    assert "held back" not in missed.rationale


def test_a_full_score_is_held_back_for_a_claim_that_the_ear_only_lets_pass() -> None:
    pitch = Unit("The pitch is low.", "pitch", "low", "deep", 0, 4)
    passed = VerifiedUnit(Verdict.TRUE, is_sure=False)
    assert "“deep”" in doubts([pitch], [passed], ())
    assert doubts([pitch], [VerifiedUnit(Verdict.TRUE)], ()) == ""
    assert doubts([pitch, pitch], [passed, VerifiedUnit(Verdict.FALSE)], ()) == ""
