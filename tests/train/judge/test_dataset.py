"""Examples in shards: written, read back, in batches that a step determines, and what a hostile shard can do."""

import io
import json
import math
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training judges needs torch: pip install 'aptone[train]'")

from aptone.audio import write
from aptone.errors import RecordError, UsageError
from aptone.judge.chat.conversation import Conversation
from aptone.run.sources.shards import Caption, ShardSample, shard_files, write_shards
from aptone.train import shards as training_shards
from aptone.train.judge import dataset as judge_examples
from aptone.train.judge.dataset import ExampleBatches, ExampleFilter, index_examples, shard_key, write_examples
from aptone.train.judge.example import Example
from aptone.types import Audio, AudioRef
from tests.tables import for_each
from tests.train.judge.tiny_judges import example, examples, recording, save_shards


def same(one: Example, other: Example) -> bool:
    fields = ("id", "conversation", "reply", "language", "kind", "ids")
    return all(getattr(one, name) == getattr(other, name) for name in fields)


def test_examples_come_back_as_they_were_written(tmp_path: Path) -> None:
    written = [example(0), example(0, reasoned=False), example(1, language="zh")]
    assert write_examples(tmp_path, written) == 2  # two of them are of one clip
    index = index_examples(tmp_path)
    read = [index.read(number) for number in range(len(index))]
    assert all(same(one, other) for one, other in zip(read, written, strict=True))
    assert [one.score for one in read] == [0.0, 0.0, 1.0]
    assert index.scores.tolist() == [0.0, 0.0, 1.0]
    assert [one.seconds for one in read] == pytest.approx([0.5, 0.5, 0.55])
    assert index.hours * 3600 == pytest.approx(1.05)  # every clip once
    assert index.kinds == {"caption": 0, "reasoned": 2, "score": 1}
    heard, meant = read[2].load_audio(), written[2].load_audio()
    assert np.array_equal(heard.samples, meant.samples)


def test_a_clip_without_a_score_and_one_in_a_file_come_back_too(tmp_path: Path) -> None:
    write(tmp_path / "a.wav", Audio(np.linspace(-0.5, 0.5, 24_000, dtype=np.float32), rate=48_000))
    ref = AudioRef(str(tmp_path / "a.wav"), start=0.1, end=0.4)
    made = Example("第一行", ref, Conversation("", "?", "!"), kind="score", ids={"story": "s"})
    write_examples(tmp_path / "shards", [made], format="ogg")
    (read,) = map(index_examples(tmp_path / "shards").read, [0])
    assert same(read, made)
    assert math.isnan(read.score)
    assert read.seconds == pytest.approx(0.3, abs=0.001)
    assert read.messages()[0].role == "user"  # there are no instructions


