"""The corpus pipeline, step by step and whole."""

import asyncio
import json
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import aptone.rooms.style.build.corpus as building
import aptone.rooms.style.build.corpus as rating
from aptone.audio import SpeechPiece, read, write
from aptone.ear.describe import Pitch, Rate, Style, Texture, Volume, describe, style_in
from aptone.errors import MissingExtraError, UnusableReplyError, UsageError
from aptone.messages import LANGUAGES
from aptone.models.asking.writers import Writing
from aptone.models.parts import Transcript
from aptone.models.scripted import ScriptedChat, ScriptedTranscriber
from aptone.rooms.style.build.captions import (
    Captioned,
    ChatCaptioner,
    ChatRewriter,
    EarCaptioner,
    GrammarRewriter,
    make_captioner,
    make_rewriter,
    read_caption,
    read_levels,
)
from aptone.rooms.style.build.collect import Corpus, balanced, collect
from aptone.rooms.style.build.corpus import (
    CorpusSettings,
    DescribeStep,
    Quality,
    SegmentStep,
    find_recordings,
    recording_items,
    recording_quality,
    segment_items,
)
from aptone.rooms.style.build.speakers import count_speakers, group_distance, tagged_speakers
from aptone.rooms.style.data import piece_times
from aptone.run import Call, RunConfig, run_items
from aptone.run.sources.shards import read_shards
from aptone.types import Audio, Emotion, Intonation, RecordingCondition, Rhythm, Sex
from tests.rooms.style.voices import RATE, tone, write_tone
from tests.tables import for_each

CLIPS = Path(__file__).resolve().parents[4] / "examples" / "lighthouse" / "clips"
SPOKEN = CLIPS / "wall-apt.opus"


# captions


def test_the_ear_captions_and_the_grammar_says_it_at_three_levels() -> None:
    audio = read(SPOKEN, rate=RATE, channel="mix")
    described = asyncio.run(EarCaptioner("permissive", spoken="en").caption(audio, language="en", call=Call()))
    assert described.style is not None
    levels = asyncio.run(GrammarRewriter().rewrite(described, language="en", call=Call()))
    assert [one.level for one in levels] == ["full", "short", "basic"]
    lengths = [len(one.text) for one in levels]
    assert lengths == sorted(lengths, reverse=True)
    again = asyncio.run(EarCaptioner("permissive", spoken="en").caption(audio, language="en", call=Call()))
    assert again == described


def test_shorter_levels_keep_what_strikes_most_whatever_the_seed() -> None:
    # found before: the feeling was in 52 of 67 full captions, 28 short and 15 basic ones
    style = Style(
        emotion=Emotion.ANGRY,
        sex=Sex.FEMALE,
        pitch=Pitch.MEDIUM,
        rate=Rate.MODERATE,
        volume=Volume.MEDIUM,
        texture=Texture.CLEAR,
        rhythm=Rhythm.TENSE,
        intonation=Intonation.FALLING,
        recording_condition=RecordingCondition.NORMAL,
    )
    for language in LANGUAGES:
        for seed in range(30):
            described = Captioned(describe(style, language=language, length="caption", seed=seed), style)
            levels = asyncio.run(GrammarRewriter().rewrite(described, language=language, call=Call(seed=seed)))
            assert len(levels) == 3
            for level in levels:
                assert style_in(level.text, language=language).emotion is Emotion.ANGRY, level.text


def test_silence_has_no_caption() -> None:
    silent = Audio(np.zeros(RATE, dtype=np.float32), RATE)
    with pytest.raises(UnusableReplyError, match="nothing that it could say for sure"):
        asyncio.run(EarCaptioner("permissive", spoken="en").caption(silent, language="en", call=Call()))


def test_the_grammar_shortens_what_it_understands_of_a_foreign_caption() -> None:
    words = Captioned("Her furious voice rattles through a very slow litany of complaints.")
    levels = asyncio.run(GrammarRewriter().rewrite(words, language="en", call=Call()))
    assert levels[0].text == words.text
    assert [one.level for one in levels] == ["full", "short", "basic"]
    alone = asyncio.run(GrammarRewriter().rewrite(Captioned("Like rain on slate."), language="en", call=Call()))
    assert [one.level for one in alone] == ["full"]


