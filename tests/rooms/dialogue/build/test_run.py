"""Synthetic dialogues: their words, what the ear says of them, and what is kept."""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aptone.ear.claims.feeling import Check, Hearing, Verdict
from aptone.errors import TransientError, UnusableReplyError, UsageError
from aptone.models.asking.writers import Writing
from aptone.models.chat import Message
from aptone.models.scripted import ScriptedChat
from aptone.models.speakers.delivery import DELIVERIES, Delivery, Strength
from aptone.models.speakers.voices import Voices
from aptone.rooms.dialogue.build import resynthesis
from aptone.rooms.dialogue.build import run as building
from aptone.rooms.dialogue.build.run import ABOUT, REJECTS, BuildSettings, DialogueBuild, collect, hardly_heard
from aptone.rooms.dialogue.build.text import (
    ARCS,
    CONTRARY,
    MOST_TURNS,
    Answers,
    ChatWriter,
    PlannedDialogue,
    TemplateWriter,
    bank_size,
    filled_script,
    make_writer,
    read_turns,
)
from aptone.rooms.dialogue.data import read_dialogues
from aptone.rooms.dialogue.records import Role
from aptone.run import Call, Ended, RetryPolicy, RunConfig, run_items
from aptone.types import Audio, Emotion, Language, State, Vad
from tests.tables import for_each

PLAIN = Vad(0.0, 0.0, 0.0)
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def planned(arc: str = "anger-to-calm", number: int = 1, turns: int = 3, language: Language = "en") -> PlannedDialogue:
    return PlannedDialogue(arc, number, turns, language)


# --- words ---


@for_each("language", LANGUAGES)
@for_each("arc", ARCS)
def test_the_bank_fills_every_arc_with_words_that_differ(arc: str, language: Language) -> None:
    count = bank_size(arc, language)
    assert count >= 30
    texts = [filled_script(planned(arc, number + 1, language=language), seed=3) for number in range(count)]
    assert len(set(texts)) == count
    for text in texts:
        assert len(text) == 2 * MOST_TURNS
        assert not re.search(r"[{}]", " ".join(text))
        written = json.dumps({"turns": [{"role": ("user", "agent")[k % 2], "text": one} for k, one in enumerate(text)]})
        assert read_turns(written, count=6, language=language) == text
    with pytest.raises(UsageError, match=f"the bank has {count} different"):
        filled_script(planned(arc, count + 1, language=language), seed=3)


def test_a_shorter_dialogue_is_the_beginning_of_the_longer_one() -> None:
    assert filled_script(planned(turns=1), seed=0) == filled_script(planned(turns=3), seed=0)[:2]
    assert planned(turns=2).feelings(Answers.FITTING) == (Emotion.ANGRY, Emotion.CALM) * 2


def test_every_fitting_answer_has_a_contrary_one() -> None:
    for arc in ARCS:
        fitting, contrary = (planned(arc).feelings(one) for one in (Answers.FITTING, Answers.CONTRARY))
        assert fitting[0::2] == contrary[0::2]
        assert all(CONTRARY[one] is other is not one for one, other in zip(fitting[1::2], contrary[1::2], strict=True))


def reply(*texts: str) -> str:
    turns = [{"role": ("user", "agent")[place % 2], "text": text} for place, text in enumerate(texts)]
    return json.dumps({"turns": turns})


def test_a_chat_model_is_asked_again_until_its_dialogue_can_be_used() -> None:
    chat = ScriptedChat(["No.", reply("Get out!"), "<think>{}</think> Here: " + reply("Out!", "(softly) I am here.")])
    words = asyncio.run(ChatWriter(Writing(chat)).write(planned(turns=1), Call()))
    assert words == ("Out!", "I am here.")
    (message,) = chat.asked[0].messages
    assert isinstance(message, Message)
    assert "1. user, angry\n2. agent, calm" in message.text
    assert chat.asked[0].json_schema is not None
    assert [asked.seed for asked in chat.asked] == [0, 1, 2]


def test_prompts_of_two_dialogues_differ_so_that_the_cache_keeps_both() -> None:
    chat = ScriptedChat([reply("走！", "我在。")] * 2)
    writer = ChatWriter(Writing(chat))
    for number in (1, 11):
        asyncio.run(writer.write(planned(number=number, turns=1, language="zh"), Call()))
    first, second = (str(asked.messages) for asked in chat.asked)
    assert first != second
    assert "愤怒" in first


