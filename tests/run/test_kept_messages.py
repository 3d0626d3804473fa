"""Sentences of a run are English text on the disk, and messages again when the run is read."""

import json
from dataclasses import replace
from pathlib import Path

from aptone.messages import Message, message, translate
from aptone.run import Journal, load_run, read_journal
from aptone.run.folder import CONFIG, JOURNAL, RunConfig, RunFolder, read_trust, write_trust
from aptone.types import Entry, Outcome, Perception, Probe, ProbeState, TrustCard, from_json, to_json
from tests.run.run_steps import done, items

SHORT = message("ear.speech-too-short", count=0.25, needed=0.4)
WHY = message("ear.measure-undefined", measure=message("names.pitch level"), why=SHORT)


def entries() -> list[Entry]:
    heard = to_json(Perception(seconds=1.0, unjudged={"emotion": SHORT}))
    unscored = replace(Outcome.unscored(WHY), evidence={"perception": heard})
    made = [Outcome.failed("of the user's own engine"), unscored, done(3.0)]
    return [Entry(item=item, outcome=outcome, finished="x") for item, outcome in zip(items(3), made, strict=True)]


def test_a_line_keeps_plain_text_and_beside_it_what_its_sentences_are(tmp_path: Path) -> None:
    with Journal(tmp_path / JOURNAL) as journal:
        journal.append(entries())
    first, second, third = map(json.loads, (tmp_path / JOURNAL).read_text().splitlines())
    assert second["outcome"]["reason"] == "pitch level: 0.25 s of speech, need 0.4 s"
    assert second["messages"]["0.25 s of speech, need 0.4 s"] == {
        "id": "ear.speech-too-short",
        "values": {"count": 0.25, "needed": 0.4},
    }
    assert "messages" not in first
    assert "messages" not in third


def test_a_journal_gives_messages_back_also_in_evidence(tmp_path: Path) -> None:
    with Journal(tmp_path / JOURNAL) as journal:
        journal.append(entries())
    read = list(read_journal(tmp_path / JOURNAL))
    assert read == entries()
    assert translate(read[1].outcome.reason, "zh") == "音高水平：只有 0.25 秒语音，至少需要 0.4 秒"
    assert not isinstance(read[0].outcome.reason, Message)
    heard = from_json(Perception, read[1].outcome.evidence["perception"])
    assert translate(heard.unjudged["emotion"], "zh") == "只有 0.25 秒语音，至少需要 0.4 秒"


def test_a_journal_of_the_first_edition_reads_as_before(tmp_path: Path) -> None:
    with Journal(tmp_path / JOURNAL) as journal:
        journal.append(entries())
    lines = [json.loads(line) for line in (tmp_path / JOURNAL).read_text().splitlines()]
    for line in lines:
        line.pop("messages", None)
        del line["checksum"]
    (tmp_path / JOURNAL).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    read = list(read_journal(tmp_path / JOURNAL))
    assert read == entries()
    assert translate(read[1].outcome.reason, "zh") == "pitch level: 0.25 s of speech, need 0.4 s"


def test_configuration_and_card_give_messages_back(tmp_path: Path) -> None:
    note, licence = message("judge.note-built-in"), message("ear.licence", ear="full", licence="MIT")
    with RunFolder(tmp_path / "run", RunConfig("score", "built-in", notes=(note,), licence=licence)) as folder:
        folder.journal.append(entries())
    run = load_run(tmp_path / "run")
    assert translate(run.config.notes[0], "zh").startswith("内置评审：")
    assert translate(run.config.licence, "zh") == "听觉模型：full（MIT）"
    card = TrustCard(
        "aptness",
        3,
        1,
        unscored={WHY: 1},
        batch=Probe(ProbeState.NOT_APPLICABLE, detail=message("run.one-item-at-a-time")),
        stopped=message("run.max-items-reached", limit=3),
    )
    write_trust(tmp_path / "run", card)
    read = read_trust(tmp_path / "run")
    assert read == card
    assert [translate(reason, "zh") for reason in read.unscored] == [translate(WHY, "zh")]
    assert translate(read.batch.detail, "zh") == "引擎一次只处理一个条目"
    assert translate(read.stopped, "zh") == "已达到 --max-items 3"
    written = json.loads((tmp_path / "run" / CONFIG).read_text())
    assert written["notes"] == [note]
    assert "messages" in written


def test_a_resumed_run_agrees_with_its_own_configuration(tmp_path: Path) -> None:
    config = RunConfig("score", "built-in", notes=(message("judge.note-built-in"),))
    for _ in range(2):
        with RunFolder(tmp_path / "run", config) as folder:
            assert isinstance(folder.config.notes[0], Message)


def test_records_keep_messages_on_their_way_to_json_and_back() -> None:
    heard = Perception(seconds=1.0, unjudged={"emotion": SHORT})
    assert isinstance(from_json(Perception, to_json(heard)).unjudged["emotion"], Message)
