import re

from aptone.report.page import assets, content_policy, drawing_style, new_environment


def test_text_in_a_template_is_escaped_and_what_a_browser_would_obey_is_shown() -> None:
    template = new_environment().from_string("<p>{{ text }}</p>")
    assert template.render(text="<b>\u202e\x00") == "<p>&lt;b&gt;⟨U+202E⟩␀</p>"


def test_every_colour_of_the_drawings_is_in_the_palette_by_day_and_by_night() -> None:
    light, _, dark = assets("palette.css").partition("@media (prefers-color-scheme: dark)")
    used = set(re.findall(r"var\((--[\w-]+)\)", assets("plots.css")))
    assert len(used) > 8
    assert used <= set(re.findall(r"(--[\w-]+):", light))
    assert used - {"--sans"} <= set(re.findall(r"(--[\w-]+):", dark))


def test_a_drawing_that_stands_alone_has_its_colours_written_out_light_first() -> None:
    style = drawing_style()
    assert "var(" not in style
    assert style.index(".paper { fill: #fbfaf7; }") < style.index("@media (prefers-color-scheme: dark)")
    assert style.index("@media (prefers-color-scheme: dark)") < style.index(".paper { fill: #15171a; }")
    assert style.count("{") == style.count("}")


def test_the_policy_names_the_hashes_of_style_and_script() -> None:
    # printf '' | openssl dgst -sha256 -binary | base64
    empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    policy = content_policy(style="", script="x")
    assert policy.startswith("default-src 'none'; media-src data:;")
    assert f"style-src {empty}; script-src 'sha256-" in policy
    assert policy.count(empty) == 1
