"""``aptone studio`` as it is typed."""

import csv
import itertools
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import text

from aptone.audio import write
from aptone.installation import install_command
from aptone.ratings.tasks import read_task, templates, write_task
from aptone.studio.project import Project, lock_project
from aptone.studio.store.records import Change
from aptone.types import Audio, AudioRef, Control, HeadphoneCheck, Json, RatingItem, RatingTask, Shown
from aptone.web.refusals import NotSignedInError
from tests.tables import for_each

Aptone = Callable[..., Any]


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    """A task file with a clip beside it."""
    write(tmp_path / "tone.wav", Audio((0.3 * np.sin(np.arange(4000) * 0.1)).astype(np.float32), rate=16_000))
    task = RatingTask(
        name="tones",
        title={"en": "Tones", "zh": "音"},
        guide={"en": "Listen."},
        shown=(Shown("clip", "audio"),),
        controls=(Control("fit", "scale", {"en": "Fit"}, low=0, high=5, step=1),),
        items=tuple(RatingItem(f"i{number}", audio={"clip": AudioRef("tone.wav")}) for number in range(3)),
        raters_per_item=2,
        must_listen=False,
        shuffled=False,
    )
    write_task(tmp_path / "tones.yaml", task)
    return tmp_path / "tones.yaml"


def rate(folder: Path, names: Mapping[str, Sequence[Json]]) -> None:
    """Some people give the items some points."""
    with Project.open(folder) as project:
        for name, points in names.items():
            token = project.people.invite("annotator", name=name).result().token
            person = project.people.enter(token).result().session.person.id
            for place, value in enumerate(points):
                view = project.assignments.next("tones", person).result().view
                assert view is not None
                change = Change(f"{name}-change-{place}", "fit", value, sequence=1)
                project.assignments.submit(view.id, person, [change]).result()


