"""Label Studio, Potato and webMUSHRA: what goes out comes back, and the tools' own parsers read it."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from aptone.audio import read, write
from aptone.errors import RecordError
from aptone.ratings.listening_tests import TESTS
from aptone.studio.exchange.data_card import Statements
from aptone.studio.exchange.exports import export_to
from aptone.studio.exchange.flat_answers import answers_from_flat, flat_questions, flat_values
from aptone.studio.exchange.label_studio import read_label_studio
from aptone.studio.exchange.potato import read_potato
from aptone.studio.exchange.system_folders import import_systems
from aptone.studio.exchange.tools import import_from_tool
from aptone.studio.exchange.webmushra import read_results, read_webmushra, write_webmushra
from aptone.studio.project import Project
from aptone.studio.store.imported_ratings import put_ratings
from aptone.types import Audio, AudioRef, Choice, Control, Json, Rating, RatingItem, RatingTask, Shown

LABEL = {"en": "A question?", "zh": "问题？"}
CHOICES = (Choice("no", {"en": "Glad & <b>"}), Choice("sad", {"en": "Sad"}))
CONTROLS = (
    Control("fit", "scale", LABEL, low=0, high=5, step=0.5),
    Control("mos", "scale", LABEL, low=1, high=5, step=1),
    Control("mood", "choice", LABEL, choices=CHOICES),
    Control("note", "text", LABEL, required=False),
    Control("times", "boundaries", LABEL),
    Control("lines", "edit", LABEL, prefill="context"),
    Control("better", "preference", LABEL, prefill="pair", choices=(Choice("same", {"en": "="}),)),
    Control("quality", "ratings", LABEL, low=0, high=100, step=1, prefill="all"),
    Control("order", "ranking", LABEL, prefill="all"),
    Control("ends", "best-worst", LABEL, prefill="all"),
)
ANSWERS: dict[str, Json] = {
    "fit": 3.5,
    "mos": 4.0,
    "mood": "sad",
    "note": "two\nlines <i>",
    "times": [0.1, 0.3],
    "lines": ["It rained.", "Nobody spoke."],
    "better": "system-b",
    "quality": {"system-a": 10.0, "system-b": 90.0, "system-c": 55.0},
    "order": ["system-b", "system-c", "system-a"],
    "ends": {"best": "system-b", "worst": "system-a"},
}


def tone(path: Path, hertz: float, *, rate: int = 16_000) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = 0.3 * np.sin(2 * np.pi * hertz * np.arange(rate // 2) / rate)
    write(path, Audio(samples.astype(np.float32), rate))


def every_kind() -> RatingTask:
    clips = {f"system-{letter}": AudioRef(f"clips/{letter}.wav") for letter in "abc"}
    item = RatingItem(
        "one",
        {"audio": AudioRef("clips/a.wav", start=0.1, end=0.4), **clips},
        {
            "line": "Come in.",
            "context": ["It rained.", "Nobody spok."],
            "pair": ["system-a", "system-b"],
            "all": list(clips),
        },
        {"system": "secret"},
    )
    shown = (Shown("audio", "audio"), Shown("line", "text"), Shown("pair", "pair"), Shown("all", "set"))
    return RatingTask("kinds", {"en": "Every kind"}, {}, shown, CONTROLS, (item,), must_listen=False)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A project with a task of every kind, and one rating of it that came from elsewhere."""
    folder = tmp_path / "project"
    for place, letter in enumerate("abc"):
        tone(folder / "clips" / f"{letter}.wav", 200 + 100 * place)
    with Project.open(folder) as opened:
        stored = opened.tasks.put(every_kind()).result()
        ratings = [Rating("kinds", "one", "Ada", ANSWERS, seconds=12.5)]
        assert put_ratings(opened.writer, opened.people, stored, ratings, source="test").result() == 1
        yield opened