def test_a_writer_that_was_killed_goes_on_without_reading_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(count: int) -> Any:
        for number, one in enumerate(examples(5)):
            if number == count:
                raise KeyboardInterrupt
            yield one

    with pytest.raises(KeyboardInterrupt):
        write_examples(tmp_path / "parts", killed(7), per_shard=2)
    begun = len(shard_files(tmp_path / "parts"))
    heard: list[str] = []
    once = Example.load_audio

    def noted(self: Example) -> Audio:
        heard.append(self.id)
        return once(self)

    monkeypatch.setattr(Example, "load_audio", noted)
    write_examples(tmp_path / "parts", examples(5), per_shard=2)
    assert begun == 1
    assert heard == ["line-2-reasoned", "line-3-reasoned", "line-4-reasoned"]
    write_examples(tmp_path / "whole", examples(5), per_shard=2)
    for one, other in zip(shard_files(tmp_path / "parts"), shard_files(tmp_path / "whole"), strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_captions_are_answers_to_the_prompt_of_captioners(tmp_path: Path) -> None:
    from aptone.rooms.style.build.captions import caption_conversation, caption_prompts

    captions = (
        Caption("A low voice.", "en", "full"),
        Caption("低沉。", "zh", "short"),
        Caption("Grave.", "it", "full"),
    )
    write_shards(tmp_path, [ShardSample("clip", recording(0), "flac", 0.5, captions)])
    index = index_examples(tmp_path)
    found = [index.read(number) for number in range(len(index))]
    assert [(one.reply, one.language, one.kind) for one in found] == [
        ("A low voice.", "en", "caption"),
        ("低沉。", "zh", "caption"),
    ]
    assert found[1].conversation == caption_conversation(caption_prompts(), "zh")
    assert len(index_examples(tmp_path, ExampleFilter(levels=("full",)))) == 1


def test_only_what_is_wanted_counts(tmp_path: Path) -> None:
    save_shards(tmp_path, 6)
    assert len(index_examples(tmp_path, ExampleFilter(kinds=("score",)))) == 6
    assert (
        len(index_examples(tmp_path, ExampleFilter(min_seconds=0.52, max_seconds=0.57))) == 4
    )  # 0.55 s: numbers 1 and 4
    with pytest.raises(RecordError, match="no such example; see --kind"):
        index_examples(tmp_path, ExampleFilter(languages=("zh",)))
    with pytest.raises(UsageError, match="kinds caption, reasoned, score"):
        ExampleFilter(kinds=("verse",))  # type: ignore[arg-type]
    assert index_examples(tmp_path).identity != index_examples(tmp_path, ExampleFilter(kinds=("score",))).identity


def test_every_step_has_its_batch_whenever_it_is_asked_for(tmp_path: Path) -> None:
    save_shards(tmp_path, 7)
    batches = ExampleBatches(index_examples(tmp_path), 4, seed=3)
    whole = [[one.id for one in share] for share in batches.shares(0, 8)]
    for first in range(8):
        assert [[one.id for one in share] for share in batches.shares(first, 8)] == whole[first:]
    assert batches.per_epoch == 3  # 14 examples: 12 of them in an epoch
    for epoch in (whole[:3], whole[3:6]):
        assert max(Counter(name for batch_size in epoch for name in batch_size).values()) == 1
    assert whole[:3] != whole[3:6]
    other = ExampleBatches(index_examples(tmp_path), 4, seed=4)
    assert [[one.id for one in share] for share in other.shares(0, 3)] != whole[:3]


def test_processes_share_batches_without_overlap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_shards(tmp_path, 7)
    index = index_examples(tmp_path)
    whole = [sorted(numbers) for numbers in ExampleBatches(index, 4, seed=3).numbers(0, 6)]
    monkeypatch.setattr(judge_examples, "world_size", lambda: 2)
    shares = []
    for rank in (0, 1):
        monkeypatch.setattr(judge_examples, "process_rank", lambda rank=rank: rank)
        shares.append(list(ExampleBatches(index, 4, seed=3).numbers(0, 6)))
    assert [sorted([*one, *other]) for one, other in zip(*shares, strict=True)] == whole
    with pytest.raises(UsageError, match="cannot be shared out evenly among 2 processes"):
        ExampleBatches(index, 3, seed=3)


def test_reading_stays_within_a_group_of_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_shards, "GROUP", 2)
    monkeypatch.setattr(training_shards, "BUCKET", 1)
    save_shards(tmp_path, 12, per_shard=2)
    index = index_examples(tmp_path)
    batches = list(ExampleBatches(index, 8, seed=1).numbers(0, 3))  # a group holds 8 examples, as many as a batch
    assert [len({int(index.rows["shard"][number]) for number in batch_size}) for batch_size in batches] == [2, 2, 2]


def test_some_examples_may_be_taken_several_times(tmp_path: Path) -> None:
    save_shards(tmp_path, 3)
    index = index_examples(tmp_path)
    taken = index.take([5, 0, 0])
    assert [taken.read(number).id for number in range(3)] == ["line-0-reasoned", "line-0-reasoned", "line-2-score"]
    assert taken.identity not in (index.identity, index.take([5, 0]).identity)