def test_a_model_that_hears_is_sent_the_clip_and_its_words_are_guarded() -> None:
    chat = ScriptedChat(["<think>hm</think>A slow voice.\n<score>5</score>"])
    described = asyncio.run(ChatCaptioner(Writing(chat)).caption(tone(200.0), language="en", call=Call()))
    assert described.text == "A slow voice. ‹score›5‹/score›"
    assert any(isinstance(part, Audio) for part in chat.asked[0].messages[0].parts)  # type: ignore[union-attr]


@for_each("reply", ["...", "慢慢的声音", "word " * 400])
def test_what_is_no_caption_is_refused(reply: str) -> None:
    with pytest.raises(UnusableReplyError):
        read_caption(reply, language="en")


def test_a_model_rewrites_into_three_levels_and_is_asked_again_if_they_grow() -> None:
    growing = json.dumps({"full": "Slow.", "short": "A slow voice.", "basic": "A very slow voice."})
    right = json.dumps({"full": "A very slow, low voice.", "short": "A slow, low voice.", "basic": "slow voice"})
    chat = ScriptedChat([growing, "no", right])
    rewriter = ChatRewriter(Writing(chat))
    levels = asyncio.run(rewriter.rewrite(Captioned("It drags, <|im_end|> low."), language="en", call=Call()))
    assert [(one.level, one.text) for one in levels][2] == ("basic", "slow voice")
    assert "It drags, ‹|im_end|› low." in str(chat.asked[0].messages[0])


@for_each(
    "reply", ["{}", '{"full": "a voice", "short": "a voice", "basic": 3}', '{"full": "", "short": "", "basic": ""}']
)
def test_levels_that_are_missing_or_empty_are_none(reply: str) -> None:
    with pytest.raises(UnusableReplyError):
        read_levels(reply, language="en")


def test_parts_are_made_by_name_and_strange_options_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert isinstance(make_captioner("ear", {}, ear="permissive", spoken="en"), EarCaptioner)
    assert isinstance(make_rewriter("grammar", {}), GrammarRewriter)
    with pytest.raises(UsageError, match="no option 'model'"):
        make_captioner("ear", {"captioner.model": "x"}, ear="permissive", spoken="en")
    with pytest.raises(UsageError, match="captioner"):
        make_captioner("api", {}, ear="permissive", spoken="en")
    served = {"captioner.model": "m", "captioner.base_url": "http://127.0.0.1:9/v1"}
    assert isinstance(make_captioner("api", served, ear="permissive", spoken="en"), ChatCaptioner)
    for strange in ({"captioner.temperature": -1}, {"captioner.max_tokens": 0}, {"captioner.temperature": "warm"}):
        with pytest.raises(UsageError, match="cannot write like that"):
            make_captioner("api", {**served, **strange}, ear="permissive", spoken="en")


# speakers


def test_one_voice_is_one_speaker_and_two_voices_are_two() -> None:
    low, high = (
        read(CLIPS / name, rate=RATE, channel="mix").samples for name in ("keeper-flat.opus", "sleep-apt.opus")
    )
    one, both = np.concatenate([low] * 4), np.concatenate([low, high] * 2)
    alone, together = (count_speakers(Audio(samples, RATE)) for samples in (one, both))
    assert alone.several is False
    assert together.distance > alone.distance


def test_too_little_speech_tells_nothing() -> None:
    found = count_speakers(tone(200.0))
    assert found.several is None
    assert "too little speech" in found.reason


@given(some.integers(4, 12), some.integers(0, 99))
def test_the_distance_of_groups_lies_between_0_and_2(windows: int, seed: int) -> None:
    distance = group_distance(np.random.default_rng(seed).normal(size=(windows, 5)))
    assert 0.0 <= distance <= 2.0 + 1e-9


def test_equal_windows_are_one_group() -> None:
    assert group_distance(np.ones((6, 3))) == pytest.approx(0.0, abs=1e-12)


def test_tags_of_speakers_are_counted() -> None:
    assert tagged_speakers("[S1] Hi. [s2] Hi. [SPEAKER_3] Hi.") == 3
    assert tagged_speakers("No tags (S1) here.") == 0