def test_ratings_from_elsewhere_are_checked_pseudonymous_and_stored_once(project: Project) -> None:
    (row,) = project.results.ratings("kinds")
    assert row.rating.answers == ANSWERS
    assert row.rating.rater.startswith("R-")
    assert row.rating.seconds == 12.5
    stored = project.tasks.get("kinds")
    again = [Rating("kinds", "one", "Ada", {**ANSWERS, "fit": 1.0})]
    put_ratings(project.writer, project.people, stored, again, source="test").result()
    (row,) = project.results.ratings("kinds")
    assert row.rating.answers["fit"] == 1.0
    assert len(project.people.everyone()) == 1
    for wrong in ({"fit": 9.0}, {"none": 1.0}):
        with pytest.raises(RecordError):
            put_ratings(project.writer, project.people, stored, [Rating("kinds", "one", "Bea", wrong)], source="test")
    with pytest.raises(RecordError):
        put_ratings(project.writer, project.people, stored, [Rating("kinds", "two", "Bea", {})], source="test")


def test_answers_of_every_kind_are_taken_apart_and_put_together_again() -> None:
    task = every_kind()
    questions = flat_questions(task)
    values = flat_values(questions, task.items[0], ANSWERS)
    assert (values["better"], values["quality_2"], values["ends_best"], values["order_1"]) == ("B", 90.0, "B", 3.0)
    assert answers_from_flat(questions, task.items[0], values) == ANSWERS
    with pytest.raises(RecordError):
        answers_from_flat(questions, task.items[0], {"better": "Z"})


def test_label_studio_gets_everything_but_names_and_hidden_fields(project: Project, tmp_path: Path) -> None:
    out = export_to(project, "kinds", "label-studio", tmp_path / "out")
    (task,) = json.loads((out / "tasks.json").read_text(encoding="utf-8"))
    assert task["data"]["line"] == "Come in."
    assert "secret" not in json.dumps(task)
    assert "Ada" not in json.dumps(task)
    assert "system-" not in json.dumps(task)
    (clip,) = [one for one in (out / "clips").iterdir() if "-0.1" in one.name]
    assert read(clip, rate=None).samples.size == pytest.approx(0.3 * 16_000, abs=2)


def test_label_studio_reads_what_we_write_by_its_own_sdk(project: Project, tmp_path: Path) -> None:
    interface = pytest.importorskip("label_studio_sdk.label_interface", reason="label-studio-sdk is not installed")
    out = export_to(project, "kinds", "label-studio", tmp_path / "out")
    read_config = interface.LabelInterface((out / "config.xml").read_text(encoding="utf-8"))
    read_config.validate()
    (task,) = json.loads((out / "tasks.json").read_text(encoding="utf-8"))
    annotations = task.pop("annotations")
    assert read_config.validate_task(task) is not False
    assert [read_config.validate_annotation(one) for one in annotations] == [True]
    for region in annotations[0]["result"]:
        assert region["from_name"] in {control.name for control in read_config.controls}
        assert read_config.validate_region(region), region


def test_what_went_to_label_studio_comes_back_with_its_answers(project: Project, tmp_path: Path) -> None:
    out = export_to(project, "kinds", "label-studio", tmp_path / "out")
    task, (rating,) = read_label_studio(out, name="back")
    assert [control.name for control in task.controls if control.kind == "scale"][:2] == ["fit", "mos"]
    assert (rating.answers["fit"], rating.answers["mood"], rating.answers["note"]) == (3.5, "sad", "two\nlines <i>")
    assert rating.answers["times"] == [0.1, 0.3]
    assert (rating.answers["better"], rating.answers["quality_2"]) == ("B", 90.0)
    assert rating.seconds == 12.5


def test_a_project_of_label_studio_is_imported_with_its_annotations(tmp_path: Path) -> None:
    source = tmp_path / "exported"
    tone(source / "a.wav", 300)
    (source / "config.xml").write_text(
        '<View><Audio name="clip" value="$audio"/><Rating name="stars" toName="clip" maxRating="7"/>'
        '<Choices name="mood" toName="clip" required="true"><Choice value="Glad"/><Choice value="Sad"/></Choices>'
        "</View>",
        encoding="utf-8",
    )
    result = [
        {"from_name": "stars", "to_name": "clip", "type": "rating", "value": {"rating": 6}},
        {"from_name": "mood", "to_name": "clip", "type": "choices", "value": {"choices": ["Sad"]}},
    ]
    annotations = [
        {"completed_by": 3, "result": result, "lead_time": 4.2},
        {"completed_by": 4, "result": [], "was_cancelled": True},
    ]
    tasks = [{"id": 11, "data": {"audio": "a.wav", "speaker": "s1"}, "annotations": annotations}]
    (source / "tasks.json").write_text(json.dumps(tasks), encoding="utf-8")
    with Project.open(tmp_path / "project") as project:
        made = import_from_tool(project, "label-studio", source, name="stars")
        assert (made.ratings, made.task.raters_per_item) == (1, 1)
        (row,) = project.results.ratings("stars")
        assert row.rating.answers == {"stars": 6.0, "mood": "Sad"}
        assert project.tasks.get("stars").task.items[0].hidden == {"speaker": "s1"}
        assert project.tasks.get("stars").task.controls[0].high == 7.0


