import re
import string
from pathlib import Path

import pytest

import aptone.report
from aptone.cli.train.words import PHRASES as TRAINING
from aptone.report.phrase import Phrase
from aptone.report.words import PHRASES, words
from aptone.report.words_page import PAGE
from aptone.report.words_trust import TRUST
from aptone.report.words_verbs import VERBS
from aptone.train.ablation.words import PHRASES as ABLATION

ROOM = Path(aptone.report.__file__).parent
ABOVE = (ROOM.parent / "rooms", ROOM.parent / "cli")
# The rest of the key comes from a record.
PREFIXES = ("state_", "band_", "probe_", "row_", "why_", "how_", "kind_", "unit_")


def _sources(*above: Path) -> str:
    files = [path for path in [*ROOM.glob("*.py"), *ROOM.glob("templates/*.j2")] if not path.name.startswith("words")]
    files += [path for folder in above for path in folder.rglob("*.py")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize("phrase", [*PHRASES.values(), *TRAINING.values(), *ABLATION.values()], ids=lambda one: one.en)
def test_both_languages_say_it_and_fill_in_the_same_things(phrase: Phrase) -> None:
    assert phrase.en
    assert phrase.zh

    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert names(phrase.en) == names(phrase.zh)


def test_no_two_tables_have_the_same_key() -> None:
    assert len(PHRASES) == len(PAGE) + len(TRUST) + len(VERBS)


def test_every_key_that_is_asked_for_exists() -> None:
    asked = set(re.findall(r"""\bword\(\s*["']([\w-]+)["']\s*[,)]""", _sources()))
    assert len(asked) > 50
    assert asked <= set(PHRASES)


def test_no_phrase_is_left_over() -> None:
    sources = _sources(*ABOVE)
    asked = {key: key.removesuffix("_one") for key in PHRASES}  # a count of 1 asks for the singular by itself
    unused = [
        key
        for key, name in asked.items()
        if not key.startswith(PREFIXES) and f'"{name}"' not in sources and f"'{name}'" not in sources
    ]
    assert unused == []


def test_an_unknown_key_and_an_unfilled_brace_raise() -> None:
    with pytest.raises(KeyError):
        words("en")("no such key")
    with pytest.raises(KeyError):
        words("zh")("items_count")