def test_too_few_examples_and_no_shards_are_told(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"no shard \(.tar\) in it"):
        index_examples(tmp_path)
    save_shards(tmp_path, 1)
    with pytest.raises(UsageError, match="2 examples do not fill a batch of 4"):
        ExampleBatches(index_examples(tmp_path), 4, seed=1)


ENTRY: dict[str, Any] = {
    "id": "a",
    "kind": "score",
    "language": "en",
    "system": "",
    "before": "",
    "after": "",
    "reply": "<score>1.0</score>",
    "score": 1.0,
}


def tar(folder: Path, about: Any) -> None:
    text = about if isinstance(about, str) else json.dumps(about)
    with tarfile.open(folder / "shard-000000.tar", "w") as opened:
        for member, data in (("clip.flac", recording(0)), ("clip.json", text.encode())):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            opened.addfile(info, io.BytesIO(data))


@for_each(
    ("about", "words"),
    [
        ([], "expected an object"),
        ({}, "how many seconds"),
        ({"seconds": 1e999, "examples": [ENTRY]}, "how many seconds|Infinity"),
        ({"seconds": 1.0, "examples": "none"}, "are lists"),
        ({"seconds": 1.0, "examples": ["a"]}, "an example is an object"),
        ({"seconds": 1.0, "examples": [{**ENTRY, "reply": 3}]}, "reply of an example is a text"),
        ({"seconds": 1.0, "examples": [{**ENTRY, "score": 17}]}, "between 0 and 5"),
        ({"seconds": 1.0, "examples": [{**ENTRY, "score": "5"}]}, "score of an example is a number"),
        ({"seconds": 1.0, "examples": [{**ENTRY, "kind": "poem"}]}, "expected caption, reasoned, score"),
        ({"seconds": 1.0, "examples": [{**ENTRY, "language": "xx"}]}, "en or zh"),
        ({"seconds": 1.0, "examples": [{**ENTRY, "id": ""}]}, "has an id"),
        ({"seconds": 1.0, "examples": [{**ENTRY, "ids": {"story": 1}}]}, "ids are texts"),
        ({"seconds": 1.0, "examples": [{"id": "a"}]}, "KeyError"),
        ({"seconds": 1.0, "captions": [{"text": 1, "language": "en"}]}, "text and level"),
        ({"seconds": 1.0, "captions": [{"text": " ", "language": "en"}]}, "text and level"),
        ({"seconds": 1.0}, "no such example"),
    ],
)
def test_a_shard_that_holds_something_else_is_refused_by_name(tmp_path: Path, about: Any, words: str) -> None:
    tar(tmp_path, about)
    with pytest.raises(RecordError, match=words) as caught:
        index_examples(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_shard_that_changes_under_a_training_is_found_out(tmp_path: Path) -> None:
    both = json.dumps({"seconds": 0.5, "examples": [ENTRY, {**ENTRY, "id": "b"}]})
    tar(tmp_path, both)
    index = index_examples(tmp_path)
    tar(tmp_path, json.dumps({"seconds": 0.5, "examples": [ENTRY]}).ljust(len(both)))  # in the same places
    assert index.read(0).id == "a"
    with pytest.raises(RecordError, match="has changed since it was indexed"):
        index.read(1)
    (tmp_path / "shard-000000.tar").write_bytes(b"")
    with pytest.raises(RecordError, match="cut off"):
        index.read(0)


def test_keys_are_safe_and_differ() -> None:
    names = ["a", "a/b", "a-b", "../../etc/passwd", "第一行", "第二行", "x" * 200, ""]
    keys = [shard_key(name) for name in names]
    assert len(set(keys)) == len(names)
    assert all(key and set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-") and len(key) <= 90 for key in keys)
