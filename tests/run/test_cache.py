"""Replies are kept by everything that they depend on, and a broken cache says so."""

import math
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aptone.errors import RunError
from aptone.run import KeptReply, Reply, ReplyCache, Request
from tests.tables import for_each

REQUEST = Request(model="m@1", prompt="how apt?", audio_hash="aa", parameters={"temperature": 0.7, "top_p": 1.0})


def test_a_reply_comes_back_as_it_was(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "deep" / "cache.sqlite")
    answer = Reply("语气 \ud800\0 fine", cost=0.125, details={"tokens": 7, "finish": None})
    reply = KeptReply(answer, owner="ab12/0/i0", created="2025-01-01T00:00:00.000+00:00")
    assert cache.get("k") is None
    cache.put("k", reply)
    assert cache.get("k") == reply
    assert len(cache) == 1
    cache.close()
    again = ReplyCache(tmp_path / "deep" / "cache.sqlite")
    assert again.get("k") == reply
    again.close()


def test_the_first_reply_under_a_key_stays(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache.sqlite")
    cache.put("k", KeptReply(Reply("first"), owner="a"))
    cache.put("k", KeptReply(Reply("second"), owner="b"))
    assert cache.get("k") == KeptReply(Reply("first"), owner="a")
    cache.close()


def test_a_key_depends_on_everything_that_the_reply_depends_on() -> None:
    key = REQUEST.key(seed=1, repeat=0, attempt=0)
    others = [
        Request("m@2", "how apt?", "aa", REQUEST.parameters).key(seed=1, repeat=0, attempt=0),
        Request("m@1", "how apt? ", "aa", REQUEST.parameters).key(seed=1, repeat=0, attempt=0),
        Request("m@1", "how apt?", "ab", REQUEST.parameters).key(seed=1, repeat=0, attempt=0),
        Request("m@1", "how apt?", "aa", {"temperature": 0.8, "top_p": 1.0}).key(seed=1, repeat=0, attempt=0),
        Request("m@1", "how apt?", "aa", {"temperature": 0.7}).key(seed=1, repeat=0, attempt=0),
        REQUEST.key(seed=2, repeat=0, attempt=0),
        REQUEST.key(seed=1, repeat=1, attempt=0),
        REQUEST.key(seed=1, repeat=0, attempt=1),
    ]
    assert len({key, *others}) == 9
    turned = Request("m@1", "how apt?", "aa", {"top_p": 1.0, "temperature": 0.7})
    assert turned.key(seed=1, repeat=0, attempt=0) == key, "the order of parameters does not matter"


def test_a_prompt_with_lone_surrogates_has_a_key() -> None:
    one, two = (Request("m", text).key(seed=0, repeat=0, attempt=0) for text in ("\ud800", "\ud801"))
    assert one != two


def test_many_threads_share_one_cache(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache.sqlite")
    problems: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for number in range(20):
                cache.put(f"{number}", KeptReply(Reply(f"{number}")))
                assert cache.get(f"{number}") == KeptReply(Reply(f"{number}"))
                cache.put(f"{thread}-{number}", KeptReply(Reply("own")))
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert problems == []
    assert len(cache) == 20 + 8 * 20
    cache.close()


def test_many_processes_open_and_fill_one_cache_at_once(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom aptone.run import KeptReply, Reply, ReplyCache\n"
        "print('ready', flush=True)\nsys.stdin.readline()\ncache = ReplyCache(Path(sys.argv[1]))\n"
        "for number in range(25):\n"
        "    cache.put(f'shared-{number}', KeptReply(Reply(str(number))))\n"
        "    assert cache.get(f'shared-{number}') == KeptReply(Reply(str(number)))\n"
        "    cache.put(f'{sys.argv[2]}-{number}', KeptReply(Reply('own')))\n"
        "cache.close()\n"
    )
    path = tmp_path / "cache.sqlite"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:  # the file does not exist yet: all of them make it
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    problems = [process.communicate(timeout=300)[1] for process in processes]
    assert problems == [""] * 4
    cache = ReplyCache(path)
    assert len(cache) == 25 + 4 * 25
    cache.close()


def test_a_cache_that_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    other.execute("CREATE TABLE busy (x)")

    def finish() -> None:
        other.execute("DROP TABLE busy")
        other.execute("COMMIT")
        other.close()

    timer = threading.Timer(0.3, finish)
    timer.start()
    cache = ReplyCache(path)
    timer.join()
    assert len(cache) == 0
    cache.close()


def test_a_cache_that_stays_locked_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.run.cache.PATIENCE", 0.05)
    other = sqlite3.connect(tmp_path / "cache.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(RunError, match="locked"):
        ReplyCache(tmp_path / "cache.sqlite")
    other.close()


@pytest.mark.parametrize(
    "content", [b"not a database, though long enough to hold a header of one hundred bytes" * 3, b"x"]
)
def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"cache\.sqlite: cannot be used as a reply cache .*Delete it, or name another"):
        ReplyCache(path)
    assert path.read_bytes() == content


def test_a_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.sqlite")
    connection.execute("CREATE TABLE replies (author TEXT, body TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        ReplyCache(tmp_path / "other.sqlite")


def test_a_place_that_cannot_hold_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        ReplyCache(tmp_path / "file" / "cache.sqlite")
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        ReplyCache(tmp_path)


@pytest.mark.parametrize("whole", [4096, 8192], ids=["all but the header", "all but the header and the root"])
def test_damaged_pages_are_told_when_they_are_met(tmp_path: Path, whole: int) -> None:
    path = tmp_path / "cache.sqlite"
    cache = ReplyCache(path)
    for number in range(200):
        cache.put(f"key-{number}", KeptReply(Reply("a reply of some length " * 10)))
    cache.close()
    data = bytearray(path.read_bytes())
    data[whole:] = b"\xa5" * (len(data) - whole)
    path.write_bytes(data)
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        _read_all(path)


def _read_all(path: Path) -> None:
    cache = ReplyCache(path)
    try:
        for number in range(200):
            cache.get(f"key-{number}")
    finally:
        cache.close()


@for_each("stored", ["{", '{"text": 5}', '{"text": "t", "cost": -1.0}', b"\xff\xfe", 7])
def test_a_damaged_reply_is_told(tmp_path: Path, stored: str | bytes | int) -> None:
    path = tmp_path / "cache.sqlite"
    cache = ReplyCache(path)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO replies (key, reply) VALUES ('k', ?)", (stored,))
    connection.commit()
    connection.close()
    with pytest.raises(RunError, match=r"cache\.sqlite: cannot be used as a reply cache"):
        cache.get("k")
    cache.close()


def test_a_failed_write_is_told(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache.sqlite")
    cache.close()
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        cache.put("k", KeptReply(Reply("r")))


def test_a_cache_from_before_replies_had_owners_keeps_its_replies_and_charges_nobody(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID")
    connection.execute('INSERT INTO replies VALUES (\'old\', \'{"text": "t", "cost": 2.0}\')')
    connection.commit()
    connection.close()
    for _ in range(2):
        cache = ReplyCache(path)
        cache.put("new", KeptReply(Reply("n"), owner="o", created="c"))
        assert cache.get("old") == KeptReply(Reply("t", cost=2.0), owner="", created="")
        assert cache.get("new") == KeptReply(Reply("n"), owner="o", created="c")
        cache.close()


def test_a_full_disk_is_no_reason_to_delete_what_was_paid_for(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache.sqlite")
    cache._connection.execute("PRAGMA max_page_count = 3")  # SQLite's own way to run out of space
    with pytest.raises(RunError, match=r"cache\.sqlite: .*\(database or disk is full\)\. Fix that and run the same"):
        cache.put("k", KeptReply(Reply("r" * 100_000)))
    cache.close()


@for_each("cost", [math.inf, -math.inf, math.nan, -0.01])
def test_a_reply_with_a_cost_that_cannot_be_added_up_is_refused(cost: float) -> None:
    with pytest.raises(ValueError, match=r"the cost of a reply is a finite number of 0 or more, got"):
        Reply("r", cost=cost)


def test_only_its_owner_can_read_a_new_cache(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "cache.sqlite"
    cache = ReplyCache(path)
    cache.put("k", KeptReply(Reply("fine")))
    modes = {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}  # those that SQLite adds, too
    cache.close()
    assert modes == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
