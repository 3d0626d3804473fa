"""What holds for the HTML of every record: well-formed, bounded, escaped, complete in itself, without headings."""

import re

import pytest
from markupsafe import Markup

from aptone.messages import LANGUAGE_VARIABLE
from aptone.registry import Registry
from aptone.report.displays import fragment, render_display
from aptone.types import Displayed
from tests.report.displays.conftest import LONG
from tests.report.displays.parsed_html import Parsed, parse

LARGEST = 200_000
"""Characters of a fragment without its recordings."""

Records = dict[str, Displayed]
ALLOWED = {
    *(
        "div",
        "style",
        "p",
        "span",
        "bdi",
        "b",
        "small",
        "ul",
        "li",
        "dl",
        "dt",
        "dd",
        "mark",
        "br",
        "sup",
        "code",
        "pre",
    ),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "section", "figure", "figcaption"),
    *("audio", "svg", "g", "title", "line", "rect", "path", "circle", "text"),
}
"""Elements that our templates write."""


def test_every_display_is_tried(records: Records, hostile_records: Records) -> None:
    registered = set(Registry("displays", object))
    assert registered == {name for name in records if name[0].isupper()}
    assert registered == {name for name in hostile_records if name[0].isupper()}
    assert all(type(record).__name__ == name for name, record in records.items() if name[0].isupper())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_fragment_is_well_formed_small_and_complete_in_itself(
    records: Records, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LANGUAGE_VARIABLE, language)
    for name, record in records.items():
        parsed = parse(record)
        tag, attributes = parsed.elements[0]
        assert (tag, attributes["lang"]) == ("div", {"en": "en", "zh": "zh-Hans"}[language]), name
        assert _without_sound(parsed.markup) < 80_000, name
        _check(parsed)
        assert not re.search(r"\{\w*\}|None|nan\b", parsed.words), name


@pytest.mark.slow
def test_hostile_texts_are_shown_and_nothing_of_them_is_obeyed(hostile_records: Records) -> None:
    for name, record in hostile_records.items():
        parsed = parse(record)
        _check(parsed)
        assert "<script>alert(1)</script>" in parsed.text, name
        assert "⟨U+202E⟩␛[2J\ufffd" in parsed.text, name
        assert "\u202e" not in parsed.markup, name
        parsed.markup.encode()


@pytest.mark.slow
def test_a_fragment_is_bounded_however_much_the_record_holds(hostile_records: Records) -> None:
    sizes = {name: _without_sound(parse(record).markup) for name, record in hostile_records.items()}
    assert max(sizes.values()) < LARGEST, sizes
    assert len(LONG) * 3 < min(len(repr(hostile_records[name])) for name in ("Run", "Entry", "TrustCard"))


def _without_sound(markup: str) -> int:
    return len(re.sub(r'src="data:audio/ogg;base64,[^"]*"', "", markup))


def _check(parsed: Parsed) -> None:
    """Only elements that we write, no address outside, no script, style attribute, id or heading."""
    assert {tag for tag, _ in parsed.elements} <= ALLOWED
    for tag, attributes in parsed.elements:
        names = set(attributes)
        assert not names & {"id", "style", "href", "srcset", "action"}, (tag, names)
        assert not {name for name in names if name.startswith("on")}, (tag, names)
        if "src" in names:
            assert tag == "audio"
            assert str(attributes["src"]).startswith("data:audio/ogg;base64,")
    assert not re.search(r"url\(|@import|https?:", parsed.style)
    assert parsed.style.count("{") == parsed.style.count("}")


def test_markup_has_to_say_that_it_is_safe() -> None:
    with pytest.raises(TypeError, match="got str"):
        fragment("<b>")  # type: ignore[arg-type]
    shown = Parsed(fragment(Markup("<p class='byline'>{}</p>").format("<i>"), language="zh"))
    assert shown.words == "<i>"
    assert shown.elements[0][1]["lang"] == "zh-Hans"


def test_a_template_of_ours_is_filled_in() -> None:
    shown = render_display("ranking.html.j2", language="en", heads=["<a>"], rows=[], gone="")
    assert "&lt;a&gt;" in shown
