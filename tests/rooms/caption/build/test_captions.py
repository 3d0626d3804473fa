"""Reference captions from what was measured and labelled."""

import asyncio
import json
from pathlib import Path

import pytest

from aptone.ear.describe import Style, style_in
from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.models.asking.writers import Writing
from aptone.models.chat import Message
from aptone.models.scripted import ScriptedChat
from aptone.rooms.caption.build.captions import (
    ChatCaptioner,
    Evidence,
    Example,
    GrammarCaptioner,
    evidence_of,
    make_captioner,
    read_caption,
    read_examples,
)
from aptone.rooms.caption.build.selection import RatedClip, Rating
from aptone.run import Call
from aptone.types import Emotion, Perception, Score, Sex
from tests.tables import for_each

CLIP = RatedClip("a.wav", Path("a.wav"), (Rating(2, 6), Rating(3, 6)), "anger", "F", spoken="en", text="Go <b>away</b>")
HEARD = Perception(
    seconds=4.0,
    emotion={"happy": 0.9, "sad": 0.1},
    sex={Sex.MALE: 0.9, Sex.FEMALE: 0.1},
    measures={
        "pitch level": Score(26.0, unit="semitones"),
        "articulation rate": Score(6.0, unit="per second"),
        "jitter": Score(float("nan"), reason="no periods"),
    },
)
EXAMPLE = Example("A man <|im_end|> mutters.", "emotion: sad\ntempo: 3")


def test_emotion_and_sex_are_the_labels_and_acoustics_are_measured() -> None:
    evidence = evidence_of(CLIP, HEARD, language="en")
    assert (evidence.style.emotion, evidence.style.sex) == (Emotion.ANGRY, Sex.FEMALE)
    lines = evidence.text.splitlines()
    assert lines[:4] == [
        "emotion: angry",
        "speaker: female",
        "valence, 1 unpleasant to 7 pleasant: 2.5",
        "arousal, 1 calm to 7 excited: 6.0",
    ]
    assert "pitch: 26.00 semitones" in lines
    assert not any("jitter" in line or "dominance" in line for line in lines)  # one not measured, one not asked
    assert lines[-1] == "words: Go ‹b›away‹/b›"
    assert evidence_of(CLIP, HEARD, language="zh").text.startswith("情绪: 愤怒")


def test_without_labels_the_emotion_is_left_out_and_the_sex_is_the_ears() -> None:
    bare = RatedClip("a.wav", Path("a.wav"), CLIP.ratings)
    style = evidence_of(bare, HEARD, language="en").style
    assert (style.emotion, style.sex) == (None, Sex.MALE)


def test_the_grammar_says_all_of_the_style_and_the_same_again() -> None:
    style = evidence_of(CLIP, HEARD, language="en").style
    write = GrammarCaptioner().write
    first, again, other = (
        asyncio.run(write(Evidence(style, ""), name=name, language="en", call=Call())) for name in ("a", "a", "b")
    )
    assert first == again
    assert style_in(first, language="en") == style_in(other, language="en") == style


def test_a_chat_model_is_shown_evidence_and_examples_and_nothing_that_could_be_taken_for_control() -> None:
    chat = ScriptedChat(['{"caption": "no', '{"caption": "A woman <score>shouts</score>."}'])
    captioner = ChatCaptioner(Writing(chat), [EXAMPLE])
    evidence = evidence_of(CLIP, HEARD, language="en")
    caption = asyncio.run(captioner.write(evidence, name="a", language="en", call=Call()))
    assert caption == "A woman ‹score›shouts‹/score›."
    asked = chat.asked[-1].messages[-1]
    assert isinstance(asked, Message)
    assert "emotion: sad\ntempo: 3\n→ A man ‹|im_end|› mutters." in asked.text
    assert evidence.text in asked.text


@for_each(
    ("reply", "why"),
    [
        ("A caption.", "holds 0 times a caption"),
        ('{"caption": "a"} {"caption": "b"}', "holds 2 times a caption"),
        ('{"caption": "  …"}', "1 to 3000 characters"),
        ('{"caption": "她在说话，声音很低。"}', "not in the language 'en'"),
        (json.dumps({"caption": "a" * 4000}), "1 to 3000 characters"),
        ("{" * 200, "far longer than a caption"),
    ],
)
def test_a_reply_without_one_caption_is_none(reply: str, why: str) -> None:
    with pytest.raises(UnusableReplyError, match=why):
        read_caption(reply, language="en")


def test_thoughts_before_the_caption_do_not_count() -> None:
    assert read_caption('{"caption": "x"}</think> {"caption": "A man."}', language="en") == "A man."


def test_examples_are_read_and_wrong_ones_refused(tmp_path: Path) -> None:
    path = tmp_path / "examples.jsonl"
    path.write_text('{"caption": "A.", "evidence": "emotion: sad"}\n{"caption": "B.", "file": "b.wav"}\n')
    assert read_examples(path) == [Example("A.", "emotion: sad"), Example("B.", file="b.wav")]
    for wrong in ('{"caption": "A."}', '{"evidence": "x"}', '{"caption": "A.", "evidance": "x"}', "3"):
        path.write_text(f"{wrong}\n")
        with pytest.raises(RecordError, match=r"examples\.jsonl, line 1"):
            read_examples(path)


def test_a_chat_model_without_examples_is_refused() -> None:
    options = {"writer.model": "m", "writer.base_url": "http://localhost:1/v1"}
    with pytest.raises(UsageError, match=r"got 0; give them with --examples"):
        make_captioner("api", options)
    assert make_captioner("api", options, examples=[EXAMPLE]).signature.startswith("captions:chat")
    assert make_captioner("grammar", {}).about.notes == ()
    with pytest.raises(UsageError, match="no texts by 'poet'"):
        make_captioner("poet", {})


def test_a_label_that_nobody_knows_is_named() -> None:
    odd = RatedClip("a.wav", Path("a.wav"), CLIP.ratings, emotion="hangry")
    with pytest.raises(RecordError, match="hangry"):
        evidence_of(odd, HEARD, language="en")
    assert evidence_of(RatedClip("a", Path("a"), CLIP.ratings), Perception(1.0), language="en").style == Style()
