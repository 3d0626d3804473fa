"""Real speech by its official ids, from tiny folders that are laid out as the releases are."""

from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.answer.bench.real import read_ids, read_iemocap, read_meld, with_releases
from aptone.rooms.answer.build.collect import real_note
from aptone.rooms.answer.data import AnswerSample, Dimension, Prompt, Source, read_manifest, write_manifest

LABELS = """% [START_TIME - END_TIME] TURN_NAME EMOTION [V, A, D]

[6.2901 - 8.2357]\tSes01F_impro01_F000\tneu\t[2.5000, 2.5000, 2.5000]
C-E2:\tNeutral;\t()
[10.0100 - 11.3925]\tSes01F_impro01_F001\texc\t[4.5000, 4.0000, 2.5000]
[14.8872 - 18.0175]\tSes01F_impro01_M002\tang\t[2.0000, 4.0000, 4.0000]
[19.2900 - 20.7875]\tSes01F_impro01_F003\tfru\t[2.5000, 3.0000, 3.0000]
[21.0000 - 22.0000]\tSes01F_impro01_M004\txxx\t[2.5000, 3.0000, 3.0000]
[23.0000 - 24.0000]\tSes01F_impro01_F005\tsad\t[2.5000, 3.0000, 3.0000]
"""
WORDS = """Ses01F_impro01_F000 [006.2901-008.2357]: Excuse me.
Ses01F_impro01_F001 [010.0100-011.3925]: We got it!
Ses01F_impro01_M002 [014.8872-018.0175]: Well, what's the problem?
Ses01F_impro01_F003 [019.2900-020.7875]: You did.
"""
TABLE = """Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID,Season
1,Why do all your coffee mugs have numbers\x85,Mark,surprise,positive,0,0,3
2,"Oh, that\x92s so Monica can keep track.",Rachel,joy,positive,0,1,3
3,Okay.,Ross,neutral,neutral,0,2,3
4,Ew!,Phoebe,disgust,negative,1,4,3
"""


@pytest.fixture
def iemocap(tmp_path: Path) -> Path:
    dialog = tmp_path / "IEMOCAP" / "Session1" / "dialog"
    for name, text in (("EmoEvaluation", LABELS), ("transcriptions", WORDS)):
        (dialog / name).mkdir(parents=True)
        (dialog / name / "Ses01F_impro01.txt").write_text(text, encoding="utf-8")
    wavs = tmp_path / "IEMOCAP" / "Session1" / "sentences" / "wav" / "Ses01F_impro01"
    wavs.mkdir(parents=True)
    (wavs / "Ses01F_impro01_F001.wav").write_bytes(b"")
    return tmp_path / "IEMOCAP"


@pytest.fixture
def meld(tmp_path: Path) -> Path:
    folder = tmp_path / "MELD.Raw"
    (folder / "output_repeated_splits_test").mkdir(parents=True)
    (folder / "test_sent_emo.csv").write_text(TABLE, encoding="utf-8")
    (folder / "output_repeated_splits_test" / "dia0_utt1.mp4").write_bytes(b"")
    return folder


def test_iemocap_is_mapped_to_six_feelings_and_the_rest_is_left_out(iemocap: Path) -> None:
    samples = read_iemocap(iemocap)
    # neutral, frustration and disagreement are left out, and so is a line without words
    assert [(one.prompt.ids["release_id"], one.prompt.category) for one in samples] == [
        ("Ses01F_impro01_F001", "happy"),
        ("Ses01F_impro01_M002", "angry"),
    ]
    assert samples[1].prompt.content == "Well, what's the problem?"
    assert [one.prompt.speaker for one in samples] == ["Ses01F", "Ses01M"]  # of the turn, not of the dialogue
    assert all(one.prompt.audio is None and one.prompt.source is Source.IEMOCAP for one in samples)


