"""What the server says in English is known to the pages in Mandarin, word for word."""

import re
from importlib import resources
from pathlib import Path

import pytest

import aptone

PACKAGE = Path(aptone.__file__).parent
SOURCES = ("run/rating_rules.py", "studio/agreement*.py", "stats/*.py")
SCRIPT = Path(str(resources.files("aptone.studio"))) / "static" / "reasons.js"
SENTENCES = re.findall(r'^  \["([^"]+)", "([^"]+)"\],$', SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)


def spoken() -> str:
    """The sources with every value in a sentence as ``{}``, and sentences that run over lines in one piece."""
    text = "\n".join(path.read_text(encoding="utf-8") for pattern in SOURCES for path in PACKAGE.glob(pattern))
    return re.sub(r"\{[^{}\n]*\}", "{}", re.sub(r'"\s*\n\s*f?"', "", text))


SPOKEN = spoken()


def test_the_table_is_read_as_it_is_written() -> None:
    assert len(SENTENCES) > 20


@pytest.mark.parametrize(("english", "mandarin"), SENTENCES, ids=[english for english, _ in SENTENCES])
def test_every_sentence_that_the_pages_know_is_one_that_the_server_says(english: str, mandarin: str) -> None:
    parts = [part for part in english.split("{}") if part.strip()]
    assert all(part in SPOKEN for part in parts)
    assert english.count("{}") == mandarin.count("{}")
    assert re.search(r"[\u4e00-\u9fff]", mandarin)
