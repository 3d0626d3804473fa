"""``aptone dialogue`` and ``aptone build emo-thresholds`` as they are typed."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastdtw
import numpy as np
import pytest

from tests.tables import for_each

Aptone = Callable[..., Any]

ANGRY, CALM = (-0.4, 0.5, 0.3), (0.2, 0.1, 0.4)


def write_csv(path: Path, *points: tuple[float, float, float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{arousal},{valence},{dominance}\n" for valence, arousal, dominance in points]
    path.write_text("arousal,valence,dominance\n" + "".join(rows), encoding="utf-8")


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    folder = tmp_path / "talks"
    for name, answers in (("a", (CALM, CALM)), ("b", (ANGRY, CALM))):
        for turn, answer in enumerate(answers):
            write_csv(folder / name / "speaker_0" / f"{turn}.csv", ANGRY, ANGRY)
            write_csv(folder / name / "speaker_1" / f"{turn}.csv", answer, answer)
    return folder


@pytest.mark.slow
def test_csv_files_are_scored_into_a_run_folder_and_resumed(aptone: Aptone, talks: Path, tmp_path: Path) -> None:
    shown = aptone("dialogue", talks, "-o", tmp_path / "run", "--json")
    assert shown.code == 0
    assert shown.json["worked"] == 2
    scores = {item["id"]: item["scores"] for item in shown.json["items"]}
    # the agent of "a" stays calm: CT-ESS = 1; that of "b" moves by 0.6, 0.4, 0.1 in one step: 1 - 5 · 1.1 · 2 / 12
    assert scores["a"]["CT-ESS"]["value"] == pytest.approx(1.0)
    assert scores["b"]["CT-ESS"]["value"] == pytest.approx(1 - 5 * 1.1 * 2 / 12)
    assert scores["a"]["categorical"]["value"] is None
    assert shown.json["systems"][0]["dialogues"] == 2
    assert (tmp_path / "run" / "report.html").is_file()
    again = aptone("dialogue", talks, "-o", tmp_path / "run", "--json")
    assert again.json["worked"] == 0
    report = aptone("report", tmp_path / "run")
    assert report.code == 0
    assert 'class="dialogue"' in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_the_tables_are_printed_in_both_languages(aptone: Aptone, talks: Path) -> None:
    english = aptone("dialogue", talks)
    assert english.code == 0
    assert "CT-ERS" in english.out
    assert "Trust card" in english.out
    assert Path("talks-run").is_dir()
    assert "对话数" in aptone("dialogue", talks, "-o", "other", "--lang", "zh").out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "is_mandarin"),
    [
        (["--lang", "zh"], True),
        (["--language", "zh"], True),
        (["--language", "zh", "--lang", "en"], False),
        (["--language", "en", "--lang", "zh"], True),
    ],
)
def test_headings_reasons_and_report_are_in_one_language(
    aptone: Aptone, talks: Path, arguments: list[str], is_mandarin: bool
) -> None:
    shown = aptone("dialogue", talks, "-o", "run", *arguments).out
    page = Path("run/report.html").read_text(encoding="utf-8")
    for said in ("需要平衡", "对话数", "报告：", "情感搭配"):
        assert (said in shown.replace("\n", "")) is is_mandarin, said
    for said in ("In 2 of 2 turns", "Dialogues", "Report: ", "categorical"):
        assert (said in " ".join(shown.split())) is not is_mandarin, said
    assert ("最弱的是" in page, "The weakest answer" in page) == (is_mandarin, not is_mandarin)


@pytest.mark.slow
def test_ratings_are_compared_with_the_scores(aptone: Aptone, talks: Path, tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("dialogue,rating\na,4\nb,2\n", encoding="utf-8")
    shown = aptone("dialogue", talks, "--ratings", ratings, "--json")
    correlations = {one["score"]: one["linear"]["value"] for one in shown.json["validation"]["correlations"]}
    assert abs(correlations["CT-ERS"]) == pytest.approx(1.0)  # two points lie on a line
    assert "Against people" in aptone("dialogue", talks, "--ratings", ratings, "-o", "other").out
    ratings.write_text("dialogue,rating\nz,4\n", encoding="utf-8")
    wrong = aptone("dialogue", talks, "--ratings", ratings, "-o", "third")
    assert (wrong.code, "there is no dialogue 'z'" in wrong.err) == (2, True)


def test_ratings_of_another_scale_are_mapped_everywhere(aptone: Aptone, talks: Path, tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("dialogue,rater,rating\na,x,5\na,y,4\nb,x,3\nb,y,2\n", encoding="utf-8")
    shown = aptone("dialogue", talks, "--ratings", ratings, "-o", "run", "--json")
    card = shown.json["trust"]
    # (4.5 - 1) / 4 = 0.875 and 0.375; CT-ERS is -0.04 and 0.07: off by 0.9 and 0.3, and one point of five is 0.25
    assert card["agreement"]["ACC"]["value"] == 0.0
    assert card["ceiling"]["ACC"]["value"] == 1.0  # people differ by one point
    assert "people's ratings were mapped from 1–5 to 0–1" in " ".join(card["notes"])
    rows = [json.loads(line) for line in Path("run/journal.jsonl").read_text(encoding="utf-8").splitlines()]
    given = {row["item"]["id"]: row["item"]["payload"] for row in rows}
    assert given["a"]["human_score"] == 0.875
    assert given["a"]["ratings"] == {"x": 1.0, "y": 0.75}


def test_a_rating_outside_the_scale_is_refused_before_anything_is_scored(
    aptone: Aptone, talks: Path, tmp_path: Path
) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("dialogue,rating\na,4\nb,0.5\n", encoding="utf-8")
    wrong = aptone("dialogue", talks, "--ratings", ratings, "-o", "run")
    assert wrong.code == 2
    assert "the rating of 'b' is 0.5, outside 1 to 5; say --rating-scale" in wrong.err
    assert not Path("run").exists()


@for_each(
    ("lang", "said"),
    [
        (
            "en",
            ("They mislead where the user is angry", "Meant for shared joy", "kind)", "high is no praise"),
        ),
        ("zh", ("用户愤怒时它们会误导", "本意是奖励同喜", "以怒对怒", "分数高并不说明回答好")),
    ],
)
def test_scores_are_explained_and_anger_in_kind_is_marked_where_they_are_printed(
    aptone: Aptone, talks: Path, lang: str, said: tuple[str, ...]
) -> None:
    shown = aptone("dialogue", talks, "-o", "run", "--lang", lang).out
    page = Path("run/report.html").read_text(encoding="utf-8")
    flat = "".join(shown.split()).replace("│", "")
    assert {"en": "all:angermeetsangerin1of2dialogues", "zh": "全部：2个对话中有1个以怒对怒"}[lang] in flat
    for sentence in said:
        assert "".join(sentence.split()) in flat, sentence
    for sentence in (*said[:2], said[3]):
        assert sentence in page, sentence


def test_given_trajectories_are_not_said_to_be_the_ears(aptone: Aptone, talks: Path) -> None:
    shown = aptone("dialogue", talks, "-o", "run", "--json")
    card = shown.json["trust"]
    assert card["licence"] == ""
    assert card["notes"][0] == "the trajectories of 8 of 8 turns were given with the data; no ear heard those"
    assert not any("ear's" in note for note in card["notes"])
    assert [name for name in card["signatures"] if "ear:" in name] == []


def test_the_released_scripts_distance_is_an_option(aptone: Aptone, tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    user, agent = (np.clip(generator.normal(0.1, 0.4, (12, 3)), -1, 1).round(3).tolist() for _ in range(2))
    for side, points in (("user", user), ("agent", agent)):
        write_csv(tmp_path / "talk" / side / "x.csv", *map(tuple, points))
    expected = fastdtw.fastdtw([p[0] for p in user], [p[0] for p in agent])[0]
    expected += fastdtw.fastdtw([p[1] for p in user], [p[1] for p in agent])[0]
    exact, fast = (
        aptone("dialogue", tmp_path / "talk", "-o", name, "--distance", name, "--json").json["items"][0]["scores"][
            "ECS"
        ]
        for name in ("exact", "fastdtw")
    )
    assert fast["value"] == pytest.approx(1 - 5 * expected / (4 * 12))
    assert exact["value"] > fast["value"]


def test_machines_get_the_verdict_of_every_turn(aptone: Aptone, tmp_path: Path) -> None:
    turns = [
        {"trajectory": {"step": 1.0, "valence": [v], "arousal": [a], "dominance": [d]}} for v, a, d in (ANGRY, CALM)
    ]
    turns[0]["emotion"], turns[1]["emotion"] = "angry", "calm"  # type: ignore[assignment]
    manifest = tmp_path / "talks.jsonl"
    manifest.write_text(json.dumps({"id": "x", "turns": turns}) + "\n", encoding="utf-8")
    shown = aptone("dialogue", manifest, "-o", tmp_path / "run", "--json")
    (item,) = shown.json["items"]
    assert item["verdict"] == "fits"
    assert item["scores"]["reaction"]["value"] == 0.8
    assert (item["turns"][0]["course"], item["turns"][0]["in_kind"]) == ("eases", False)
    assert "mislead" in shown.json["headline"]
    assert shown.json["scores"]["ECS"].startswith("contagion")


def test_other_constants_come_from_a_file(aptone: Aptone, talks: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"scale": 1.0}', encoding="utf-8")
    shown = aptone("dialogue", talks, "--config", config, "--json")
    scores = {item["id"]: item["scores"] for item in shown.json["items"]}
    assert scores["b"]["CT-ESS"]["value"] == pytest.approx(1 - 1.1 * 2 / 12)


def test_a_system_is_compared_with_the_recorded_answers(aptone: Aptone, clip: Path, tmp_path: Path) -> None:
    manifest = tmp_path / "talks.jsonl"
    manifest.write_text(json.dumps({"id": "x", "turns": [{"audio": str(clip)}] * 2}) + "\n", encoding="utf-8")
    code = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
    command = f"echo={shlex.quote(sys.executable)} -c {shlex.quote(code)} {{input}} {{output}}"
    shown = aptone("dialogue", manifest, "--system", command, "-o", tmp_path / "run", "--json")
    assert shown.code == 0
    assert [row["name"] for row in shown.json["systems"]] == ["recorded", "echo"]
    assert [item["id"] for item in shown.json["items"]] == ["recorded/x", "echo/x"]
    assert len(list((tmp_path / "run" / "answers").iterdir())) == 1
    assert "answers 1" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@for_each(
    ("arguments", "message"),
    [
        (["--system", "nonsense"], "is no system"),
        (["--labels-model", "x"], "--labels-model needs --labels-url"),
        (["--labels-url", "http://localhost:1/v1"], "which model transcribes"),
        (["--layout", "stereo"], "no dialogue was found"),
        (["--ear", "third"], "there is no ear 'third'"),
        (["--system", "recorded=http://localhost:1/"], "the name 'recorded' is taken"),
    ],
)
def test_a_wrong_request_is_one_line_and_exit_code_2(
    aptone: Aptone, talks: Path, arguments: list[str], message: str
) -> None:
    shown = aptone("dialogue", talks, *arguments)
    assert shown.code == 2
    assert message in shown.err
    assert "Traceback" not in shown.err


def test_audio_is_not_sent_away_without_consent(aptone: Aptone, talks: Path) -> None:
    shown = aptone("dialogue", talks, "--system", "https://example.org/answer")
    assert shown.code == 2
    assert "add --yes to agree" in shown.err


def test_thresholds_are_estimated_and_used(aptone: Aptone, tmp_path: Path) -> None:
    for number in range(6):
        level = round(0.1 * number - 0.2, 3)
        write_csv(
            tmp_path / "corpus" / str(number) / "speaker_0" / "1.csv", (level, level, level), (level, level, level)
        )
        write_csv(tmp_path / "corpus" / str(number) / "speaker_1" / "1.csv", CALM)
    shown = aptone("build", "emo-thresholds", tmp_path / "corpus", "-o", "constants.json", "--json")
    assert shown.code == 0
    # valence: -0.2, -0.1, 0, 0.1, seven times 0.2, 0.3; the 20th percentile of twelve lies at 2.2 · from 0 to 0.1
    assert shown.json["turns"] == 12
    assert shown.json["config"]["extreme"]["valence"] == pytest.approx(0.02)
    assert aptone("dialogue", tmp_path / "corpus", "--config", "constants.json").code == 0
    refused = aptone("build", "emo-thresholds", tmp_path / "corpus", "-o", "constants.json")
    assert (refused.code, "is there already" in refused.err) == (2, True)
    shown = aptone("build", "emo-thresholds", tmp_path / "corpus", "-o", "more.json")
    assert "12 turns. Extreme: valence 0.020" in shown.out
    shown = aptone("build", "emo-thresholds", tmp_path / "corpus", "-o", "told.json", "--lang", "zh")
    assert "12 轮。极端：效价 0.020" in shown.out