HOSTILE = [
    '<!DOCTYPE x [<!ENTITY a "aaaa">]><View><Number name="n" toName="a">&a;</Number></View>',
    "<View><Audio",
    '<View><Video name="v" value="$v"/><Number name="n" toName="v"/></View>',
    '<View><Choices name="c" choice="multiple" toName="a"><Choice value="x"/></Choices></View>',
    "<View/>",
]


@pytest.mark.parametrize("config", HOSTILE)
def test_a_configuration_that_is_hostile_or_not_understood_is_refused(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.xml").write_text(config, encoding="utf-8")
    (tmp_path / "tasks.json").write_text('[{"data": {}}]', encoding="utf-8")
    with pytest.raises(RecordError):
        read_label_studio(tmp_path)


def test_sounds_on_other_machines_are_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "config.xml").write_text(
        '<View><Audio name="a" value="$a"/><Number name="n" toName="a"/></View>', encoding="utf-8"
    )
    (tmp_path / "tasks.json").write_text('[{"data": {"a": "https://example.com/a.wav"}}]', encoding="utf-8")
    with pytest.raises(RecordError, match="no local file"):
        read_label_studio(tmp_path)


def test_potato_gets_a_project_and_gives_it_back(project: Project, tmp_path: Path) -> None:
    out = export_to(project, "kinds", "potato", tmp_path / "out")
    config = yaml.safe_load((out / "config.yaml").read_text(encoding="utf-8"))
    kinds = {scheme["name"]: scheme["annotation_type"] for scheme in config["annotation_schemes"]}
    assert (kinds["fit"], kinds["mos"], kinds["mood"], kinds["note"]) == ("number", "likert", "radio", "text")
    task, (rating,) = read_potato(out, name="back")
    assert (rating.answers["fit"], rating.answers["mos"], rating.answers["mood"]) == (3.5, 4, "sad")
    assert rating.answers["note"] == "two\nlines <i>"
    assert "secret" not in "".join(path.read_text(encoding="utf-8") for path in out.rglob("*.json*"))
    state = next((out / "annotation_output").glob("*/user_state.json"))
    state.unlink()  # the older form alone
    assert read_potato(out, name="back")[1][0].answers == rating.answers
    assert task.items[0].id == "one"


