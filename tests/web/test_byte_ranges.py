"""Parts of files, as players ask for them."""

import contextlib
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse

from aptone.web.byte_ranges import PIECE, send_part, wanted_range
from aptone.web.refusals import NoSuchPartError, NotFoundError
from tests.tables import for_each


@given(st.integers(1, 50), st.integers(0, 60), st.integers(0, 60))
def test_a_range_lies_in_the_file_or_is_refused(size: int, first: int, last: int) -> None:
    for header in (f"bytes={first}-{last}", f"bytes={first}-", f"bytes=-{last}"):
        part = None
        with contextlib.suppress(NoSuchPartError):
            part = wanted_range(header, size)
        assert part is None or 0 <= part[0] <= part[1] < size


@for_each("header", ["", "bytes=", "bytes=-", "bytes=5-2", "lines=1-2", "bytes=a-b", "bytes=0-1,3-4"])
def test_what_is_no_single_range_of_bytes_is_ignored(header: str) -> None:
    assert wanted_range(header, 10) is None


@for_each("header", ["bytes=10-", "bytes=10-20", "bytes=-0"])
def test_a_part_beyond_the_end_is_refused(header: str) -> None:
    with pytest.raises(NoSuchPartError) as caught:
        wanted_range(header, 10)
    assert caught.value.headers["Content-Range"] == "bytes */10"


def sent(path: Path, *, method: str = "GET", **headers: str) -> tuple[Response, bytes]:
    async def ask() -> tuple[Response, bytes]:
        given = Headers({name.replace("_", "-"): value for name, value in headers.items()})
        response = await send_part(path, method=method, headers=given, media_type="audio/wav", cache="private")
        if isinstance(response, StreamingResponse):
            pieces = [piece async for piece in response.body_iterator]
            return response, b"".join(piece for piece in pieces if isinstance(piece, bytes))
        return response, bytes(response.body)

    return anyio.run(ask)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * (PIECE // 256 + 2))  # more than one piece
    return path


def test_a_file_is_sent_whole_in_part_and_by_its_head_alone(file: Path) -> None:
    content = file.read_bytes()
    whole, body = sent(file)
    assert (whole.status_code, body) == (200, content)
    assert whole.headers["content-length"] == str(len(content))
    part, body = sent(file, range="bytes=3-9")
    assert (part.status_code, body) == (206, content[3:10])
    assert part.headers["content-range"] == f"bytes 3-9/{len(content)}"
    head, body = sent(file, method="HEAD", range="bytes=3-9")
    assert (head.status_code, head.headers["content-length"], body) == (206, "7", b"")


def test_a_part_of_an_older_file_is_answered_with_the_whole_new_one(file: Path) -> None:
    tag = sent(file)[0].headers["etag"]
    assert sent(file, range="bytes=0-1", if_range=tag)[0].status_code == 206
    assert sent(file, range="bytes=0-1", if_range='"older"')[0].status_code == 200
    assert sent(file, if_none_match=tag)[0].status_code == 304


def test_a_file_that_is_gone_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        sent(tmp_path / "gone")
