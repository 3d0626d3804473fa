"""Targets of `benchmarks/audio_fuzz.py --guided`, which starts ``python -m benchmarks.fuzz_targets audio|replies``.

Further arguments are the folder of inputs and libFuzzer's options. Code of `aptone` that is imported in here counts for
coverage; native decoders do not.
"""

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

CAPTION = "His voice is deep, confident and not sad."
REPLIES = (
    "<think>Calm. <focus_audio>slow</focus_audio></think><score>2.5</score>",
    "First I thought <score>1.0</score>, but it is <score>4.25</score>.",
    '{"emotion": "calm", "rhythm": "low-paced", "intonation": "falling", "recording_condition": "normal"}',
    '{"emotion": "平静", "rhythm": "low-paced", "intonation": "falling", "recording_condition": "正常"}',
    '<think>{"score": 1}</think>{"reason": "Warm and to the point.", "score": 4}',
    '{"emotion": "calm", "rate": "slow", "description": "a calm voice"}',
    '{"units": [{"fact": "gender is Male", "attribute": "gender", "value": "Male", "evidence": "His"}, '
    '{"fact": "emotion is sad", "attribute": "emotion", "value": "sad", "evidence": "sad", "denied": true}]}',
    '{"matches": [{"reference": 1, "caption": 2}, {"reference": 2, "caption": 1}]}',
    "Yes.",
    "No, it is not.",
    '{"a": 1, "a": 2}',
    '{"score": 1e999}',
    '{"score": NaN}',
    '\u202e{"score": 5}',
    "[" * 200 + "]" * 200,
)


def audio_seeds() -> list[bytes]:
    """Recordings in every format."""
    from benchmarks.audio_fuzz import seed_files

    return list(seed_files().values())


def reply_seeds() -> list[bytes]:
    """Replies of models, good and bad, and a record of a journal."""
    from aptone.types import Entry, Item, Outcome, Score, State
    from aptone.types.codec import dumps_record

    outcome = Outcome(State.DONE, scores={"aptness": Score(2.5)}, signature="fuzz|1")
    record = dumps_record(Entry(item=Item.make("a", {"line": "Go."}, position=0), outcome=outcome))
    return [reply.encode() for reply in (*REPLIES, record)]


TARGETS: dict[str, Callable[[], Iterable[bytes]]] = {"audio": audio_seeds, "replies": reply_seeds}


def audio_target() -> Callable[[bytes], None]:
    """Return the function that reads a recording."""
    from aptone.audio import read
    from aptone.errors import AudioError, MissingExtraError

    path = Path(tempfile.mkdtemp()) / "recording"

    def target(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(AudioError, MissingExtraError):
            read(path, rate=16_000, channel="mix", max_seconds=600.0)

    return target


def reply_target() -> Callable[[bytes], None]:
    """Return the function that gives a reply to every reader of replies."""
    from aptone.errors import RecordError, UnusableReplyError
    from aptone.judge.chat.verdict import read_verdict
    from aptone.planner.chat.planner import read_vote
    from aptone.rooms.answer.judge.chat import read_fitness
    from aptone.rooms.answer.listening import read_style
    from aptone.rooms.caption.decompose.chat import read_units
    from aptone.rooms.caption.match import read_matches
    from aptone.rooms.caption.verify import read_yes_or_no
    from aptone.types import Entry, from_json, loads

    readers: tuple[Callable[[str], object], ...] = (
        lambda reply: read_verdict(reply, shown=("A line.",)),
        lambda reply: read_vote(reply, window=3, language="en"),
        lambda reply: read_vote(reply, window=3, language="zh"),
        read_fitness,
        read_style,
        read_yes_or_no,
        lambda reply: read_units(reply, caption=CAPTION, language="en"),
        lambda reply: read_matches(reply, units=2, reference=2),
        lambda reply: from_json(Entry, loads(reply)),
    )

    def target(data: bytes) -> None:
        reply = data.decode("utf-8", "replace")
        for reader in readers:
            with contextlib.suppress(UnusableReplyError, RecordError):
                reader(reply)

    return target


def main() -> None:
    """Fuzz one target until libFuzzer ends the process."""
    import atheris

    name = sys.argv[1]
    with atheris.instrument_imports(
        include=[
            "aptone.audio",
            "aptone.judge",
            "aptone.models.asking",
            "aptone.types",
            "aptone.planner.chat",
            "aptone.rooms",
        ]
    ):
        target = audio_target() if name == "audio" else reply_target()
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