def test_potato_reads_what_we_write_by_its_own_code(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = "potato-annotation is not installed"
    settings = pytest.importorskip("potato.server_utils.config_module", reason=reason)
    items, states = (pytest.importorskip(f"potato.{name}_state_management", reason=reason) for name in ("item", "user"))
    out = export_to(project, "kinds", "potato", tmp_path / "out")
    monkeypatch.chdir(out)
    config = yaml.safe_load((out / "config.yaml").read_text(encoding="utf-8"))
    settings.validate_yaml_structure(config, str(out), str(out))
    settings.validate_file_paths(config, str(out), str(out))
    items.init_item_state_manager(config)
    for line in (out / config["data_files"][0]).read_text(encoding="utf-8").splitlines():
        items.get_item_state_manager().add_item(json.loads(line)["id"], json.loads(line))
    (folder,) = (out / "annotation_output").iterdir()
    answers = states.InMemoryUserState.load(str(folder)).get_all_annotations()
    found = {label.get_schema(): value for label, value in answers["one"]["labels"].items()}
    assert (found["fit"], found["mos"], found["mood"], found["note"]) == ("3.5", "4", "sad", "two\nlines <i>")
    assert (found["better"], found["quality_2"], found["ends_best"]) == ("B", "90", "B")


@pytest.mark.parametrize("tool", ["label-studio", "potato"])
def test_every_ready_test_goes_to_other_tools(tool: str, tmp_path: Path) -> None:
    for place, system in enumerate(("old", "new", "recorded")):
        tone(tmp_path / system / "line.wav", 300 + 50 * place)
    line = {"id": "line", "audio": "old/line.wav", "line": "Stay.", "context": ["It was dark."]}
    (tmp_path / "lines.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with Project.open(tmp_path / "project") as project:
        for test in TESTS:
            stories = tmp_path / "lines.jsonl" if test.startswith("aptness") else None
            folders = [tmp_path / "old", tmp_path / "new"]
            made = import_systems(
                test, folders, folder=project.folder, reference=tmp_path / "recorded", stories=stories
            )
            project.tasks.put(made.task).result()
            out = export_to(project, test, tool, tmp_path / f"out-{test}")
            back, _ = (read_label_studio if tool == "label-studio" else read_potato)(out, name="back")
            assert len(back.items) == len(made.task.items), test
            assert back.controls, test


def test_a_scheme_of_potato_that_is_not_understood_is_refused(tmp_path: Path) -> None:
    scheme = {"annotation_type": "span", "name": "s", "description": "d"}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"annotation_schemes": [scheme]}), encoding="utf-8")
    with pytest.raises(RecordError, match="span"):
        read_potato(tmp_path)


def webmushra(folder: Path, **page: Any) -> Path:
    for place, name in enumerate(("ref", "one", "two")):
        tone(folder / "audio" / f"{name}.wav", 6000 + 100 * place, rate=32_000)
    mushra = {
        "type": "mushra",
        "id": "trial1",
        "name": "Trial",
        "content": "",
        "reference": "audio/ref.wav",
        "createAnchor35": True,
        "createAnchor70": False,
        "stimuli": {"C1": "audio/one.wav", "C2": "audio/two.wav"},
        **page,
    }
    config = {
        "testname": "My test",
        "testId": "my test",
        "pages": [
            {"type": "generic", "id": "hello", "content": "<b>Hello</b> <script>alert(1)</script>"},
            {"type": "volume", "stimulus": "x"},
            ["random", mushra],
            {"type": "finish"},
        ],
    }
    path = folder / "configs" / "test.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    return path


def test_a_configuration_of_webmushra_becomes_a_test_with_hidden_reference_and_anchor(tmp_path: Path) -> None:
    path = webmushra(tmp_path / "webmushra")
    with Project.open(tmp_path / "project") as project:
        made = import_from_tool(project, "webmushra", path)
        (item,) = made.task.items
        assert item.fields["conditions"] == ["hidden reference", "anchor35", "C1", "C2"]
        assert made.task.test == "mushra"
        assert (made.task.name, made.task.guide["en"]) == ("my_test", "Hello alert(1)")
        anchor = read(project.folder / item.audio["anchor35"].path, rate=None).samples
        reference = read(project.folder / item.audio["reference"].path, rate=None).samples
        middle = slice(4000, 12000)
        assert float(np.std(anchor[middle])) < 0.05 * float(np.std(reference[middle]))  # 6 kHz lies above 3.5 kHz


