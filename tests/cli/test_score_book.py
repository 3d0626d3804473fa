import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aptone as package
from aptone.audio import read
from aptone.types import AudioRef, from_json
from tests.rooms.aptness.books.formats.book_files import PARTS, write_zip
from tests.rooms.aptness.spoken_books import KnowingTranscriber, stitch

pytestmark = pytest.mark.slow

BOOK = """Chapter 1

“Stay where you are. We will not come tonight,” said Tom.

Chapter 2

“Sleep now. The wind is going home,” said Ann.
Nobody ever read this line aloud in any room.
“Is anybody there?” asked Tom.
"""
SPOKEN = {
    "one.wav": [("keeper-apt", "Stay where you are. We will not come tonight")],
    "two.wav": [("sleep-apt", "Sleep now. The wind is going home"), ("anybody-apt", "Is anybody there")],
}


@pytest.fixture
def transcriber(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnowingTranscriber:
    """Two recordings and a book in an empty folder."""
    knowing = KnowingTranscriber()
    for name, lines in SPOKEN.items():
        stitch(tmp_path / name, lines, knowing)
    (tmp_path / "book.txt").write_text(BOOK, encoding="utf-8")
    monkeypatch.setattr("aptone.cli.score_book.choose_transcriber", lambda name, *, language, settings: knowing)
    return knowing


def test_a_book_is_found_in_its_recordings_and_judged_line_by_line(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    shown = aptone("score", "two.wav", "one.wav", "--story", "book.txt", "-o", "run")  # in the wrong order
    assert shown.code == 0
    lines = {
        entry.item.payload["target"]["text"]: entry  # type: ignore[index,call-overload]
        for entry in package.load_run("run").entries
    }
    assert {text: entry.outcome.state.value for text, entry in lines.items()} == {
        "Stay where you are. We will not come tonight,": "done",
        "Sleep now. The wind is going home,": "done",
        "Nobody ever read this line aloud in any room.": "unscored",
        "Is anybody there?": "done",
    }
    unread = lines["Nobody ever read this line aloud in any room."]
    assert unread.outcome.reason == "not found in the recording: nobody seems to read it"
    assert "audio" not in unread.item.payload
    sleep = lines["Sleep now. The wind is going home,"].item.payload
    found = sleep["alignment"]
    assert isinstance(found, dict)
    assert (found["recording"], found["confidence"]) == ("two.wav", 1.0)
    assert found["start"] == pytest.approx(1.0, abs=0.3)
    assert sleep["ids"] == {"book": "book.txt", "chapter": "Chapter 2", "role": "Ann"}


def test_narration_is_marked_as_such_and_can_be_left_as_context(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber
) -> None:
    narration = "Nobody ever read this line aloud in any room."

    def payloads(run: str) -> list[Any]:
        return [entry.item.payload for entry in package.load_run(run).entries]

    aptone("score", ".", "--story", "book.txt", "-o", "all")
    assert [one["target"]["text"] for one in payloads("all") if one["ids"].get("kind") == "narration"] == [narration]
    assert aptone("score", ".", "--story", "book.txt", "-o", "run", "--narration", "skip").code == 0
    assert [one["target"]["text"] for one in payloads("run")] == [
        "Stay where you are. We will not come tonight,",
        "Sleep now. The wind is going home,",
        "Is anybody there?",
    ]
    assert narration in [line["text"] for line in payloads("run")[-1]["context"]]


def test_the_report_has_a_table_of_chapters_a_timeline_and_a_page_for_each(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    shown = aptone("score", ".", "--story", "book.txt", "-o", "run", "--json")
    assert shown.json["chapters"] == ["run/chapters/001-Chapter-1.html", "run/chapters/002-Chapter-2.html"]
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert 'href="chapters/002-Chapter-2.html"' in page
    assert page.count("<circle") == 3  # one for each line that has a score
    chapter = Path("run/chapters/002-Chapter-2.html").read_text(encoding="utf-8")
    assert "<audio" in chapter
    assert chapter.count("<circle") == 2
    alignment = json.loads(Path("run/alignment.json").read_text(encoding="utf-8"))
    assert alignment["found"] == 19  # 9 words of the first line, 7 of the second, 3 of the last
    assert shown.json["alignment"]["without_place"] == sum(
        bool(line["problem"]) and line["text"] not in ("Chapter 1", "Chapter 2") for line in alignment["by_line"]
    )


def test_groups_and_title_of_the_report_are_in_the_language_of_the_reader(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber
) -> None:
    aptone("score", ".", "--story", "book.txt", "-o", "run", "--lang", "zh")
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert "<h1><bdi>得当程度评分 · run</bdi></h1>" in page
    assert "<bdi>章节</bdi>" in page
    assert "<bdi>角色</bdi>" in page
    assert "<bdi>（旁白）</bdi>" in page
    assert "<bdi>(narration)</bdi>" not in page
    aptone("report", "run", "--lang", "en")
    assert "<bdi>(narration)</bdi>" in Path("run/report.html").read_text(encoding="utf-8")


def test_a_book_that_was_stopped_goes_on_and_nothing_is_transcribed_twice(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber
) -> None:
    given = ("score", "one.wav", "two.wav", "--story", "book.txt", "-o", "run", "--no-cache", "--json")
    stopped = aptone(*given, "--max-items", "1")
    assert stopped.code == 3
    assert "ended early while transcribing: --max-items 1 reached" in stopped.err
    assert transcriber.asked == 1
    whole = aptone(*given)
    assert whole.code == 0
    assert transcriber.asked == 2
    again = aptone(*given)
    assert (again.json["worked"], transcriber.asked) == (0, 2)


def test_a_book_goes_on_where_its_folder_and_its_recordings_were_moved_to(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber
) -> None:
    given = ("--no-cache", "--json", "--max-items", "2")
    aptone("score", "one.wav", "two.wav", "--story", "book.txt", "-o", "run", *given)
    Path("elsewhere").mkdir()
    for name in ("run", "one.wav", "two.wav", "book.txt"):
        Path(name).rename(Path("elsewhere", name))
    moved = [f"elsewhere/{name}" for name in ("one.wav", "two.wav")]
    shown = aptone("score", *moved, "--story", "elsewhere/book.txt", "-o", "elsewhere/run", "--no-cache", "--json")
    assert (shown.code, transcriber.asked) == (0, 2)
    assert shown.json["worked"] == 2  # of 4 lines; tags are not judged
    items = [entry.item.payload for entry in package.load_run("elsewhere/run").entries]
    clips = [from_json(AudioRef, payload["audio"]).path for payload in items if "audio" in payload]
    assert len(clips) == 3
    assert all(Path(clip).is_file() for clip in clips)
    page = Path("elsewhere/run/chapters/002-Chapter-2.html").read_text(encoding="utf-8")
    assert page.count("<audio") == 2


def test_a_piece_that_was_changed_is_refused(aptone: Callable[..., Any], transcriber: KnowingTranscriber) -> None:
    given = ("score", "one.wav", "--story", "book.txt", "-o", "run")
    aptone(*given)
    (piece,) = Path("run/pieces").glob("*.flac")
    piece.write_bytes(Path("one.wav").read_bytes())
    shown = aptone(*given)
    assert shown.code == 2
    assert f"item '{piece.name}' has changed since it was scored" in shown.err


def test_other_recordings_are_refused_on_the_same_folder(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber
) -> None:
    aptone("score", "one.wav", "--story", "book.txt", "-o", "run")
    shown = aptone("score", "two.wav", "--story", "book.txt", "-o", "run")
    assert shown.code == 2
    assert "was made for other recordings" in shown.err


SUBTITLES = """1
00:00:01,000 --> 00:00:03,500
Sleep now.

2
00:00:03,400 --> 00:00:05,000
Is anybody there?

3
00:01:00,000 --> 00:01:02,000
This is after the end.
"""


def test_subtitles_cut_a_film_without_a_transcriber(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    (tmp_path / "film.srt").write_text(SUBTITLES.replace("03,400", "03,500"))
    shown = aptone("score", "two.wav", "--story", "film.srt", "-o", "run", "--json")
    assert transcriber.asked == 0
    reasons = {entry.item.id: entry.outcome.reason for entry in package.load_run("run").entries}
    assert reasons["000001"] == ""
    assert "and the recording lasts" in reasons["000003"]
    assert shown.json["alignment"] is None
    (first, *_) = package.load_run("run").entries
    clip = first.item.payload["audio"]
    assert isinstance(clip, dict)
    assert read(clip["path"], rate=None).seconds == pytest.approx(2.5)


def test_subtitles_that_overlap_are_refused_or_left_out(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    (tmp_path / "film.srt").write_text(SUBTITLES)
    refused = aptone("score", "two.wav", "--story", "film.srt")
    assert (refused.code, "are shown at the same time" in refused.err) == (2, True)
    assert "--overlaps skip" in refused.err
    shown = aptone("score", "two.wav", "--story", "film.srt", "-o", "run", "--overlaps", "skip")
    assert "2 lines are shown at once with another one and were left out" in shown.out
    (entry,) = package.load_run("run").entries
    assert entry.item.id == "000003"
    context = entry.item.payload["context"]
    assert isinstance(context, list)
    assert [dict(line)["text"] for line in context] == ["Sleep now.", "Is anybody there?"]
    again = aptone("score", "two.wav", "--story", "film.srt", "-o", "run", "--overlaps", "skip", "--json")
    assert again.json["left_out"] == [1, 2]
    two = aptone("score", "one.wav", "two.wav", "--story", "film.srt")
    assert "subtitles belong to one recording" in two.err


CHAPTER = """<html xmlns="http://www.w3.org/1999/xhtml"><body><h2>One</h2>
<p><span id="s1">“Sleep now. The wind is going home,”</span> said Ann.</p><p id="p2">The lamp stood dark on the tower
that whole night, and nobody came.</p><p id="p3">“Is anybody there?”</p></body></html>"""


def overlay(times: dict[str, tuple[str, str]]) -> str:
    """Return a SMIL file that gives elements of the chapter their times."""
    pairs = "".join(
        f'<par><text src="one.xhtml#{name}"/><audio src="audio/two.wav" clipBegin="{start}" clipEnd="{end}"/></par>'
        for name, (start, end) in times.items()
    )
    return f'<smil xmlns="http://www.w3.org/ns/SMIL" version="3.0"><body>{pairs}</body></smil>'


def test_media_overlays_of_an_epub_cut_its_recording_without_a_transcriber(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    smil = overlay({"s1": ("1s", "0:00:03.500"), "p2": ("3.5s", "3900ms"), "p3": ("59s", "60s")})
    write_zip(tmp_path / "book.epub", {**PARTS, "OEBPS/one.xhtml": CHAPTER, "OEBPS/one.smil": smil})
    shown = aptone("score", "two.wav", "--story", "book.epub", "-o", "run", "--json")
    assert (transcriber.asked, shown.json["alignment"]) == (0, None)
    sleep, told, late = package.load_run("run").entries
    found: Any = [entry.item.payload["alignment"] for entry in (sleep, told)]
    assert [(one["recording"], one["start"], one["end"]) for one in found] == [
        ("two.wav", 1.0, 3.5),
        ("two.wav", 3.5, 3.9),
    ]
    clip: Any = sleep.item.payload["audio"]
    assert read(clip["path"], rate=None).seconds == pytest.approx(2.5)
    assert "by the book the line ends at 60.0 s, and the recording lasts" in str(late.outcome.reason)


def test_lines_of_an_epub_without_a_time_are_searched_for_and_the_others_keep_theirs(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    smil = overlay({"s1": ("1.25s", "3s")})
    write_zip(tmp_path / "book.epub", {**PARTS, "OEBPS/one.xhtml": CHAPTER, "OEBPS/one.smil": smil})
    aptone("score", "two.wav", "--story", "book.epub", "-o", "run", "--narration", "skip")
    assert transcriber.asked
    sleep, asked = (entry.item.payload["alignment"] for entry in package.load_run("run").entries)
    assert isinstance(sleep, dict)
    assert isinstance(asked, dict)
    assert (sleep["start"], sleep["end"]) == (1.25, 3.0)
    assert asked["confidence"] == 1.0


def test_a_talking_book_is_scored_without_further_files(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    smil = overlay({"s1": ("1s", "0:00:03.500"), "p2": ("3.5s", "3900ms"), "p3": ("59s", "60s")})
    sound = (tmp_path / "two.wav").read_bytes()
    parts: dict[str, str | bytes] = {**PARTS, "OEBPS/one.xhtml": CHAPTER, "OEBPS/one.smil": smil}
    parts["OEBPS/audio/two.wav"] = sound
    (tmp_path / "shelf").mkdir()
    write_zip(tmp_path / "shelf" / "book.epub", parts)
    given = ("score", "shelf/book.epub", "-o", "run", "--json")
    shown = aptone(*given)
    assert (transcriber.asked, shown.code) == (0, 0)
    sleep, told, late = package.load_run("run").entries
    found: Any = [entry.item.payload["alignment"] for entry in (sleep, told)]
    assert [(one["recording"], one["start"], one["end"]) for one in found] == [
        ("two.wav", 1.0, 3.5),
        ("two.wav", 3.5, 3.9),
    ]
    assert "by the book the line ends at 60.0 s" in str(late.outcome.reason)
    assert Path("run/recordings/two.wav").read_bytes() == sound
    assert package.load_run("run").config.inputs == ("run/recordings/two.wav", "shelf/book.epub")
    again = aptone(*given)
    assert (again.code, again.json["worked"]) == (0, 0)


def test_a_corrected_story_file_stands_for_the_text_of_a_talking_book(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    smil = overlay({"s1": ("1.25s", "3s")})
    sound = (tmp_path / "two.wav").read_bytes()
    parts: dict[str, str | bytes] = {**PARTS, "OEBPS/one.xhtml": CHAPTER, "OEBPS/one.smil": smil}
    parts["OEBPS/audio/two.wav"] = sound
    write_zip(tmp_path / "book.epub", parts)
    aptone("read", "book.epub", "-o", "story.json")
    story = Path("story.json").read_text(encoding="utf-8")
    Path("story.json").write_text(story.replace('"Ann"', '"Anna"'), encoding="utf-8")
    shown = aptone("score", "book.epub", "--story", "story.json", "-o", "run", "--narration", "skip")
    assert (shown.code, bool(transcriber.asked)) == (0, True)
    sleep, asked = (entry.item.payload for entry in package.load_run("run").entries)
    assert (sleep["ids"]["role"], sleep["alignment"]["start"]) == ("Anna", 1.25)  # type: ignore[index,call-overload]
    assert asked["alignment"]["confidence"] == 1.0  # type: ignore[index,call-overload]


def test_a_book_without_recordings_and_one_beside_others_are_refused(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path
) -> None:
    write_zip(tmp_path / "book.epub", PARTS)
    silent = aptone("score", "book.epub")
    assert (silent.code, "there are no recordings in it" in silent.err) == (2, True)
    beside = aptone("score", "book.epub", "one.wav")
    assert (beside.code, "give either the EPUB alone" in beside.err) == (2, True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("one.wav", "two.wav"), "need its text (--story)"),
        (("one.wav", "--story", "book.txt", "--role", "Tom"), "--role describes one line"),
        (("empty", "--story", "book.txt"), "no recording is in this folder"),
    ],
)
def test_what_is_not_clear_is_refused(
    aptone: Callable[..., Any], transcriber: KnowingTranscriber, tmp_path: Path, given: tuple[str, ...], message: str
) -> None:
    (tmp_path / "empty").mkdir()
    shown = aptone("score", *given)
    assert shown.code == 2
    assert message in shown.err
