"""The page as a real browser builds it: plots, players, policy, filter and sort."""

import functools
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from markupsafe import Markup

from aptone.messages import message
from aptone.report.room_report import Figure
from aptone.report.run_report import render_html
from aptone.report.trust import trust_card
from aptone.types import Entry, Item, Json, Outcome, Probe, ProbeState, Score, State
from tests.browsers import CHROMIUM, LEAN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on this machine"),
]

Open = Callable[[str], str]


@pytest.fixture(scope="module")
def browse(run_entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> Open:
    """A function from a fragment to the document as the browser built it, with whatever the console said before it."""
    folder = tmp_path_factory.mktemp("browser")
    card = trust_card(run_entries, version="1", score="aptness", notes=["placeholder engine"])
    page = folder / "report.html"
    drawn = Markup(
        '<svg class="trajectory" viewBox="0 0 100 40"><line class="axis" x1="0" x2="100" y1="40" y2="40"/></svg>'
    )
    written = render_html(run_entries, card, {}, title="A run", embed=2, figures=[Figure("Mood", drawn, "over time")])
    page.write_text(written, encoding="utf-8")

    @functools.cache
    def opened(fragment: str) -> str:
        assert CHROMIUM is not None
        command = [
            CHROMIUM,
            "--headless",
            *LEAN,
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}",
            "--virtual-time-budget=4000",
            "--dump-dom",
            page.as_uri() + fragment,
        ]
        done = subprocess.run(command, capture_output=True, timeout=300, check=True)
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if ":CONSOLE" in line]
        return "\n".join([*said, done.stdout.decode()])

    return opened


def _cells(document: str, css_class: str) -> list[str]:
    table = document[
        document.index("<tbody>", document.index('<table class="items">')) : document.index('id="missing"')
    ]
    found = re.findall(rf'<td class="{css_class}"[^>]*>(.*?)</td>', table, flags=re.DOTALL)
    return [re.sub(r"<[^>]+>", "", cell).strip() for cell in found]


def test_the_script_ran_without_an_error_or_a_breach_of_the_policy(browse: Open) -> None:
    document = browse("")
    assert ":CONSOLE" not in document
    assert 'data-script="ready"' in document
    assert 'data-problems="0"' in document


def test_a_foreign_script_or_style_would_be_stopped_and_noticed(browse: Open, tmp_path: Path) -> None:
    # The check above can fail: the same page with one inline script and one style attribute of a stranger's.
    assert CHROMIUM is not None
    page = re.sub(r"^\[.*\n", "", browse(""), flags=re.MULTILINE)
    page = page.replace("<main>", '<main><script>document.title = "taken"</script><p style="color: red">x</p>', 1)
    path = tmp_path / "foreign.html"
    path.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless", *LEAN, "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--disable-background-networking", "--virtual-time-budget=1000", "--dump-dom", path.as_uri()]
    document = subprocess.run(command, capture_output=True, timeout=300, check=True).stdout.decode()
    assert "<title>taken</title>" not in document
    assert 'data-problems="2"' in document


def test_bars_stand_as_high_as_the_data_say(browse: Open, run_entries: list[Entry]) -> None:
    document = browse("")
    start = document.index('data-score="aptness"')
    plot = document[start : document.index("</svg>", start)]
    bars = re.findall(r'<rect [^>]*height="([\d.]+)"[^>]*data-count="(\d+)"', plot)
    first = [entry for entry in run_entries if entry.repeat == 0 and entry.outcome.scores]
    expected = [sum(entry.outcome.scores["aptness"].value == step / 2 for entry in first) for step in range(11)]
    assert [int(count) for _, count in bars] == expected
    heights = [float(height) for height, _ in bars]
    unit = heights[0] / expected[0]
    assert heights == pytest.approx([unit * count for count in expected], abs=0.1)


def test_every_player_loaded_its_sound_with_the_right_duration(browse: Open) -> None:
    players = re.findall(r"<audio [^>]*>", browse(""))
    assert len(players) == 4
    assert not any("data-error" in player for player in players)
    durations = sorted(float(re.findall(r'data-ready="([\d.]+)"', player)[0]) for player in players)
    # Worst: 0.0 points, items 0 and 11; best: 5.0 points, items 10 and 21, or later ones; item n lasts 0.5 + n / 100 s.
    assert durations[:2] == pytest.approx([0.50, 0.61], abs=0.03)
    assert all(0.5 < duration < 1.1 for duration in durations[2:])


def test_all_rows_are_shown_at_first(browse: Open) -> None:
    document = browse("")
    assert len(_cells(document, "name")) == 60
    assert "60 of 60 shown, 60 in all" in document


