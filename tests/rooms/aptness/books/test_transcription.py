import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import cut, read, speech_pieces, write
from aptone.errors import RunError, UsageError
from aptone.models import TimedText, Transcript
from aptone.models.scripted import ScriptedTranscriber
from aptone.rooms.aptness.books.transcription import (
    EDGE,
    TranscribingStep,
    choose_transcriber,
    cut_into_pieces,
    phrases_of,
    piece_items,
    transcribed_words,
)
from aptone.run import Call, Run, RunConfig
from aptone.types import Audio, Entry, Segment

CLIP = Path(__file__).resolve().parents[4] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A sentence, after two seconds of silence."""
    sentence = read(CLIP, rate=16_000, channel="mix").samples
    write(tmp_path / "a.wav", Audio(np.concatenate([np.zeros(32_000, dtype=np.float32), sentence]), rate=16_000))
    return tmp_path / "a.wav"


def test_the_words_of_a_recording_have_times_in_it(recording: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pieces"
    pieces = cut_into_pieces([recording], folder)
    (piece,) = pieces.pieces
    assert 1.9 < piece.start < 2.5
    heard = read(folder / piece.file, rate=16_000)
    script = ScriptedTranscriber({heard.hash: Transcript("Stay!", pieces=(TimedText("Stay!", Segment(0.25, 0.5)),))})
    (item,) = piece_items(pieces, folder, language="en")
    outcome = asyncio.run(TranscribingStep(script)(item, Call()))
    assert outcome.scores["words"].value == 1.0
    run = Run(tmp_path, RunConfig("transcribe", ""), (Entry(item, outcome),))
    ((word,),) = transcribed_words(run, pieces, language="en")
    assert (word.token, word.recording) == ("stay", 0)
    assert (word.time.start, word.time.end) == pytest.approx((piece.start + 0.25, piece.start + 0.5))


def test_what_was_cut_before_is_not_cut_again_and_other_recordings_are_refused(recording: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pieces"
    pieces = cut_into_pieces([recording], folder)
    (folder / pieces.pieces[0].file).unlink()
    assert cut_into_pieces([recording], folder) == pieces
    assert not (folder / pieces.pieces[0].file).exists()
    write(tmp_path / "b.wav", Audio(np.full(16_000, 0.5, dtype=np.float32), rate=16_000))
    with pytest.raises(RunError, match="was made for other recordings"):
        cut_into_pieces([tmp_path / "b.wav"], folder)
    (folder / "pieces.json").write_text("{}")
    with pytest.raises(RunError, match="damaged"):
        cut_into_pieces([recording], folder)


def test_a_piece_that_was_not_transcribed_stops_the_book(recording: Path, tmp_path: Path) -> None:
    pieces = cut_into_pieces([recording], tmp_path / "pieces")
    with pytest.raises(RunError, match=r"is not transcribed \(it was not reached\). Type the same command"):
        transcribed_words(Run(tmp_path, RunConfig("transcribe", ""), ()), pieces, language="en")


def test_mandarin_without_a_server_names_what_to_do() -> None:
    known = r"--transcriber local.*--transcriber api.*known are api, local, moonshine.*BOOK.srt"
    with pytest.raises(UsageError, match=rf"^for one clip, .*--line.*{known}"):
        choose_transcriber(None, language="zh", settings={})


def test_the_offline_transcriber_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.models.parts._is_installed", lambda module: False)
    named = r'pip install .*\[speech\]".*--transcriber local, --transcriber api.*BOOK.srt'
    with pytest.raises(UsageError, match=rf"^for one clip, .*--line.*{named}"):
        choose_transcriber(None, language="en", settings={})


def test_options_of_a_transcriber_reach_it() -> None:
    settings = {"transcriber.model": "whisper", "transcriber.base_url": "http://localhost:1/v1"}
    assert "whisper" in choose_transcriber("api", language="zh", settings=settings).signature
    with pytest.raises(UsageError, match="has no option 'speed'"):
        choose_transcriber("api", language="zh", settings={"transcriber.speed": 2})


def test_every_phrase_can_be_transcribed_by_itself_and_has_the_time_in_which_it_is_said(tmp_path: Path) -> None:
    sentence = read(CLIP, rate=16_000, channel="mix").samples
    pause = np.zeros(16_000, dtype=np.float32)
    write(tmp_path / "a.wav", Audio(np.concatenate([pause, sentence, pause, sentence, pause]), rate=16_000))
    pieces = cut_into_pieces([tmp_path / "a.wav"], tmp_path / "pieces")
    (piece,) = pieces.pieces
    phrases = phrases_of(piece)
    assert len(phrases) > 1
    whole = read(tmp_path / "pieces" / piece.file, rate=16_000)
    script = {
        cut(whole, Segment(max(0.0, one.start - EDGE), min(whole.seconds, one.end + EDGE))).hash: Transcript(
            "sta" + "y" * number if number else ""  # the first says nothing
        )
        for number, one in enumerate(phrases)
    }
    (item,) = piece_items(pieces, tmp_path / "pieces", language="en", by_phrase=True)
    outcome = asyncio.run(TranscribingStep(ScriptedTranscriber(script))(item, Call()))
    run = Run(tmp_path, RunConfig("transcribe", ""), (Entry(item, outcome),))
    (words,) = transcribed_words(run, pieces, language="en")
    assert len(words) == len(phrases) - 1
    assert [word.time.start for word in words] == pytest.approx([piece.start + one.start for one in phrases[1:]])


def test_a_search_for_speech_that_was_stopped_goes_on_with_the_next_recording(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "b.wav"
    other.write_bytes(recording.read_bytes())
    folder = tmp_path / "pieces"
    whole = cut_into_pieces([recording, other], tmp_path / "at once")
    searched: list[str] = []

    def search(path: Path, **options: Any) -> Iterator[Any]:
        searched.append(path.name)
        if searched == ["a.wav", "b.wav"]:
            raise KeyboardInterrupt
        return speech_pieces(path, **options)

    monkeypatch.setattr("aptone.rooms.aptness.books.transcription.speech_pieces", search)
    with pytest.raises(KeyboardInterrupt):
        cut_into_pieces([recording, other], folder)
    assert cut_into_pieces([recording, other], folder) == whole
    assert searched == ["a.wav", "b.wav", "b.wav"]
