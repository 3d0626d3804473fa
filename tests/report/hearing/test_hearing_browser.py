"""The page of what was heard, as a real browser builds it: policy, player, and the line that follows the sound."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aptone.report.hearing.plot import hearing_html, hearing_svg
from aptone.types import Audio, AudioRef, Language, Perception, Segment
from tests.browsers import CHROMIUM, LEAN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on this machine"),
]

CLICK = """<script>
const svg = document.querySelector("svg.timeline.wide"), player = document.querySelector("audio");
const click = () => {
  const box = svg.getBoundingClientRect(), left = Number(svg.dataset.left), right = Number(svg.dataset.right);
  const x = box.left + box.width * (left + 0.75 * (right - left)) / svg.viewBox.baseVal.width;
  svg.dispatchEvent(new MouseEvent("click", { clientX: x, clientY: box.top + 5 }));
};
if (player.readyState >= 1) click(); else player.addEventListener("loadedmetadata", click);
</script>"""


def _opened(page: str, folder: Path, *, name: str = "page.html") -> str:
    assert CHROMIUM is not None
    path = folder / name
    path.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless", *LEAN, "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += [
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--virtual-time-budget=4000",
        "--dump-dom",
    ]
    return subprocess.run([*command, path.as_uri()], capture_output=True, timeout=300, check=True).stdout.decode()


@pytest.fixture(scope="module")
def page(make_perception: Callable[..., Perception], make_sound: Callable[..., Audio]) -> Callable[[Language], str]:
    def made(language: Language) -> str:
        speech = [Segment(0.0, 1.6), Segment(2.0, 3.6)]
        return hearing_html(
            make_perception(4.0), make_sound(4.0), clip=AudioRef("one.wav"), speech=speech, language=language
        )

    return made


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_script_runs_without_an_error_or_a_breach_of_the_policy_and_the_sound_is_loaded(
    page: Callable[[Language], str], language: Language, tmp_path: Path
) -> None:
    document = _opened(page(language), tmp_path)
    assert 'data-script="ready"' in document
    assert 'data-problems="0"' in document
    (player,) = re.findall(r"<audio [^>]*>", document)
    assert "data-error" not in player
    (seconds,) = re.findall(r'data-ready="([\d.]+)"', player)
    assert float(seconds) == pytest.approx(4.0, abs=0.04)  # Chromium counts the last block of Vorbis as whole


def test_a_click_on_the_picture_seeks_and_moves_the_line_in_both_drawings(
    page: Callable[[Language], str], tmp_path: Path
) -> None:
    # The policy would stop this script of ours as it would a stranger's, so it is taken out.
    free = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page("en"))
    document = _opened(free.replace("</body>", CLICK + "</body>"), tmp_path)
    for drawing in re.findall(r'<svg class="timeline.*?</svg>', document, flags=re.DOTALL):
        left, right = (float(re.findall(rf'data-{side}="([\d.]+)"', drawing)[0]) for side in ("left", "right"))
        (x,) = re.findall(r'<line class="head" x1="([\d.]+)"', drawing)
        assert float(x) == pytest.approx(left + 0.75 * (right - left), abs=0.01 * (right - left))


def test_a_browser_reads_the_picture_that_stands_alone(
    make_perception: Callable[..., Perception], make_sound: Callable[..., Audio], tmp_path: Path
) -> None:
    picture = hearing_svg(make_perception(4.0), make_sound(4.0), clip=AudioRef("one.wav"), language="zh")
    document = _opened(picture, tmp_path, name="one.svg")
    assert "parsererror" not in document
    assert "明显愤怒，略带厌恶" in document