def test_a_filter_in_the_address_leaves_the_failed_only(browse: Open) -> None:
    document = browse("#filter=failed")
    assert _cells(document, "name") == ["line-08", "line-28", "line-48"]
    assert "3 of 3 shown, 60 in all" in document


def test_a_search_in_the_address_finds_rows_by_their_text(browse: Open) -> None:
    assert _cells(browse("#search=rationale+59"), "name") == ["line-59"]


def test_sorting_puts_the_undefined_last_both_ways(browse: Open) -> None:
    for fragment, direction, falling in (("#sort=score", "ascending", False), ("#sort=-score", "descending", True)):
        document = browse(fragment)
        assert f'aria-sort="{direction}"' in document
        states = re.findall(r'<tr data-state="([\w-]+)"', document)
        assert states[-6:] == ["unscored", "failed"] * 3  # in the order of the input
        table = document[document.index('<table class="items">') : document.index('id="missing"')]
        values = [float(value) for value in re.findall(r'data-label="aptness" data-value="([\d.]+)"', table)]
        assert len(values) == 54
        assert values == sorted(values, reverse=falling)


def test_groups_and_the_pictures_of_the_room_are_drawn(browse: Open, run_entries: list[Entry]) -> None:
    document = browse("")
    assert '<svg class="trajectory"' in document
    start = document.index('<table class="group" data-key="speaker"')
    table = document[start : document.index("</table>", start)]
    names = re.findall(r'<th scope="row"><bdi>([^<]+)</bdi>', table)
    means = [float(value) for value in re.findall(r'<td class="number mark">([\d.]+)</td>', table)]
    places = [float(place) for place in re.findall(r'<line class="mean" x1="([\d.]+)"', table)]
    expected = {}
    for name in ("Mara", "林夏"):
        scored = [
            entry.outcome.scores["aptness"].value
            for entry in run_entries
            if entry.repeat == 0 and entry.outcome.scores and (int(entry.item.id[-2:]) % 3 == 0) == (name == "林夏")
        ]
        expected[name] = sum(scored) / len(scored)
    assert names == sorted(expected, key=lambda name: -expected[name])
    assert means == pytest.approx([expected[name] for name in names], abs=0.005)
    assert places == pytest.approx([4 + 192 * expected[name] / 5 for name in names], abs=0.01)


def test_a_mandarin_page_works_as_well_and_says_so_in_mandarin(run_entries: list[Entry], tmp_path: Path) -> None:
    assert CHROMIUM is not None
    one_clip = Probe(ProbeState.NOT_APPLICABLE, detail=message("aptness.one-clip-at-a-time"))
    card = trust_card(run_entries, version="1", score="aptness", order=one_clip)
    path = tmp_path / "zh.html"
    path.write_text(render_html(run_entries, card, {}, title="A run", embed=0, language="zh"), encoding="utf-8")
    command = [CHROMIUM, "--headless", *LEAN, "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--disable-background-networking", "--virtual-time-budget=1000", "--dump-dom", path.as_uri()]
    document = subprocess.run(command, capture_output=True, timeout=300, check=True).stdout.decode()
    assert 'data-problems="0"' in document
    for said in ("<h2>分组</h2>", "评审一次只听一段录音", "显示 60 / 60 条，共 60 条"):
        assert said in document


def test_a_table_with_six_scores_fits_a_window_of_1280_and_needs_no_filter_of_states(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    names = ("aptness", "emotion", "intonation", "naturalness", "recording_condition", "rhythm")
    scores = {name: Score(2.25, range=(0.0, 5.0)) for name in names}
    outcome = Outcome(State.DONE, scores, main_score="aptness", rationale="Rhythm: low-paced, not high-energy")
    payload: dict[str, Json] = {"line": "Get out! The water is over the wall!"}
    entries = [Entry(Item.make(f"wall-zh-{number}", payload, position=number), outcome) for number in range(3)]
    page = render_html(entries, trust_card(entries, version="1"), {}, title="A run", embed=0)
    measure = (
        "<script>addEventListener('load', () => { const box = document.querySelector('.scroll');"
        "document.title = `${box.scrollWidth - box.clientWidth} too wide`; });</script></body>"
    )
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page).replace("</body>", measure)
    path = tmp_path / "wide.html"
    path.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless", *LEAN, "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--disable-background-networking", "--virtual-time-budget=1000", "--window-size=1280,900"]
    document = subprocess.run([*command, "--dump-dom", path.as_uri()], capture_output=True, timeout=300, check=True)
    shown = document.stdout.decode()
    assert "<title>0 too wide</title>" in shown
    assert 'data-script="ready"' in shown
    assert 'name="filter"' not in shown
    assert "3 of 3 shown, 3 in all" in shown
