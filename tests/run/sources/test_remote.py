"""Files of other machines are fetched once into a cache that mirrors their addresses."""

import http.server
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from aptone.errors import RecordError, RunError, UsageError
from aptone.rooms.aptness.sources import read_lines
from aptone.run.sources import remote
from aptone.run.sources.audio_cache import VARIABLE, address_of, keep, mirrored
from aptone.run.sources.remote import local
from aptone.types import AudioRef
from tests.run.sources import files
from tests.tables import for_each


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: object) -> None:
            super().__init__(*given, directory=str(tmp_path))  # type: ignore[arg-type]

        def log_request(self, code: object = "-", size: object = "-") -> None:
            asked.append(self.path)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_list_and_its_recordings_are_fetched_once(
    tmp_path: Path, cache: Path, served: tuple[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    address, asked = served
    files.manifest(tmp_path)
    for _ in range(2):
        samples, _ = read_lines(mirrored(f"{address}/manifest.jsonl"))
        assert len(samples) == files.COUNT
    assert sorted(asked) == sorted(["/manifest.jsonl", *(f"/clip{number}.wav" for number in range(files.COUNT))])
    paths = [Path(one.audio.path) for one in samples]  # type: ignore[union-attr]
    assert all(path.is_relative_to(cache) for path in paths)
    assert paths[3].read_bytes() == files.tone(3)
    assert f"aptone: fetching {address}/clip3.wav\n" in capsys.readouterr().err


def test_the_story_of_a_list_is_fetched_from_beside_it_or_from_its_own_address(
    tmp_path: Path, served: tuple[str, list[str]]
) -> None:
    address, asked = served
    files.recordings(tmp_path)
    (tmp_path / "night.txt").write_text("It was dark.\nWho is there?\n", encoding="utf-8")
    record = {"audio": "clip0.wav", "line": "Who is there?"}
    for name, told in (("beside", "night.txt"), ("address", f"{address}/night.txt")):
        files.write_jsonl(tmp_path / f"{name}.jsonl", [{**record, "story": told}])
        (sample,), _ = read_lines(mirrored(f"{address}/{name}.jsonl"))
        assert [one.text for one in sample.context] == ["It was dark."]
    assert asked.count("/night.txt") == 1


def test_the_address_of_a_file_here_is_its_path_and_that_of_a_folder_elsewhere_is_refused(tmp_path: Path) -> None:
    files.recordings(tmp_path / "a b")
    path = tmp_path / "t.csv"
    path.write_text(f"path,text\n{(tmp_path / 'a b' / 'clip1.wav').as_uri()},One.\n", encoding="utf-8")
    (sample,), _ = read_lines(mirrored(path.as_uri()))
    assert sample.audio == AudioRef(str(tmp_path / "a b" / "clip1.wav"))
    with pytest.raises(UsageError, match="s3://bucket/clips/: a folder on another machine"):
        mirrored("s3://bucket/clips/")


def test_recordings_have_addresses_of_their_own_in_a_local_table(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/bucket/a b.wav", files.tone(4))
    path = tmp_path / "t.csv"
    path.write_text("path,text\nmemory://bucket/a b.wav,One.\n", encoding="utf-8")
    (sample,), _ = read_lines(path)
    assert Path(sample.audio.path).read_bytes() == files.tone(4)  # type: ignore[union-attr]


def test_what_cannot_be_fetched_is_said(served: tuple[str, list[str]]) -> None:
    address, _ = served
    with pytest.raises(RunError, match=r"/gone\.wav: cannot be fetched .*404"):
        local(mirrored(f"{address}/gone.wav"))
    with pytest.raises(RecordError, match=r"memory://bucket/gone.wav: cannot be fetched \(FileNotFoundError"):
        local(mirrored("memory://bucket/gone.wav"))
    with pytest.raises(RecordError, match=r"nonsense://host/a.wav: no way to fetch it is known"):
        local(mirrored("nonsense://host/a.wav"))


def test_a_missing_package_of_a_protocol_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(address: str) -> None:
        raise ImportError("Install s3fs")

    monkeypatch.setattr("fsspec.core.url_to_fs", refuse)
    with pytest.raises(RecordError, match=r"s3://bucket/a\.wav: .*pip install s3fs"):
        local(mirrored("s3://bucket/a.wav"))


@for_each(
    "address",
    ["s3://bucket/dir/a.wav", "https://host:8000/a%20b.wav", "https://host/get?id=3&x=/y", "hf://datasets/u/d/a.wav"],
)
def test_an_address_is_found_again_from_its_place(address: str) -> None:
    assert address_of(mirrored(address)) == address


@for_each("address", ["https:///a.wav", "https://u:secret@host/a.wav", "https://secret@host/a.wav", "s3://b/%2e%2e/a"])
def test_an_address_that_leads_elsewhere_or_holds_a_password_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="not an address that can be fetched") as caught:
        mirrored(address)
    assert "secret" not in str(caught.value)


def test_bytes_are_kept_once_under_their_hash(cache: Path) -> None:
    first, second = keep(b"RIFF", "x.wav"), keep(b"RIFF", "other/y.WAV")
    assert first == second
    assert first.read_bytes() == b"RIFF"
    assert keep(b"RIFF", "../../evil.sh").is_relative_to(cache)
    assert address_of(first) is None


class StalledFile(io.BytesIO):
    """A file that gives its first bytes and then nothing until it is released."""

    released = threading.Event()

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            assert self.released.wait(120.0)
        return super().read(4)


class StalledFiles(fsspec.AbstractFileSystem):  # type: ignore[misc]
    """A file system of one such file."""

    protocol = "stalled"

    def size(self, path: str) -> int:
        return 8

    def open(self, path: str, mode: str = "rb", **_: object) -> StalledFile:
        return StalledFile(b"01234567")


def test_a_download_of_which_nothing_comes_is_given_up_and_leaves_nothing(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "STALLED_SECONDS", 0.1)
    fsspec.register_implementation("stalled", StalledFiles, clobber=True)
    path = mirrored("stalled://there/clip.wav")
    before = set(threading.enumerate())
    with pytest.raises(RecordError, match=r"stalled://there/clip\.wav: nothing came for"):
        local(path, say=lambda _: None)
    fetching = [one for one in threading.enumerate() if one not in before]
    StalledFile.released.set()
    for one in fetching:
        one.join(120.0)
    assert not [one for one in cache.rglob("*") if one.is_file()]  # also when the rest came after all


def test_a_file_of_several_blocks_is_fetched_whole() -> None:
    with fsspec.open("memory://slow/clip.wav", "wb") as file:
        file.write(bytes(3 << 20))
    assert local(mirrored("memory://slow/clip.wav"), say=lambda _: None).stat().st_size == 3 << 20


SIGNATURE = "X-Amz-Credential=AKIAGEHEIM&X-Amz-Expires=60&X-Amz-Signature=0123geheim"


def test_what_signs_an_address_is_used_once_and_stands_in_no_path(
    tmp_path: Path, cache: Path, served: tuple[str, list[str]]
) -> None:
    address, asked = served
    files.recordings(tmp_path)
    path = tmp_path / "t.csv"
    path.write_text(f"path,text\n{address}/clip1.wav?part=2&{SIGNATURE},One.\n", encoding="utf-8")
    (sample,), _ = read_lines(path)
    assert asked == [f"/clip1.wav?part=2&{SIGNATURE}"]
    assert Path(sample.audio.path).read_bytes() == files.tone(1)  # type: ignore[union-attr]
    assert "geheim" not in str(sample).lower()
    assert not [one for one in cache.rglob("*") if "geheim" in one.name.lower() or one.name.endswith(".address")]
    renewed = f"{address}/clip1.wav?part=2&{SIGNATURE.replace('0123', '4567')}"
    path.write_text(f"path,text\n{renewed},One.\n", encoding="utf-8")
    assert read_lines(path)[0] == [sample]  # signed anew it is the same recording, and a run goes on
    assert len(asked) == 1


def test_a_signed_address_that_is_yet_to_be_fetched_is_readable_by_its_owner_only(cache: Path) -> None:
    signed = f"https://host/a.wav?{SIGNATURE}"
    path = mirrored(signed)
    assert address_of(path) == signed
    (kept,) = [one for one in cache.rglob("*") if one.is_file()]
    assert kept.stat().st_mode & 0o077 == 0