def test_results_of_webmushra_are_read_and_written_alike(tmp_path: Path) -> None:
    task, none = read_webmushra(webmushra(tmp_path / "webmushra"), folder=tmp_path / "made")
    assert none == []
    rows = [
        ("my test", "u1", "trial1", name, score, 1500, "")
        for name, score in (("reference", 100), ("anchor35", 12), ("C1", 70), ("C2", 55))
    ]
    heading = "session_test_id,session_uuid,trial_id,rating_stimulus,rating_score,rating_time,rating_comment"
    results = tmp_path / "mushra.csv"
    results.write_text("\n".join([heading, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
    (rating,) = read_results(results, task)
    assert rating.answers["quality"] == {"hidden reference": 100.0, "anchor35": 12.0, "C1": 70.0, "C2": 55.0}
    assert (rating.rater, rating.seconds) == ("u1", 1.5)
    write_webmushra(task, [rating], tmp_path / "out", folder=tmp_path)
    with (tmp_path / "out" / "mushra.csv").open(encoding="utf-8") as file:
        found = {row["rating_stimulus"]: float(row["rating_score"]) for row in csv.DictReader(file)}
    assert found == {"reference": 100.0, "anchor35": 12.0, "C1": 70.0, "C2": 55.0}
    results.write_text(f"{heading}\nt,u,trial1,C9,1,1,\n", encoding="utf-8")
    with pytest.raises(RecordError, match="C9"):
        read_results(results, task)


def test_a_test_goes_to_webmushra_with_its_sounds_and_comes_back_as_it_was(tmp_path: Path) -> None:
    for place, system in enumerate(("old", "new", "recorded")):
        tone(tmp_path / system / "line.wav", 5000 + 400 * place, rate=32_000)
    with Project.open(tmp_path / "project") as project:
        folders = [tmp_path / "old", tmp_path / "new"]
        made = import_systems("mushra", folders, folder=project.folder, reference=tmp_path / "recorded", name="t-1")
        stored = project.tasks.put(made.task).result()
        answers = {"hidden reference": 100, "anchor 3.5 kHz": 5, "anchor 7 kHz": 40, "old": 55, "new": 70}
        rating = Rating("t-1", "line", "Ada", {"quality": answers}, seconds=2.5)
        put_ratings(project.writer, project.people, stored, [rating], source="test").result()
        out = export_to(project, "t-1", "webmushra", tmp_path / "out")
    source = out / "configs" / "t_1.yaml"
    config = yaml.safe_load(source.read_text(encoding="utf-8"))
    assert [page["type"] for page in (config["pages"][0], config["pages"][1][1], config["pages"][2])] == [
        "generic", "mushra", "finish",
    ]  # fmt: skip
    page = config["pages"][1][1]
    assert config["pages"][1][0] == "random"
    assert (page["createAnchor35"], page["createAnchor70"], sorted(page["stimuli"])) == (True, True, ["new", "old"])
    assert all((out / file).is_file() for file in (page["reference"], *page["stimuli"].values()))
    assert "Ada" not in (out / "mushra.csv").read_text(encoding="utf-8")
    (out / "mushra.csv").rename(out / "configs" / "mushra.csv")
    back, (again,) = read_webmushra(source, folder=tmp_path / "made")
    assert [control.kind for control in back.controls] == ["ratings"]
    assert again.answers["quality"] == {
        "hidden reference": 100.0, "anchor35": 5.0, "anchor70": 40.0, "old": 55.0, "new": 70.0,
    }  # fmt: skip
    one, other = (
        read(path, rate=None).samples for path in (back.items[0].audio["new"].path, tmp_path / "new/line.wav")
    )
    assert np.array_equal(one, other)


def test_pairs_of_webmushra_become_preferences_and_a_mixture_is_refused(tmp_path: Path) -> None:
    path = webmushra(tmp_path / "pairs", type="paired_comparison", reference="")
    task, _ = read_webmushra(path, folder=tmp_path)
    assert (task.controls[0].kind, task.items[0].fields["stimuli"]) == ("preference", ["C1", "C2"])
    odd = webmushra(tmp_path / "odd", type="bs1116")
    with pytest.raises(RecordError, match="bs1116"):
        read_webmushra(odd, folder=tmp_path)
    gone = webmushra(tmp_path / "gone", stimuli={"C1": "audio/none.wav"})
    with pytest.raises(RecordError, match=r"none\.wav"):
        read_webmushra(gone, folder=tmp_path)


def test_the_card_of_a_dataset_says_on_which_terms_people_rated_and_how_far_they_agree(
    project: Project, tmp_path: Path
) -> None:
    stated = Statements("cc-by-4.0", "I agree to be recorded.\n<b>Really</b>", "9 pounds an hour", "")
    export_to(project, "kinds", "dataset", tmp_path / "set", licence="cc-by-4.0", stated=stated)
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "## Consent\n\n> I agree to be recorded.\n> \\<b\\>Really\\</b\\>\n" in card
    assert "## Payment\n\n> 9 pounds an hour\n" in card
    assert "## People\n\nNot stated.\n" in card
    assert "## Agreement\n" in card
    assert "| `fit` |" in card or "Too few answers." in card
    assert "Ada" not in card