@for_each(
    ("text", "problem"),
    [
        ("I cannot help with that.", "holds 0 times a dialogue"),
        (reply("Hello.", "Hello.") * 2, "holds 2 times a dialogue"),
        (reply("Hello."), "has 1 turns, expected 2"),
        ('{"turns": [{"role": "agent", "text": "Hi"}, {"role": "user", "text": "Hi"}]}', "the words of the user"),
        ('{"turns": ["Hi", "Hi"]}', "the words of the user"),
        (reply("Hello.", "(sighs)"), "turn 2: there are no words"),
        (reply("Hello.", "word " * 100), "more than the 400"),
        (reply("你好。", "Hello."), "not in the language 'en'"),
        ("{" * 200, "far longer"),
    ],
)
def test_replies_that_are_no_dialogue_are_refused(text: str, problem: str) -> None:
    with pytest.raises(UnusableReplyError, match=re.escape(problem)):
        read_turns(text, count=2, language="en")


def test_tags_in_a_reply_become_words() -> None:
    assert read_turns(reply("Hi <|im_end|>", "Yes"), count=2, language="en")[0] == "Hi ‹|im_end|›"


def test_writers_are_made_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(make_writer("templates", {"speaker.voice": "x"}), TemplateWriter)
    made = make_writer("api", {"writer.model": "m", "writer.base_url": "http://localhost:1/v1"})
    assert "model:m" in made.signature
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match=r"--set writer\.model"):
        make_writer("api", {})
    with pytest.raises(UsageError, match="no option 'colour'"):
        make_writer("templates", {"writer.colour": 1})
    with pytest.raises(UsageError, match="no texts by 'pen'"):
        make_writer("pen", {})
    with pytest.raises(UsageError, match="cannot write like that"):
        make_writer("api", {"writer.model": "m", "writer.base_url": "http://h/v1", "writer.max_tokens": 0})


# --- the whole ---


class ToneVoices(Voices):
    """Voices whose pitch and rate are what an ear of this test hears; nothing is synthesised."""

    __slots__ = ()
    broken = False

    def __post_init__(self) -> None: ...

    @property
    def signature(self) -> str:
        return "tones"

    async def speak(
        self,
        text: str,
        *,
        who: str,
        language: Language,
        delivery: Delivery,
        instruction: str = "",
        semitones: float = 0.0,
    ) -> Audio:
        if ToneVoices.broken:
            raise TransientError("the engine is away")
        wave = 0.1 * np.sin(2 * np.pi * 200 * delivery.pitch * np.arange(1600) / 16_000)
        return Audio(wave.astype(np.float32), rate=16_000, source=f"{delivery.pitch} {delivery.rate}")


@pytest.fixture(autouse=True)
def tones() -> None:
    ToneVoices.broken = False


def hears(audio: Audio, *, ear: str) -> Hearing:
    """High is aroused, fast is unpleasant; what is said slowly is not heard at all in the ear called deaf."""
    pitch, rate = (float(word) for word in audio.source.split())
    if ear == "permissive" and rate < 1.0:
        return Hearing(None, "no speech found")
    return Hearing(Vad(1.0 - rate if pitch != 1.25 else 0.3, pitch - 1.0 + 0.2 * (rate - 1), 0.0))


def ran(
    folder: Path,
    settings: BuildSettings,
    monkeypatch: pytest.MonkeyPatch,
    *,
    ear: str = "full",
    writer: object | None = None,
) -> tuple[Ended, DialogueBuild]:
    monkeypatch.setattr(building, "hear_feeling", hears)
    step = DialogueBuild(settings, writer or TemplateWriter(), ToneVoices("flite"), ear, folder)  # type: ignore[arg-type]
    config = RunConfig(verb="build dialogues", engine="tones", settings=step.described())
    retry = RetryPolicy(attempts=1)
    return run_items(settings.items(), step, folder=folder, config=config, retry=retry), step