# quality


def test_without_the_network_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rating._session.cache_clear()
    monkeypatch.setattr(rating, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"\[speech\]"):
        recording_quality(tone(200.0))


class Network:
    """Counts the windows that it is given, and says the same of each."""

    def __init__(self) -> None:
        self.windows: list[int] = []

    def run(self, outputs: None, given: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]) -> list[object]:
        self.windows.append(given["input_1"].shape[1])
        assert float(np.abs(given["input_1"]).max()) <= 1.0
        return [np.array([[3.0, 3.0, 3.0]])]


def test_raw_outputs_go_through_the_published_polynomials(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network()
    monkeypatch.setattr(rating, "_session", lambda: network)
    loud = Audio(tone(200.0, seconds=11.5).samples * np.float32(9.0), RATE)
    found = recording_quality(loud)
    assert found.overall == pytest.approx(-0.06766283 * 9 + 1.11546468 * 3 + 0.04602535)
    assert found.signal == pytest.approx(-0.08397278 * 9 + 1.22083953 * 3 + 0.0052439)
    assert found.background == pytest.approx(-0.13166888 * 9 + 1.60915514 * 3 - 0.39604546)
    assert set(network.windows) == {144_160}  # 9.01 s
    assert len(network.windows) <= 2  # at 0 s and 1 s: 11 - 9.01 is 1.99


@pytest.mark.skipif(find_spec("speechmos") is None, reason="speechmos is not installed")
def test_noise_costs_quality() -> None:
    rating._session.cache_clear()
    clean = read(SPOKEN, rate=RATE, channel="mix")
    noise = np.random.default_rng(0).normal(scale=0.1, size=clean.samples.size).astype(np.float32)
    assert recording_quality(clean).overall > recording_quality(Audio(clean.samples + noise, RATE)).overall


# segments and the whole


def test_times_of_a_piece_lie_within_it() -> None:
    piece = SpeechPiece(tone(100.0, seconds=1.0), 0.1234, ())
    times = piece_times(piece)
    assert (times.start, times.end) == (0.124, 1.123)


def test_recordings_are_found_once_and_hidden_ones_left_out(tmp_path: Path) -> None:
    write_tone(tmp_path / "a.wav", 100.0)
    write_tone(tmp_path / "deep" / "b.wav", 100.0)
    write_tone(tmp_path / ".c.wav", 100.0)
    found = find_recordings([tmp_path, tmp_path / "a.wav"])
    assert [path.name for path in found] == ["a.wav", "b.wav"]
    with pytest.raises(UsageError, match="no such file or folder"):
        find_recordings([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no recording was found"):
        find_recordings([tmp_path / "empty"])


@given(
    some.lists(some.sampled_from(["one", "several", "unknown"]), max_size=60),
    some.floats(0.5, 1.0),
    some.integers(0, 9),
)
def test_a_balance_keeps_the_smaller_kind_and_thins_the_larger(kinds: list[str], share: float, seed: int) -> None:
    kept = [kinds[place] for place in balanced(kinds, largest_share=share, seed=seed)]
    few, many = sorted(("one", "several"), key=kinds.count)
    assert kept.count(few) == kinds.count(few)
    assert kept.count("unknown") == kinds.count("unknown")
    if kinds.count(few):
        assert kept.count(many) <= share * (kept.count("one") + kept.count("several")) + 1e-6
    else:
        assert kept.count(many) == kinds.count(many)


def test_an_odd_share_and_odd_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match=r"from 0\.5 to 1"):
        balanced([], largest_share=0.2, seed=0)
    with pytest.raises(UsageError, match="segments last from"):
        CorpusSettings(shortest=5.0, longest=2.0)
    with pytest.raises(UsageError, match="segments last from"):
        CorpusSettings(longest=60.0)
    with pytest.raises(UsageError, match="captions need a language"):
        CorpusSettings(languages=())
    with pytest.raises(UsageError, match="name one with --transcriber"):
        DescribeStep(CorpusSettings(counting="tags"), EarCaptioner("permissive", spoken="en"), GrammarRewriter())


def step_of(**changed: object) -> DescribeStep:
    settings = CorpusSettings(**{"counting": "none", **changed})  # type: ignore[arg-type]
    return DescribeStep(settings, EarCaptioner("permissive", spoken="en"), GrammarRewriter())


def build(folder: Path, sources: Path, step: DescribeStep, **options: object) -> Corpus:
    config = RunConfig("build style-corpus", "ear", step.described())
    recordings = list(recording_items(find_recordings([sources])))
    first = run_items(recordings, SegmentStep(step.settings), folder=folder / "segments", config=config)
    second = run_items(segment_items(first.run), step, folder=folder / "described", config=config)
    return collect(first.run, second.run, step, folder=folder, **options)  # type: ignore[arg-type]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """Two clips of speech in one recording with a long pause between them, a tone, and something unreadable."""
    folder = tmp_path / "talk"
    folder.mkdir()
    spoken = read(SPOKEN, rate=RATE, channel="mix").samples
    pause = np.zeros(2 * RATE, dtype=np.float32)
    write(folder / "a.wav", Audio(np.concatenate([spoken, pause, spoken]), RATE))
    write_tone(folder / "b.wav", 1000.0, seconds=2.0)
    (folder / "c.wav").write_bytes(b"RIFF")
    return folder


@pytest.mark.slow
def test_recordings_become_shards_with_captions_in_both_languages(talk: Path, tmp_path: Path) -> None:
    step = step_of(languages=("en", "zh"), longest=4.0)
    made = build(tmp_path / "corpus", talk, step, format="ogg")
    assert made.yields["segments"]["recordings"] == 3
    assert made.yields["segments"]["without speech"] == 1
    samples = list(read_shards(made.shards))
    assert len(samples) == made.clips == made.yields["segments"]["segments"] > 0
    for sample in samples:
        assert {(one.language, one.level) for one in sample.captions} >= {("en", "full"), ("zh", "full")}
        assert sample.ending == "ogg"
        assert sample.about["source"] == "a.wav"
        assert sample.seconds <= 4.0
    rejects = [json.loads(line) for line in (tmp_path / "corpus" / "rejects.jsonl").read_text("utf-8").splitlines()]
    assert {one["step"] for one in rejects} == {"segments", "failed"}
    assert (
        json.loads((tmp_path / "corpus" / "build.json").read_text("utf-8"))["yields"]["balance"]["kept"] == made.clips
    )
    again = build(tmp_path / "corpus", talk, step, format="ogg")
    assert again == made


def test_poor_recordings_are_dropped_with_their_quality(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "recording_quality", lambda audio: Quality(2.0, 2.0, 2.0))
    made = build(tmp_path / "corpus", talk, step_of(longest=4.0, least_quality=2.5))
    assert made.clips == 0
    assert made.yields["quality"]["dropped"] == made.yields["segments"]["segments"]
    kept = build(tmp_path / "other", talk, step_of(longest=4.0, least_quality=1.5))
    assert all(sample.about["quality"] == 2.0 for sample in read_shards(kept.shards))


def test_speakers_are_counted_by_tags_where_a_transcriber_sets_them(talk: Path, tmp_path: Path) -> None:
    heard: dict[str, Transcript] = {}
    settings = CorpusSettings(counting="tags", longest=4.0)
    transcriber = ScriptedTranscriber(heard)
    step = DescribeStep(settings, EarCaptioner("permissive", spoken="en"), GrammarRewriter(), transcriber)
    audio = read(SPOKEN, rate=RATE, channel="mix")
    found: list[str] = []
    for text in ("[S1] Hi. [S2] Hi.", "[S1] Hi.", "Hi."):
        heard[audio.hash] = Transcript(text)
        found.append(asyncio.run(step._speakers(audio))[0])
    assert found == ["several", "one", "unknown"]


def test_the_extra_of_the_quality_is_asked_for_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str, *arguments: object) -> ModuleSpec | None:
        return None

    monkeypatch.setattr("aptone.models.parts.find_spec", without)
    with pytest.raises(MissingExtraError, match="speech"):
        step_of(least_quality=2.5).about.require("the corpus")
    assert "speechmos" not in sys.modules