def test_meld_is_read_with_its_odd_characters(meld: Path) -> None:
    samples = read_meld(meld)
    assert [(one.prompt.ids["release_id"], one.prompt.category) for one in samples] == [
        ("test/dia0_utt0", "surprised"),
        ("test/dia0_utt1", "happy"),
        ("test/dia1_utt4", "disgust"),
    ]
    assert samples[0].prompt.content.endswith("numbers…")
    assert samples[1].prompt.content == "Oh, that’s so Monica can keep track."


def test_only_ids_are_written_and_recordings_are_found_by_them(iemocap: Path, meld: Path, tmp_path: Path) -> None:
    samples = [*read_iemocap(iemocap)[:1], *read_meld(meld)[1:2]]
    manifest = tmp_path / "manifest.jsonl"
    write_manifest(manifest, samples)
    assert str(tmp_path) not in manifest.read_text(encoding="utf-8")
    found = with_releases(read_manifest(manifest), {Source.IEMOCAP: iemocap, Source.MELD: meld})
    paths = [Path(one.prompt.audio.path).name for one in found if one.prompt.audio is not None]
    assert paths == ["Ses01F_impro01_F001.wav", "dia0_utt1.mp4"]
    with pytest.raises(RecordError, match="no recording of 'Ses01F_impro01_M002'"):
        with_releases(read_iemocap(iemocap)[1:], {Source.IEMOCAP: iemocap})


def test_a_recording_that_a_release_lacks_does_not_keep_the_others_away(iemocap: Path, meld: Path) -> None:
    samples = [*read_iemocap(iemocap), *read_meld(meld)]
    found = with_releases(samples, {Source.IEMOCAP: iemocap})
    assert [one.prompt.audio is not None for one in found] == [True, False, False, False, False]
    assert [one.id for one in found] == [one.id for one in samples]


@pytest.mark.parametrize("name", ["../../../etc/passwd", "Ses01F_../x_F000", "test/dia0_utt1/../../x", ""])
def test_an_id_cannot_lead_out_of_the_release(iemocap: Path, meld: Path, name: str) -> None:
    for source, folder in ((Source.IEMOCAP, iemocap), (Source.MELD, meld)):
        prompt = Prompt("p", "Hello.", Dimension.EMOTION, "happy", source=source, ids={"release_id": name})
        with pytest.raises(RecordError, match=r"has no recording|name no release_id"):
            with_releases([AnswerSample("p", prompt)], {source: folder})


def test_a_list_of_ids_chooses_the_lines_and_their_order(meld: Path, tmp_path: Path) -> None:
    listed = tmp_path / "ids.txt"
    listed.write_text("# ours\ntest/dia1_utt4\n\ntest/dia0_utt0\n", encoding="utf-8")
    chosen = read_meld(meld, ids=read_ids(listed))
    assert [one.prompt.ids["release_id"] for one in chosen] == ["test/dia1_utt4", "test/dia0_utt0"]
    with pytest.raises(RecordError, match="no emotional line 'test/dia0_utt2'"):
        read_meld(meld, ids=["test/dia0_utt2"])


def test_counts_are_compared_with_the_published_ones() -> None:
    assert real_note(Source.IEMOCAP, 709, language="en") == "IEMOCAP: 709 lines, as published."
    assert "2 lines, published are 781" in real_note(Source.MELD, 2, language="en")
    assert "论文为 781 句" in real_note(Source.MELD, 2, language="zh")


def test_what_is_no_release_is_refused_with_what_was_expected(tmp_path: Path, meld: Path) -> None:
    with pytest.raises(RecordError, match="expected Session<n>"):
        read_iemocap(tmp_path)
    with pytest.raises(RecordError, match=r"no dev_sent_emo\.csv"):
        read_meld(meld, split="dev")
    with pytest.raises(UsageError, match="train, dev, test"):
        read_meld(meld, split="all")
    (meld / "test_sent_emo.csv").write_text("Utterance,Emotion\nHi,joy\n", encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: expected Utterance"):
        read_meld(meld)