def lines(path: Path) -> Sequence[Mapping[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_dialogues_are_spoken_checked_and_written_for_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = BuildSettings(
        arcs=("anger-to-calm", "joy-to-joy"),
        turns=2,
        number=2,
        strengths=(Strength.SUBTLE, Strength.NORMAL),
        answers=(Answers.FITTING, Answers.CONTRARY),
    )
    ended, step = ran(tmp_path / "talks", settings, monkeypatch)
    made = collect(ended.run, step)
    dialogues = read_dialogues(made.manifest)
    # joy is heard with a pitch of exactly 1.25 only, that is at normal strength; at the subtle one its valence falls,
    # but by no more than the ear must be sure of: those turns are unverified
    assert made.dialogues == len(dialogues) == 2 * 2 * 2 * 2
    first = next(one for one in dialogues if one.id == "en-anger-to-calm-2-001-normal-fitting")
    assert [turn.emotion for turn in first.turns] == ["angry", "calm", "angry", "calm"]
    assert first.ids["planned"] == "angry, calm, angry, calm"
    assert first.ids["system"] == "fitting"
    assert all(turn.audio is not None and Path(turn.audio.path).is_file() for turn in first.turns)
    contrary = next(one for one in dialogues if one.id == "en-anger-to-calm-2-001-normal-contrary")
    assert [turn.text for turn in contrary.turns] == [turn.text for turn in first.turns]
    assert contrary.turns[0].audio == first.turns[0].audio
    assert contrary.turns[1].audio != first.turns[1].audio
    assert len(read_dialogues(tmp_path / "talks" / "manifest-subtle.jsonl")) == 8
    about = json.loads((tmp_path / "talks" / ABOUT).read_text(encoding="utf-8"))
    assert about["yields"]["check"]["dialogues out"] == 16
    assert about["yields"]["speech"]["turns"] == 2 * 2 * 2 * (2 + 2 + 2)


def test_a_feeling_that_is_heard_the_other_way_round_is_said_again_and_then_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resynthesis, "DELIVERIES", {**DELIVERIES, Emotion.SAD: Delivery(rate=1.0, pitch=1.5)})
    high = resynthesis.Box((1.0, 1.01), (1.4, 1.6), (1.0, 1.01), (0.0, 0.1))
    monkeypatch.setattr(resynthesis, "BOXES", {**resynthesis.BOXES, Emotion.SAD: high})
    settings = BuildSettings(arcs=("sadness-to-comfort", "neutral"), turns=1, number=1, tries=4)
    ended, step = ran(tmp_path / "talks", settings, monkeypatch)
    made = collect(ended.run, step)
    (reject,) = lines(tmp_path / "talks" / REJECTS)
    assert reject["step"] == "check"
    assert "turn 1, user: sad is contradicted: arousal goes up" in reject["reason"]
    assert made.yields["check"]["contradicted"] == 1
    assert made.yields["speech"] == {"turns": 4, "tries": 4 + 1 + 1 + 1}  # calm at the first try; neutral needs none
    assert [entry.outcome.state for entry in ended.run.entries] == [State.UNSCORED, State.DONE]
    again, _ = ran(tmp_path / "talks", settings, monkeypatch)
    assert again.worked == 0


def test_a_feeling_that_is_not_heard_at_first_is_searched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dull = {**DELIVERIES, Emotion.ANGRY: Delivery()}  # said as plainly as the plain reading: nothing moves
    monkeypatch.setattr(resynthesis, "DELIVERIES", dull)
    settings = BuildSettings(arcs=("anger-to-calm",), turns=1, number=1)
    once, step = ran(tmp_path / "once", replace(settings, tries=1), monkeypatch)
    assert collect(once.run, step).yields["feelings heard"]["angry"] == 0
    searched, step = ran(tmp_path / "searched", settings, monkeypatch)
    made = collect(searched.run, step)
    assert (made.yields["feelings"], made.yields["feelings heard"]) == ({"angry": 1, "calm": 1},) * 2
    assert made.yields["speech"]["tries"] > 2
    turns = searched.run.entries[0].outcome.evidence["turns"]
    assert isinstance(turns, Sequence)
    assert turns[0]["delivery"]["rate"] > 1.1  # type: ignore[index,call-overload,operator]


def test_feelings_that_a_voice_cannot_express_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = BuildSettings(arcs=("anger-to-calm",), turns=1, number=1)
    ended, step = ran(tmp_path / "deaf", settings, monkeypatch, ear="permissive")
    assert hardly_heard(collect(ended.run, step)) == {"calm": (0, 1)}


def test_a_feeling_is_heard_only_where_it_is_also_likelier_than_in_the_plain_reading() -> None:
    plain = Hearing(PLAIN, emotions={"angry": 0.06, "neutral": 0.9, "fear": 0.04})
    moved = Vad(-0.3, 0.5, 0.1)
    afraid = Hearing(moved, emotions={"angry": 0.03, "neutral": 0.07, "fear": 0.9})
    angry = Hearing(moved, emotions={"angry": 0.5, "neutral": 0.1, "fear": 0.4})
    found = resynthesis.checked(Emotion.ANGRY, afraid, plain)
    assert found.verdict is Verdict.UNVERIFIED
    assert found.reason == "the ear finds angry no likelier than in the plain reading (3 % against 6 %)"
    assert resynthesis.checked(Emotion.ANGRY, angry, plain).verdict is Verdict.HEARD
    assert resynthesis.is_named(Emotion.ANGRY, angry)
    assert resynthesis.checked(Emotion.ANGRY, Hearing(moved), plain).verdict is Verdict.HEARD  # nothing to ask for
    calm = Hearing(Vad(0.0, -0.2, 0.0), emotions={"neutral": 0.5, "calm": 0.45, "angry": 0.05})
    assert resynthesis.heard_share(Emotion.CALM, calm) == pytest.approx(0.95)


def test_the_search_stays_in_its_box_and_grows_with_the_strength() -> None:
    for emotion, box in resynthesis.BOXES.items():
        best = None
        for attempt in range(2, 14):
            said = resynthesis.voicing(emotion, Strength.NORMAL, attempt=attempt, name="line", best=best)
            best = resynthesis.Attempt(said, Check(Verdict.UNVERIFIED), 0.0, named=False)
            assert box.rate[0] - 1e-9 <= said.delivery.rate <= box.rate[1] + 1e-9
            assert box.pitch[0] - 1e-9 <= said.delivery.pitch <= box.pitch[1] + 1e-9
            assert box.brightness[0] <= said.brightness <= box.brightness[1]
    strong, subtle = (
        resynthesis.voicing(Emotion.ANGRY, strength, attempt=2, name="line").delivery.rate
        for strength in (Strength.EXAGGERATED, Strength.SUBTLE)
    )
    assert strong > subtle > 1


def test_brightness_tilts_the_spectrum_and_keeps_the_level() -> None:
    time = np.arange(16_000) / 16_000
    low, high = 0.2 * np.sin(2 * np.pi * 500 * time), 0.2 * np.sin(2 * np.pi * 2000 * time)
    made = resynthesis.brightened(Audio((low + high).astype(np.float32), rate=16_000), 6.0)
    spectrum = np.abs(np.fft.rfft(made.samples))
    # two octaves lie between them, so the upper one gains 12 dB on the lower one
    assert 20 * np.log10(spectrum[2000] / spectrum[500]) == pytest.approx(12.0, abs=0.1)
    assert np.mean(made.samples**2) == pytest.approx(np.mean((low + high) ** 2), rel=1e-3)
    loud = resynthesis.brightened(Audio((4 * (low + high)).astype(np.float32), rate=16_000), 6.0)
    assert np.abs(loud.samples).max() <= 0.99 + 1e-6


def test_what_the_ear_cannot_hear_is_kept_as_unverified_unless_strict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = BuildSettings(arcs=("anger-to-calm",), turns=1, number=1)
    ended, step = ran(tmp_path / "loose", settings, monkeypatch, ear="permissive")
    made = collect(ended.run, step)
    (one,) = read_dialogues(made.manifest)
    assert one.ids["unverified"] == "1"  # calm speech is slow, so this ear does not hear it
    strict, step = ran(
        tmp_path / "strict",
        BuildSettings(arcs=("anger-to-calm",), turns=1, number=1, strict=True),
        monkeypatch,
        ear="permissive",
    )
    assert collect(strict.run, step).dialogues == 0
    assert "calm is unverified: no speech found" in lines(tmp_path / "strict" / REJECTS)[0]["reason"]


def test_texts_that_cannot_be_used_and_engines_that_are_away_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = BuildSettings(arcs=("neutral",), turns=1, number=1)
    ended, step = ran(tmp_path / "text", settings, monkeypatch, writer=ChatWriter(Writing(ScriptedChat(["no"] * 3))))
    made = collect(ended.run, step)
    assert lines(tmp_path / "text" / REJECTS)[0]["step"] == "text"
    assert made.yields["text"] == {"dialogues in": 1, "dialogues out": 0}
    ToneVoices.broken = True
    ended, step = ran(tmp_path / "speech", settings, monkeypatch)
    assert collect(ended.run, step).yields["unfinished"] == {"dialogues": 1}
    assert lines(tmp_path / "speech" / REJECTS)[0]["reason"].startswith("the engine is away")
    ToneVoices.broken = False
    ended, step = ran(tmp_path / "speech", settings, monkeypatch)  # what failed is done again
    assert collect(ended.run, step).dialogues == 1


def test_settings_that_build_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="or more"):
        BuildSettings(number=0)
    with pytest.raises(UsageError, match="no arc 'love'"):
        BuildSettings(arcs=("love",)).items()
    with pytest.raises(UsageError, match="1 to 3 turns"):
        BuildSettings(turns=4).items()


def test_voices_are_checked_before_they_speak() -> None:
    with pytest.raises(UsageError, match="no option 'colour'"):
        Voices("flite", {"speaker.colour": "x"})
    assert Voices("flite").dials(Role.AGENT, language="en") == ("rate", "pitch", "range", "loudness")
    api = {"speaker.model": "m", "speaker.voice": "v", "speaker.base_url": "http://localhost:1/v1"}
    assert Voices("api", api).dials(Role.USER, language="en")[-1] == "instruction"
    with pytest.raises(UsageError, match="a list of texts"):
        Voices("flite", {"speaker.options": 7})
