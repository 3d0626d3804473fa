"""The style of a fragment: all rules of the report are read, those that it needs are taken, and none reaches beyond."""

import re

from aptone.report.displays.style import SHEETS, fragment_style, report_rules
from aptone.report.page import assets, palette


def test_every_rule_of_the_sheets_is_read_in_order() -> None:
    text = re.sub(r"/\*.*?\*/", "", assets(*SHEETS), flags=re.DOTALL)
    blocks = text.count("{") - text.count("@media")
    assert len(report_rules()) == blocks
    declarations = "".join(text.split())
    place = 0
    for rule in report_rules():
        place = declarations.index("{" + "".join(rule.declarations.split()) + "}", place)


def test_only_rules_for_what_a_fragment_has_are_taken() -> None:
    style = fragment_style('<p class="byline">a</p>').text
    assert ".byline {" in style
    assert fragment_style("<p class='byline'>a</p>").text == style
    for absent in ("table", ".tiles", "h1", "nav", "#items", "@page", "html {", ":root", "body"):
        assert absent not in style.replace("[data-jp-theme", "").replace('html[theme="dark"]', ""), absent
    assert ".tiles {" in fragment_style('<dl class="tiles"></dl>').text
    assert "@container (max-width: 640px) {" in fragment_style('<dl class="tiles"><dd></dd></dl>').text


def test_everything_stands_in_one_scope_that_is_named_by_its_rules() -> None:
    one, other = fragment_style("<p></p>"), fragment_style("<table></table>")
    for style in (one, other):
        assert style.text.startswith(f"@scope (.aptone-display.{style.name}) {{ :scope:scope:scope {{")
        assert style.text.endswith("} }")
        depth = 0
        for place, character in enumerate(style.text):
            depth += {"{": 1, "}": -1}.get(character, 0)
            assert depth >= 2 or place < 70 or place > len(style.text) - 4
    assert one.name != other.name
    assert fragment_style("<p>text</p>") == fragment_style("<p></p>")


def test_a_colour_has_its_light_and_its_dark_form_and_unused_ones_are_left_out() -> None:
    light, dark = palette()
    style = fragment_style('<p class="absent"></p>').text
    assert f"--middle: light-dark({light['middle']}, {dark['middle']});" in style
    assert "--shade-0" not in style
    used = set(re.findall(r"var\(--([\w-]+)\)", style))
    assert used <= set(re.findall(r"--([\w-]+):", style))
