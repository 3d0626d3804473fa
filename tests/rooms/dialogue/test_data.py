"""Dialogues from every layout, and what is said about those that have none."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.errors import AptoneError, AudioError, RecordError, UsageError
from aptone.rooms.dialogue.data import find_layout, make_items, read_dialogues, read_manifest, turns_of, write_manifest
from aptone.rooms.dialogue.folders import read_trajectory
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.types import AudioRef, Segment, from_json, to_json
from tests.rooms.dialogue.voices import RATE, tone, trajectory, write_csv
from tests.tables import for_each

CALM, ANGRY = (0.2, 0.1, 0.4), (-0.4, 0.5, 0.3)


def roles(dialogue: Dialogue) -> str:
    return "".join(turn.role.value[0] for turn in dialogue.turns)


def test_a_folder_of_recordings_is_read_in_natural_order_with_the_user_first(tmp_path: Path) -> None:
    for number in (1, 2, 3, 10):
        tone(tmp_path / "one" / f"turn{number}.wav")
    (dialogue,) = read_dialogues(tmp_path)
    assert (dialogue.id, roles(dialogue)) == ("one", "uaua")
    assert [Path(turn.audio.path).stem for turn in dialogue.turns if turn.audio] == [
        "turn1",
        "turn2",
        "turn3",
        "turn10",
    ]
    assert dialogue.exchanges == 2


def test_names_of_files_may_say_who_speaks(tmp_path: Path) -> None:
    for name in ("1_agent", "2_user", "3_agent", "4-user-b"):
        tone(tmp_path / f"{name}.wav")
    (dialogue,) = read_dialogues(tmp_path)
    assert roles(dialogue) == "auau"
    tone(tmp_path / "5.wav")
    with pytest.raises(RecordError, match=r"5\.wav: does its name mean the user or the agent"):
        read_dialogues(tmp_path)


def test_a_folder_without_a_user_is_refused(tmp_path: Path) -> None:
    tone(tmp_path / "1_agent.wav")
    with pytest.raises(RecordError, match="no turn of the user"):
        read_dialogues(tmp_path)


def dailytalk(root: Path) -> None:
    for dialogue in (0, 11):
        for turn in range(4):
            tone(root / "data" / str(dialogue) / f"{turn}_{turn % 2}_d{dialogue}.wav")
    said = {str(turn): {"text": f"line {turn}", "emotion": "no emotion" if turn else "anger"} for turn in range(4)}
    (root / "metadata.json").write_text(json.dumps({"0": said}), encoding="utf-8")


def test_dailytalk_is_recognised_and_its_recorded_answers_are_the_agents(tmp_path: Path) -> None:
    dailytalk(tmp_path)
    assert find_layout(tmp_path) == find_layout(tmp_path / "data") == "dailytalk"
    first, second = read_dialogues(tmp_path)
    assert (first.id, second.id, roles(first)) == ("0", "11", "uaua")
    assert [turn.emotion for turn in first.turns] == ["anger", "neutral", "neutral", "neutral"]
    assert (first.turns[1].text, second.turns[1].text) == ("line 1", "")
    assert first.ids["source"] == "DailyTalk"


def test_a_monologue_is_no_dialogue_of_dailytalk(tmp_path: Path) -> None:
    tone(tmp_path / "data" / "3" / "0_1_d3.wav")
    with pytest.raises(RecordError, match="recordings of two speakers"):
        read_dialogues(tmp_path)


def test_csv_files_of_several_turns_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    for turn, point in (("1", ANGRY), ("2", CALM), ("10", ANGRY)):
        write_csv(tmp_path / "talk" / "speaker_0" / f"{turn}.csv", point, point)
        write_csv(tmp_path / "talk" / "speaker_1" / f"{turn}.csv", CALM)
    (dialogue,) = read_dialogues(tmp_path)
    assert (dialogue.id, roles(dialogue)) == ("talk", "uauaua")
    first = dialogue.turns[0].trajectory
    assert first is not None
    assert (first.valence, first.arousal, first.dominance) == ((-0.4, -0.4), (0.5, 0.5), (0.3, 0.3))
    assert read_dialogues(tmp_path / "talk")[0].turns == dialogue.turns


def test_csv_pairs_are_dialogues_of_one_turn_with_labels_beside_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_csv(tmp_path / "user" / f"{name}.csv", ANGRY)
        write_csv(tmp_path / "agent" / f"{name}.csv", CALM)
    (tmp_path / "user.csv").write_text("Filename,Emotion\na.wav,ANGRY\n", encoding="utf-8")
    (tmp_path / "agent.csv").write_text("Filename,Emotion\na.wav,NEUTRAL\nb.wav,HAPPY\n", encoding="utf-8")
    dialogues = read_dialogues(tmp_path)
    assert [(one.id, [turn.emotion for turn in one.turns]) for one in dialogues] == [
        ("a", ["ANGRY", "NEUTRAL"]),
        ("b", ["", "HAPPY"]),
    ]
    (tmp_path / "agent" / "b.csv").unlink()
    with pytest.raises(RecordError, match=r"b\.csv is in one of the folders user and agent only"):
        read_dialogues(tmp_path)


@for_each(
    ("text", "message"),
    [
        ("arousal,valence\n0,0\n", "there is no column 'dominance'"),
        ("", "got an empty file"),
        ("valence,arousal,dominance\n0,0,50\n", r"line 2: dominance lies between -1 and 1, got 50"),
        ("valence,arousal,dominance\n0,x,0\n", "arousal is a number, got 'x'"),
        ("valence,arousal,dominance\n0,0\n", "expected 3 cells, got 2"),
        ("valence,arousal,dominance,valence\n0,0,0,0\n", "two columns have one name"),
        ('valence,arousal,dominance\n"0,0,0\n', "not a CSV file"),
    ],
)
def test_a_bad_csv_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "one.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match=message) as raised:
        read_trajectory(path)
    assert "one.csv" in str(raised.value)


def test_empty_cells_of_a_csv_file_are_undefined_points(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("\ufeffValence , arousal,dominance\n,0.1,nan\n\n", encoding="utf-8")
    found = read_trajectory(path, step=0.5)
    assert (len(found), found.step, found.arousal) == (1, 0.5, (0.1,))
    assert np.isnan(found.valence + found.dominance).all()


def test_speech_of_two_becomes_turns() -> None:
    turns = turns_of(
        [Segment(2.0, 3.0), Segment(3.2, 4.0), Segment(8.0, 9.0)],
        [Segment(0.0, 1.0), Segment(3.4, 3.6), Segment(5.0, 6.0)],
    )
    # The greeting at 0 s answers nothing; the nod at 3.4 s lies within the user's speech.
    assert [(role.value, segment.start, segment.end) for role, segment in turns] == [
        ("user", 2.0, 4.0),
        ("agent", 5.0, 6.0),
        ("user", 8.0, 9.0),
    ]


def stereo(path: Path, clip: Path) -> None:
    """The example clip twice: first on the left, then on the right."""
    samples, rate = soundfile.read(clip)
    silence = np.zeros_like(samples)
    both = np.stack([np.concatenate([samples, silence]), np.concatenate([silence, samples])], axis=1)
    soundfile.write(path, both, rate)


CLIP = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"


def test_a_stereo_recording_is_cut_by_who_speaks(tmp_path: Path) -> None:
    stereo(tmp_path / "call.wav", CLIP)
    (dialogue,) = read_dialogues(tmp_path / "call.wav")
    assert (dialogue.id, roles(dialogue)) == ("call", "ua")
    user, agent = dialogue.turns
    assert (user.channel, agent.channel) == (0, 1)
    assert user.audio is not None
    assert agent.audio is not None
    assert user.audio.end is not None
    assert user.audio.end <= agent.audio.start
    assert read_dialogues(tmp_path) == [dialogue]


def test_one_channel_and_silence_are_no_call(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="expected two channels, the user left and the agent right, got 1"):
        read_dialogues(tone(tmp_path / "mono.wav"))
    soundfile.write(tmp_path / "silent.wav", np.zeros((RATE, 2)), RATE)
    with pytest.raises(AudioError, match="nobody speaks on the left channel"):
        read_dialogues(tmp_path / "silent.wav")


def test_the_same_sound_on_both_channels_is_no_call(tmp_path: Path) -> None:
    samples, rate = soundfile.read(CLIP)
    soundfile.write(tmp_path / "doubled.wav", np.stack([samples, -0.5 * samples], axis=1), rate)
    with pytest.raises(AudioError, match="both channels hold the same sound"):
        read_dialogues(tmp_path / "doubled.wav")
    # a tenth of each voice in the other's channel: r = 2 * 0.1 / (1 + 0.1 ** 2) = 0.2, as they speak in turn
    stereo(tmp_path / "call.wav", CLIP)
    both, rate = soundfile.read(tmp_path / "call.wav")
    soundfile.write(tmp_path / "spilled.wav", both + 0.1 * both[:, ::-1], rate)
    (dialogue,) = read_dialogues(tmp_path / "spilled.wav")
    assert dialogue.turns


def test_a_manifest_holds_recordings_trajectories_labels_and_ratings(tmp_path: Path) -> None:
    record = {
        "id": 7,
        "system": "mine",
        "ratings": {"r1": 2, "r2": 4},
        "ids": {"transition": "anger-calm"},
        "turns": [
            {"audio": "u.wav", "start": 0.5, "end": 1.0, "channel": 1, "text": "Why?"},
            {"trajectory": {"step": 1.0, "valence": [0.1], "arousal": [None], "dominance": [0.3]}, "emotion": "sad"},
        ],
    }
    path = tmp_path / "talks.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    (dialogue,) = read_dialogues(path)
    assert (dialogue.id, dialogue.human_score, roles(dialogue)) == ("7", 3.0, "ua")
    assert dialogue.ids == {"transition": "anger-calm", "system": "mine"}
    assert dialogue.turns[0].audio == AudioRef(str(tmp_path / "u.wav"), 0.5, 1.0)
    assert dialogue.turns[1].emotion == "sad"


def test_a_written_manifest_is_read_back(tmp_path: Path) -> None:
    given = Dialogue(
        "x",
        (
            Turn(Role.USER, audio=AudioRef(str(tmp_path / "u.wav")), channel=0),
            Turn(Role.AGENT, trajectory=trajectory(CALM), emotion="neutral"),
        ),
        language="zh",
        ids={"system": "s"},
    )
    write_manifest(tmp_path / "out.jsonl", [given])
    assert '"path":"u.wav"' in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    (back,) = read_manifest(tmp_path / "out.jsonl")
    assert replace(back, human_score=0.0) == replace(given, human_score=0.0)


@for_each(
    ("record", "message"),
    [
        ({"turns": []}, "list of turns"),
        ({"turns": [{"audoi": "a.wav"}]}, "turn 1: unknown field 'audoi'; did you mean audio"),
        ({"turns": [{"role": "bot", "audio": "a.wav"}]}, "turn 1"),
        ({"turns": [{"audio": "a.wav", "start": 2, "end": 1}]}, "turn 1"),
        ({"turns": [{"text": "hello"}]}, "a recording, a trajectory or the label"),
        ({"turns": [{"audio": "a.wav", "channel": -1}]}, "counted from 0"),
        ({"turns": [{"role": "agent", "audio": "a.wav"}]}, "no turn of the user"),
        ({"turns": [{"audio": "a.wav"}], "ratings": {"r": "good"}}, "raters and their scores"),
        ({"turns": [{"audio": "a.wav"}], "id": None}, '"id" is text or a number'),
        ({"turns": [{"audio": "a.wav"}], "system": 5}, '"system" is text'),
        ({"turns": ["a.wav"]}, "turn 1: expected a JSON object"),
        (["a"], "expected a JSON object"),
    ],
)
def test_a_bad_record_of_a_manifest_is_named(tmp_path: Path, record: object, message: str) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_text(f"\n{json.dumps(record)}\n", encoding="utf-8")
    if isinstance(record, list):
        path.write_text(json.dumps([record]), encoding="utf-8")
    with pytest.raises(RecordError, match=message) as raised:
        read_dialogues(path)
    assert "talks.jsonl, " in str(raised.value)


@for_each(("data", "message"), [(b"", "is empty"), (b"\xff", "not UTF-8"), (b"{", "not valid JSON")])
def test_a_bad_manifest_is_an_error_of_ours(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_bytes(data)
    with pytest.raises(RecordError, match=message):
        read_dialogues(path)


def test_what_has_no_layout_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="how are the dialogues laid out"):
        read_dialogues(tmp_path)
    with pytest.raises(UsageError, match="no such file or folder"):
        read_dialogues(tmp_path / "none")
    with pytest.raises(UsageError, match="there is no layout 'tape'"):
        read_dialogues(tmp_path, layout="tape")
    with pytest.raises(RecordError, match="no dialogue was found in the layout folders"):
        read_dialogues(tmp_path, layout="folders")
    file = tone(tmp_path / "a.wav")
    with pytest.raises(UsageError, match="the layout folders is a folder"):
        read_dialogues(file, layout="folders")


def test_two_dialogues_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_text('{"id": 1, "turns": [{"emotion": "sad"}]}\n' * 2, encoding="utf-8")
    with pytest.raises(RecordError, match="two dialogues have the id '1'"):
        read_dialogues(path)


def test_the_hash_of_an_item_covers_the_sound_and_not_its_place(tmp_path: Path) -> None:
    def item(folder: str, *, hertz: float = 200.0, human: float = 1.0) -> str:
        path = tone(tmp_path / folder / "u.wav", hertz=hertz)
        dialogue = Dialogue("x", (Turn(Role.USER, audio=AudioRef(str(path))),), human_score=human)
        (made,) = make_items([dialogue])
        assert from_json(Dialogue, made.payload).turns[0].audio is not None
        return made.content_hash

    assert item("a") == item("b") == item("a", human=2.0)
    assert item("c", hertz=300.0) != item("a")


def test_a_missing_recording_fails_later_and_not_here() -> None:
    (item,) = make_items([Dialogue("x", (Turn(Role.USER, audio=AudioRef("/no/such.wav")),))])
    assert from_json(Dialogue, item.payload) is not None


def test_no_folder_raises_anything_but_our_errors(tmp_path: Path) -> None:
    (tmp_path / "d" / "speaker_0").mkdir(parents=True)
    (tmp_path / "d" / "speaker_1").mkdir()
    (tmp_path / "d" / "speaker_0" / "1.csv").write_bytes(b"\x00\xff")
    with pytest.raises(AptoneError, match="not UTF-8"):
        read_dialogues(tmp_path)


def test_a_dialogue_comes_back_from_its_json() -> None:
    dialogue = Dialogue("x", (Turn(Role.USER, trajectory=trajectory(CALM)),), human_score=2.0, ratings={"r": 2.0})
    assert from_json(Dialogue, to_json(dialogue)) == dialogue