def test_a_task_file_is_imported_rated_judged_and_exported(aptone: Aptone, task_file: Path) -> None:
    shown = aptone("studio", "import", "listening", task_file)
    assert (shown.code, shown.out) == (0, "tones: 3 items, rated by 2 each\nNext: aptone studio --project listening\n")
    rate(Path("listening"), {"ada": [1, 2, 3], "bea": [1, 2, 3]})
    shown = aptone("studio", "agreement", "listening", "--task", "tones")
    assert "Agreement on tones: 6 ratings by 2 people" in shown.out
    assert "icc_2_1" in shown.out
    assert "– fit alpha_without_extremes: no item has 4 answers" in shown.out
    assert "automatic judge" not in shown.out  # there is none
    report = aptone("studio", "agreement", "listening", "--task", "tones", "--json").json
    (control,) = report["controls"]
    assert control["figures"]["icc_2_1"]["estimate"]["value"] == pytest.approx(1.0)  # both say the same of every item
    shown = aptone("studio", "export", "listening", "--task", "tones", "--format", "csv", "-o", "ratings.csv")
    assert (shown.code, shown.out) == (0, "6 ratings in ratings.csv\n")
    with Path("ratings.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6
    told = aptone("studio", "export", "listening", "--task", "tones", "-o", "items.jsonl", "--rows", "items", "--json")
    assert told.json == {"format": "jsonl", "path": "items.jsonl", "ratings": 6, "task": "tones"}
    assert len(Path("items.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_clips_that_cannot_be_played_are_listed_and_left_out_on_request(aptone: Aptone, task_file: Path) -> None:
    whole, task = task_file.parent / "tone.wav", read_task(task_file)
    (task_file.parent / "half.wav").write_bytes(whole.read_bytes()[:-100])
    broken = RatingItem("half", audio={"clip": AudioRef("half.wav")})
    write_task(task_file, replace(task, items=(*task.items, broken)))
    shown = aptone("studio", "import", "listening", task_file)
    assert shown.code == 2
    assert "1 clip cannot be played; nothing was imported:\n  item 'half', clip: " in shown.err
    shown = aptone("studio", "import", "listening", task_file, "--skip-broken")
    assert (shown.code, shown.out.splitlines()[0]) == (0, "tones: 3 items, rated by 2 each")
    assert "1 clip cannot be played; its item was left out:\n  item 'half', clip: " in shown.err
    (left_out,) = aptone("studio", "import", "listening", task_file, "--skip-broken", "--json").json["broken"]
    assert (left_out["item"], left_out["clip"], "half.wav" in left_out["why"]) == ("half", "clip", True)
    write_task(task_file, replace(task, items=(broken,)))
    assert aptone("studio", "import", "listening", task_file, "--skip-broken").code == 2  # nothing is left


def test_a_project_is_backed_up_and_restored_as_commands(
    aptone: Aptone, task_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aptone("studio", "import", "listening", task_file)
    rate(Path("listening"), {"ada": [1, 2, 3]})
    shown = aptone("studio", "backup", "listening", "-o", "listening.tar")
    assert shown.code == 0
    assert shown.out.startswith("The project with 1 clips, ")
    shown = aptone("studio", "restore", "listening.tar", "again")
    assert shown.code == 0
    assert shown.out.endswith("Next: aptone studio --project again\n")
    exported = aptone("studio", "export", "again", "--task", "tones", "-o", "ratings.jsonl", "--json").json
    assert exported["ratings"] == 3
    next(Path("listening/clips").iterdir()).unlink()
    told = aptone("studio", "backup", "listening", "-o", "less.tar", "--json")
    assert (told.code, told.json["clips"], len(told.json["missing"])) == (1, 0, 1)
    assert aptone("studio", "restore", "task.yaml", "more").code == 2
    monkeypatch.setenv("APTONE_STUDIO_DATABASE_URL", "postgresql://localhost/studio")
    assert "the database cannot be used" in aptone("studio", "backup", "listening", "-o", "more.tar").err


def test_an_invitation_names_the_address_at_which_the_studio_runs_or_ran_last(aptone: Aptone, task_file: Path) -> None:
    aptone("studio", "import", "listening", task_file)
    invite = ("studio", "invite", "listening", "--name", "Ada", "--json")
    assert aptone(*invite).json["link"].startswith("http://127.0.0.1:8765/join#")  # it never ran
    with Project.open("listening") as project, lock_project(project.database, address="http://127.0.0.1:9911"):
        told = aptone(*invite).json
        assert told["link"].startswith("http://127.0.0.1:9911/join#")
        assert told["served"] is True
    assert aptone(*invite).json["served"] is False
    assert (
        "The studio is not running. The link works once it is served at http://127.0.0.1:9911"
        in aptone(*invite[:-1]).out
    )
    assert aptone(*invite).json["link"].startswith("http://127.0.0.1:9911/join#")
    named = aptone(*invite, "--public-url", "https://studio.example.org").json["link"]
    assert named.startswith("https://studio.example.org/join#")


def test_a_task_that_ships_is_filled_from_a_manifest(aptone: Aptone, manifest: Path) -> None:
    shown = aptone("studio", "import", "listening", manifest, "--task", "ceaeval-d", "--name", "book", "--json")
    lines = len(manifest.read_text(encoding="utf-8").splitlines())
    assert shown.json == {"tasks": [{"items": lines, "name": "book", "raters": 1}]}
    shown = aptone(
        "studio",
        "import",
        "listening",
        manifest,
        "--task",
        "ceaeval-d",
        "--name",
        "b",
        "--raters",
        3,
        "--calibration",
        1,
    )
    assert f"b: {lines} items, rated by 3 each\n1 of its calibration items have no right answer (gold)" in shown.out
    assert aptone("studio", "import", "listening", manifest, "--name", "book").code == 2


def test_what_fills_a_task_goes_with_a_task_that_ships(aptone: Aptone, manifest: Path, task_file: Path) -> None:
    aptone("studio", "import", "listening", manifest, "--task", "ceaeval-d", "--raters", "4", "--calibration", "2")
    with Project.open("listening") as project:
        task = project.tasks.get("ceaeval-d").task
    assert (task.raters_per_item, len(task.calibration)) == (4, 2)
    for option in ("--raters", "--calibration", "--per-dimension", "--seed", "--system", "--name"):
        shown = aptone("studio", "import", "listening", task_file, option, "3")
        assert (shown.code, shown.err.strip()) == (
            2,
            f"aptone: error: {option} goes with --task; a task file holds its own.",
        )


def test_two_folders_of_takes_become_a_preference_between_two_named_systems(aptone: Aptone, tmp_path: Path) -> None:
    for system, pitch in (("a", 0.1), ("b", 0.2)):
        (tmp_path / system).mkdir()
        for name in ("one", "two"):
            write(
                tmp_path / system / f"{name}.wav", Audio(np.sin(np.arange(4000) * pitch).astype(np.float32) / 2, 16_000)
            )
    arguments = ("studio", "import", "listening", tmp_path / "a", tmp_path / "b", "--task", "preference")
    assert aptone(*arguments, "--system", "old", "--system", "new").code == 0
    with Project.open("listening") as project:
        hidden = [item.hidden["systems"] for item in project.tasks.get("preference").task.items]
    assert hidden == [{"first": "old", "second": "new"}] * 2
    assert "two systems, or none" in aptone(*arguments, "--system", "old").err


def test_a_dataset_is_split_by_whole_stories_and_a_share_that_cannot_be_had_is_told(
    aptone: Aptone, task_file: Path
) -> None:
    task = read_task(task_file)
    stories = ("tower", "tower", "tower", "harbour", "harbour")
    items = tuple(replace(task.items[0], id=f"i{place}", hidden={"story": one}) for place, one in enumerate(stories))
    write_task(task_file, replace(task, items=items))
    aptone("studio", "import", "listening", task_file)
    rate(Path("listening"), {"ada": [1, 2, 3]})
    export = ("studio", "export", "listening", "--task", "tones", "--format", "dataset", "--licence", "cc-by-4.0")
    told = aptone(*export, "--split", "0.4", "-o", "set", "--json").json["split"]
    assert (told["train"], told["test"], told["reason"]) == (["i0", "i1", "i2"], ["i3", "i4"], "")
    assert "license: cc-by-4.0" in Path("set/README.md").read_text(encoding="utf-8")
    assert sorted(path.name for path in Path("set/data").iterdir()) == [
        f"{rows}-{side}.parquet" for rows in ("items", "ratings") for side in ("test", "train")
    ]
    shown = aptone(*export, "--split", "0.1", "-o", "far")  # the smaller story has two of five
    assert "3 items to train with, 2 to test with; 2 components share no story, character or scene" in shown.out
    assert "far from the 10% for testing that you asked for" in shown.err
    assert "最大的一组有 3 条" in aptone(*export, "--split", "0.1", "-o", "zh", "--lang", "zh").err
    assert (
        "go with --format dataset"
        in aptone("studio", "export", "listening", "--task", "tones", "--split", "0.1", "-o", "x").err
    )


def test_a_lexicon_of_the_users_takes_the_place_of_the_built_in_words(aptone: Aptone, task_file: Path) -> None:
    task = read_task(task_file)
    feeling = Control("fit", "text", {"en": "Feeling"}, agreement="vad")
    write_task(task_file, replace(task, controls=(feeling,)))
    aptone("studio", "import", "listening", task_file)
    rate(Path("listening"), {"ada": ["blim", "blom", "blum"], "bea": ["blum", "blom", "blim"]})
    asked = ("studio", "agreement", "listening", "--task", "tones", "--json")
    valence = aptone(*asked).json["controls"][0]["figures"]["valence"]["estimate"]
    assert valence["value"] is None  # nobody knows these words
    Path("own.tsv").write_text("blim\t1\t5\t5\nblom\t5\t5\t5\nblum\t9\t5\t5\n", encoding="utf-8")
    shown = aptone(*asked, "--lexicon", "own.tsv")
    assert (shown.code, "name the scale" in shown.err) == (2, True)
    found = aptone(*asked, "--lexicon", "own.tsv", "--lexicon-scale", "1", "9").json
    # Valences -1, 0, 1 beside 1, 0, -1: MS of items 0, of raters 0, of error 2; (0 - 2) / (0 + 2 + 2 (0 - 2) / 3) = -3.
    assert found["controls"][0]["figures"]["valence"]["estimate"]["value"] == pytest.approx(-3.0)
    assert "goes with --lexicon" in aptone(*asked, "--lexicon-scale", "1", "9").err


def test_an_invitation_is_a_link_that_lets_somebody_in(aptone: Aptone, task_file: Path) -> None:
    aptone("studio", "import", "listening", task_file)
    shown = aptone("studio", "invite", "listening", "--name", "Ada", "--days", "7", "--lang", "zh")
    assert "Ada（标注者）的链接，7 天内有效" in shown.out
    told = aptone(
        "studio", "invite", "listening", "--name", "Cleo", "--role", "adjudicator", "--json",
        "--public-url", "https://studio.example.org",
    ).json  # fmt: skip
    address, token = told["link"].split("#")
    assert address == "https://studio.example.org/join"
    with Project.open("listening") as project:
        assert project.people.enter(token).result().session.person.role == "adjudicator"


def test_somebody_who_was_here_gets_another_link(aptone: Aptone, task_file: Path) -> None:
    aptone("studio", "import", "listening", task_file)
    invite = ("studio", "invite", "listening")
    assert "there are no people yet" in aptone(*invite, "--person", "Ada").err
    rate(Path("listening"), {"Ada": [1], "Bea": [2]})
    with Project.open("listening") as project:
        ada, bea = project.people.everyone()
    for who in ("ada", ada.pseudonym.lower()):
        told = aptone(*invite, "--person", who, "--json").json
        assert (told["name"], told["role"]) == ("Ada", "annotator")
        with Project.open("listening") as project:
            assert project.people.enter(told["link"].partition("#")[2]).result().session.person.id == ada.id
    assert (
        f"nobody is called 'Cleo'; there are {ada.pseudonym} (Ada), {bea.pseudonym} (Bea)"
        in aptone(*invite, "--person", "Cleo").err
    )
    rate(Path("listening"), {"ADA": []})
    with Project.open("listening") as project:
        project.people.change(bea.id, active=False).result()
    assert "2 people are called 'Ada'" in aptone(*invite, "--person", "Ada").err
    assert "may not enter any more" in aptone(*invite, "--person", "Bea").err
    for wrong in ([], ["--person", "Ada", "--name", "Ada"], ["--person", "Bea", "--role", "admin"]):
        assert "name somebody new" in aptone(*invite, *wrong).err


def test_the_tasks_that_ship_are_listed(aptone: Aptone) -> None:
    shown = aptone("studio", "tasks")
    assert all(name in shown.out for name in templates())
    told = aptone("studio", "tasks", "--json").json["tasks"]
    assert [task["name"] for task in told] == list(templates())
    assert "内置任务" in aptone("studio", "tasks", "--lang", "zh").out


@for_each(
    ("arguments", "message"),
    [
        ([], "name a project: aptone studio --project FOLDER"),
        (["--project", "here", "--public-url", "https://a/b"], "expected an address without a path"),
        (["agreement", "nowhere", "--task", "x"], "nowhere: there is no project here; make one with: aptone studio"),
        (["import", "here", "missing.yaml"], "missing.yaml"),
        (["import", "here", "missing.yaml", "--task", "unheard-of"], "there is no task 'unheard-of'"),
    ],
)
def test_a_wrong_request_says_what_to_do(arguments: list[str], message: str, aptone: Aptone) -> None:
    shown = aptone("studio", *arguments)
    assert shown.code == 2
    assert message in shown.err


def test_an_unknown_task_of_a_project_is_told(aptone: Aptone, task_file: Path) -> None:
    aptone("studio", "import", "listening", task_file)
    shown = aptone("studio", "export", "listening", "--task", "unknown", "-o", "x.csv")
    assert shown.code == 2
    assert "listening: there is no task 'unknown'; it has " in shown.err


def test_a_folder_that_is_no_project_is_told_and_left_as_it_was(aptone: Aptone, tmp_path: Path) -> None:
    folder = tmp_path / "holiday"
    folder.mkdir()
    for verb in (["export", folder, "-o", "x.csv"], ["agreement", folder]):
        shown = aptone("studio", *verb, "--task", "clearness")
        assert shown.code == 2
        assert "holiday: there is no project here" in shown.err
    assert not list(folder.iterdir())


def test_calibration_items_have_a_table_of_their_own_and_a_dash_has_its_reason(aptone: Aptone, task_file: Path) -> None:
    task = read_task(task_file)
    write_task(task_file, replace(task, calibration=tuple(item.id for item in task.items)))
    aptone("studio", "import", "listening", task_file)
    rate(Path("listening"), {"ada": [1, 2, 3]})
    shown = aptone("studio", "agreement", "listening", "--task", "tones")
    assert "Agreement on tones: calibration items" in shown.out
    assert "ratings by" not in shown.out  # nothing but calibration was rated
    assert "\n– " in shown.out  # one rater agrees with nobody
    mandarin = aptone("studio", "agreement", "listening", "--task", "tones", "--lang", "zh").out
    assert "：没有两位评分者评过相同的两个条目" in mandarin


def test_a_task_that_nobody_has_rated_yet_says_so(aptone: Aptone, task_file: Path) -> None:
    name = aptone("studio", "import", "listening", task_file, "--json").json["tasks"][0]["name"]
    shown = aptone("studio", "agreement", "listening", "--task", name)
    assert (shown.code, shown.out) == (0, f"{name}: nobody has submitted a rating yet.\n")


def test_an_address_of_another_machine_is_refused_with_the_next_step(aptone: Aptone) -> None:
    shown = aptone("studio", "--project", "here", "--host", "203.0.113.7", "--no-browser")  # kept for examples
    assert shown.code == 2
    assert "--host 203.0.113.7: the studio cannot listen there" in shown.err
    assert "127.0.0.1" in shown.err


def test_a_port_in_use_is_refused_with_the_next_step(aptone: Aptone) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        shown = aptone("studio", "--project", "here", "--port", port, "--no-browser")
    assert shown.code == 2
    assert f"127.0.0.1:{port}: the studio cannot listen there" in shown.err
    assert "--port 0 for any free one" in shown.err


def test_a_password_in_the_address_of_the_database_is_never_printed(aptone: Aptone) -> None:
    url = "postgresql://ada:very-secret@127.0.0.1:1/listening"
    for shown in (
        aptone("studio", "--project", "here", "--port", "0", "--database-url", url, "--no-browser"),
        aptone("studio", "invite", "here", "--name", "Ada", "--database-url", url, "--json"),
    ):
        assert shown.code == 2
        assert "very-secret" not in shown.out + shown.err
        assert "the database cannot be used" in shown.err


def test_without_the_extra_the_pip_command_is_told(aptone: Aptone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.cli.options.studio.NEEDED", ("pydantic", "no_such_library"))
    for arguments in (["--project", "here", "--no-browser"], []):
        shown = aptone("studio", *arguments)
        assert shown.code == 2
        assert install_command("studio") in shown.err


def test_help_loads_no_server() -> None:
    code = (
        "import sys; from aptone.cli.studio.group import studio; sys.exit(any(n in sys.modules for n in sys.argv[1:]))"
    )
    heavy = ["sqlalchemy", "fastapi", "starlette", "uvicorn", "pydantic", "pyarrow"]
    assert subprocess.run([sys.executable, "-c", code, *heavy], check=False).returncode == 0


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_server_starts_prints_a_link_answers_and_stops_cleanly(stop: signal.Signals, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "aptone",
        "studio",
        "--project",
        str(tmp_path / "p"),
        "--port",
        "0",
        "--no-browser",
    ]
    extra = ["--json"] if stop is signal.SIGINT else ["--lang", "zh", "--verbose", "--host", "0.0.0.0"]
    with subprocess.Popen([*command, *extra], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        if stop is signal.SIGINT:
            told = json.loads("".join(itertools.islice(lines, 6)))
            link, address = told["link"], told["address"]
            assert told["database"] == str(tmp_path / "p" / "studio.sqlite")
            second = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            assert (second.returncode, second.stdout) == (2, "")
            assert f"another studio serves this project already: process {server.pid} on" in second.stderr
            assert f"Open {address} in the browser" in second.stderr
        else:
            link = next(line for line in lines if "#" in line).strip()
            address = link.partition("/join")[0]
        with urllib.request.urlopen(f"{address}/api/health", timeout=300) as reply:
            assert json.load(reply)["status"] == "ok"
        token = link.partition("#")[2]
        body = json.dumps({"token": token}).encode()
        asked = urllib.request.Request(
            f"{address}/api/session", data=body, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=300) as reply:
            assert json.load(reply)["person"]["role"] == "admin"
        server.send_signal(stop)
        out, err = server.communicate(timeout=300)
    assert server.returncode == 0
    if stop is signal.SIGTERM:
        assert "工作室已停止" in out
        assert "--public-url https://" in err
        assert "POST /api/session 200" in err
        assert token not in err
    else:
        assert (out, err) == ("", "")


def test_the_link_that_a_browser_is_started_with_works_for_minutes_only(
    aptone: Aptone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = threading.Event()
    links: list[str] = []

    def serve(app: object, listener: object, *, behind_proxy: bool, ready: Callable[[], None], until: object) -> None:
        ready()
        assert opened.wait(300)

    monkeypatch.setattr("aptone.studio.server.serve.serve", serve)

    def browse(link: str) -> None:
        links.append(link)
        opened.set()

    monkeypatch.setattr("webbrowser.open", browse)
    told = json.loads(aptone("studio", "--project", str(tmp_path / "p"), "--port", "0", "--json").out)
    # The command line of a browser can be read by everybody on the machine, what is printed here cannot.
    assert links[0].partition("#")[2] not in told["link"]
    with Project.open(tmp_path / "p", clock=lambda: time.time() + 301) as project:
        project.people.enter(told["link"].partition("#")[2]).result()
        with pytest.raises(NotSignedInError):
            project.people.enter(links[0].partition("#")[2]).result()


def test_the_list_of_people_has_consent_and_headphone_checks(aptone: Aptone, task_file: Path) -> None:
    task = replace(read_task(task_file), headphones=HeadphoneCheck(trials=1, needed=1, required=False))
    write_task(task_file, task)
    aptone("studio", "import", "listening", task_file)
    with Project.open(Path("listening")) as project:
        project.gates.set_consent({"en": "Agree."}).result()
        names = ("Ada", "Bea", "Cleo")
        ada, bea, _ = [
            project.people.enter(project.people.invite("annotator", name=name).result().token).result().session.person
            for name in names
        ]
        project.gates.agree(ada.id, version=1, language="en").result()
        for person, right in ((ada, True), (bea, False)):
            test = project.gates.begin_headphones("tones", person.id).result()
            with project.database.reading() as connection:
                query = text("SELECT places FROM headphone_checks WHERE id = :id")
                (place,) = json.loads(connection.execute(query, {"id": test.id}).scalar_one())
            project.gates.answer_headphones(test.id, person.id, [place if right else (place + 1) % 3]).result()
    rows = json.loads(aptone("studio", "people", "listening", "--json").out)["people"]
    assert [(one["consent"] or {}).get("version") for one in rows] == [1, None, None]
    assert [one["headphones"] for one in rows] == [{"tones": "passed"}, {"tones": "failed"}, {}]
    shown = aptone("studio", "people", "listening", "--lang", "zh").out
    assert "tones: 通过" in shown
    assert "tones: 未通过" in shown
