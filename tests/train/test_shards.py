"""Shards on another machine: fetched when needed, few kept, with the batches of shards that are here."""

import io
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.client import HTTPMessage
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training judges needs torch: pip install 'aptone[train]'")

from aptone.errors import RecordError, RunError
from aptone.run.http import download
from aptone.run.sources import remote_shards
from aptone.run.sources.remote_shards import shard_source
from aptone.run.sources.shards import shard_files
from aptone.train import shards as training_shards
from aptone.train.judge.dataset import ExampleBatches, index_examples
from tests.tables import for_each
from tests.train.judge.tiny_judges import save_shards


class Server:
    """A machine with shards on it, which breaks off now and then."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        self.breaks: list[str] = []
        self.points: dict[str, str] = {}
        server = self

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                if self.path in server.breaks:
                    server.breaks.remove(self.path)
                    self.send_response(200)
                    self.send_header("Content-Length", "100000")
                    self.end_headers()
                    self.wfile.write(b"x" * 500)
                    return
                if self.path in server.points:
                    self.send_response(302)
                    self.send_header("Location", server.points[self.path])
                    self.end_headers()
                    return
                super().do_GET()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(remote_shards, "_wait", lambda attempt: 0.0)
    save_shards(tmp_path / "there", 8, per_shard=2)
    made = Server(tmp_path / "there")
    thread = Thread(target=made.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.http.shutdown()
    made.http.server_close()
    thread.join()


def listed(tmp_path: Path, server: Server) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    names = [path.name for path in shard_files(tmp_path / "there")]
    (folder / "shards.txt").write_text("# of a bucket\n" + "\n".join(f"{server.address}/{name}" for name in names))
    return folder


def test_fetched_shards_give_the_batches_of_those_that_are_here(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_shards, "KEPT", 2)
    monkeypatch.setattr(training_shards, "GROUP", 1)
    folder = listed(tmp_path, server)
    server.breaks.append("/shard-000001.tar")
    here = ExampleBatches(index_examples(tmp_path / "there"), 4, seed=1, num_workers=1)
    there = ExampleBatches(index_examples(folder), 4, seed=1, num_workers=1)
    assert server.asked.count("/shard-000001.tar") == 2  # the first time, it broke off
    for one, other in zip(here.shares(0, 8), there.shares(0, 8), strict=True):
        assert [example.id for example in one] == [example.id for example in other]
        assert [example.audio for example in one] == [example.audio for example in other]
    assert len(list((folder / "cache").glob("*.tar"))) <= 2
    fetched = len(server.asked)
    assert index_examples(folder).identity == there.identity  # the rows were kept: nothing is fetched for them
    assert len(server.asked) == fetched


def test_a_shard_that_is_not_there_is_named(tmp_path: Path, server: Server) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "shards.txt").write_text(f"{server.address}/none.tar\n")
    with pytest.raises(RunError, match=r"none\.tar: cannot be fetched \(HTTP Error 404"):
        index_examples(folder)
    assert server.asked == ["/none.tar"]  # not asked again
    server.breaks += ["/shard-000000.tar"] * 9
    (folder / "shards.txt").write_text(f"{server.address}/shard-000000.tar\n")
    with pytest.raises(RunError, match="500 of 100000 bytes came"):
        index_examples(folder)
    assert not list((folder / "cache").glob("*.tar*"))


@for_each("line", ["file:///etc/passwd", "shard.tar", "ftp://a/b.tar", "http://a b"])
def test_only_addresses_of_the_web_are_fetched(tmp_path: Path, line: str) -> None:
    (tmp_path / "shards.txt").write_text(line)
    with pytest.raises(RecordError, match="expected an address"):
        shard_source(tmp_path)
    (tmp_path / "shards.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RunError, match=r"shards\.txt: cannot be read"):
        shard_source(tmp_path)


def test_a_shard_that_never_ends_is_cut_short(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_shards, "LARGEST_SHARD", 1000)
    with pytest.raises(RecordError, match="larger than the 1000 bytes"):
        index_examples(listed(tmp_path, server))


@pytest.mark.parametrize("elsewhere", ["ftp://127.0.0.1/shard.tar", "file:///etc/passwd", "data:,x"])
def test_a_server_can_point_to_the_web_only(tmp_path: Path, server: Server, elsewhere: str) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "shards.txt").write_text(f"{server.address}/moved.tar")
    server.points["/moved.tar"] = elsewhere
    with pytest.raises(RunError, match=r"moved\.tar: (points to|cannot be fetched)"):
        index_examples(folder)
    assert server.asked == ["/moved.tar"]
    server.points["/moved.tar"] = f"{server.address}/shard-000000.tar"
    assert len(index_examples(folder)) == 4  # two clips, with reasons and without


def test_a_server_cannot_point_from_https_to_http(tmp_path: Path) -> None:
    asked = urllib.request.Request("https://shards.example/a.tar")
    moved = partial(download._Elsewhere().redirect_request, asked, io.BytesIO(), 302, "Found", HTTPMessage())
    with pytest.raises(RunError, match=r"a\.tar: points to 'http://shards\.example/a\.tar', which is not followed"):
        moved("http://shards.example/a.tar")
    assert moved("https://other.example/a.tar") is not None


def test_rows_of_another_kind_are_not_taken_for_an_index(tmp_path: Path, server: Server) -> None:
    folder = listed(tmp_path, server)
    count = len(index_examples(folder))
    (kept,) = folder.glob("index-*.npy")
    np.save(kept, np.zeros(3))
    with pytest.raises(RecordError, match=r"index-\w+\.npy: holds rows of another kind; remove it"):
        index_examples(folder)
    kept.write_bytes(b"nothing")
    with pytest.raises(RecordError, match=r"index-\w+\.npy: holds no rows .* remove it"):
        index_examples(folder)
    kept.unlink()
    assert len(index_examples(folder)) == count
