"""What an ear heard, drawn over time: waveform, sounds, pitch, loudness and emotion on one axis; as SVG or a page."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

import jinja2

from aptone.errors import AptoneError
from aptone.messages import words
from aptone.report.clips import LONGEST_CLIP, sound_uri, source_name
from aptone.report.hearing.drawing import NARROW, WIDE, draw
from aptone.report.hearing.findings import hearing_headline, hearing_phrase, hearing_sections
from aptone.report.page import assets, content_policy, drawing_style, new_environment
from aptone.report.safe_text import one_line
from aptone.types import Audio, AudioRef, Language, Perception, Segment

MOST_SOUND = 4_000_000
"""Characters of sound that a page holds; a longer recording is drawn, but cannot be played."""


def hearing_svg(
    perception: Perception,
    audio: Audio,
    *,
    clip: AudioRef,
    speech: Sequence[Segment] = (),
    language: Language = "en",
) -> str:
    """The picture as one SVG file, light or dark as the viewer is.

    Nothing in it points outside, there is no script in it, and text from files is escaped.

    Args:
        perception: with its tracks and its trajectory; what it lacks is not drawn.
        audio: the same clip.
        clip: where it came from.
        speech: stretches to shade.
        language: of the words.
    """
    drawing = draw(perception, audio, clip=clip, speech=speech, language=language, layout=WIDE, headings=True)
    return _template("hearing.svg.j2").render(
        drawing=drawing, word=words(language, "report"), language=language, style=drawing_style()
    )


def hearing_html(
    perception: Perception,
    audio: Audio,
    *,
    clip: AudioRef,
    speech: Sequence[Segment] = (),
    language: Language = "en",
) -> str:
    """The picture as one page with a player, and everything that was heard below it; arguments as `hearing_svg`.

    As in the report, a policy forbids the browser to load anything or to run any script but ours.
    """
    style = assets("palette.css", "plots.css", "report.css", "hearing.css")
    script = assets("problems.js", "players.js", "hearing.js")
    uri, problem = _sound(audio, language)
    both = {"wide": WIDE, "narrow": NARROW}
    return _template("hearing.html.j2").render(
        drawings={
            name: draw(perception, audio, clip=clip, speech=speech, language=language, layout=layout)
            for name, layout in both.items()
        },
        title=source_name(clip, limit=200),
        phrase=hearing_phrase(perception, language=language),
        headline=hearing_headline(perception, language=language),
        sections=hearing_sections(perception, language=language),
        uri=uri,
        problem=problem,
        word=words(language, "report"),
        language=language,
        version=version("aptone"),
        style=style,
        script=script,
        policy=content_policy(style=style, script=script),
    )


@cache
def _template(name: str) -> jinja2.Template:
    return new_environment().get_template(name)


def _sound(audio: Audio, language: Language) -> tuple[str, str]:
    """The clip as a data URI, or else why there is none."""
    word = words(language, "report")
    if audio.seconds > LONGEST_CLIP:
        return "", word("too_large")
    try:
        uri = sound_uri(audio)
    except AptoneError as error:
        return "", one_line(str(error), limit=300)
    return (uri, "") if len(uri) <= MOST_SOUND else ("", word("too_large"))
