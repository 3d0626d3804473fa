"""Raters see what the task shows them: nothing that is hidden, not where a clip comes from, nobody's answers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aptone.studio.server.app import all_routes
from aptone.types import RatingItem, RatingTask
from tests.studio.server.requests import SENT
from tests.studio.server.world import Browser, World, change, listening_task, new_world

MARK = "secret"
SECRETS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=5, max_size=8).map(lambda letters: f"{MARK}{letters}")
VALUES = st.recursive(SECRETS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(SECRETS, inner, max_size=2))


def with_secrets(task: RatingTask, secrets: list[Any]) -> RatingTask:
    """The task with something hidden in every place that raters must not see: fields, gold, ids, clips, categories."""
    items = []
    for number, item in enumerate(task.items):
        hidden = secrets[number % len(secrets)]
        marked = [f"{MARK}system{system}{number}" for system in "ab"]
        items.append(
            RatingItem(
                f"{MARK}item{number}",
                audio=dict(zip(marked, item.audio.values(), strict=True)),
                fields={"sentence": item.fields["sentence"], "pair": marked, f"{MARK}field": hidden},
                hidden={"category": hidden, f"{MARK}model": hidden, "score": 0.987654},
                gold={"note": f"{MARK}gold"} if number else {"better": marked[0]},
            )
        )
    rated = tuple(items)
    return replace(
        task,
        items=rated,
        calibration=(rated[0].id,),
        attention=(rated[-1].id,),
        attention_every=1,
        accept={"note": f"{MARK}accept"},
    )


def everything_sent_to(rater: Browser, world: World) -> str:
    """Every reply that a rater can get, to the end of the task."""
    replies = [rater.get("/api/me"), rater.get("/api/tasks"), rater.get("/api/tasks/listening")]
    while view := rater.next():
        where = f"/api/assignments/{view['id']}"
        replies.append(rater.ask("POST", "/api/tasks/listening/next", json={}))
        replies += [
            rater.get(f"{where}/clips/{clip['clip']}", headers={"Range": "bytes=0-43"}) for clip in view["clips"]
        ]
        replies.append(rater.ask("PUT", f"{where}/changes", json={"changes": [change("fit", 9)]}))
        replies.append(rater.ask("PUT", f"{where}/changes", json={"changes": [change("better", "c1")]}))
        replies.append(rater.ask("POST", f"{where}/played", json={"clip": "c9"}))
        replies.append(rater.ask("POST", f"{where}/submit", json={"changes": []}))
        replies.append(rater.get(where))
        replies.append(rater.answer(view))
    replies += [rater.get("/api/tasks/listening/mine"), rater.ask("POST", "/api/tasks/listening/next", json={})]
    for route in all_routes():  # and what is refused tells nothing either
        sent = SENT[route.method, route.path_format]
        if "{assignment}" not in route.path and route.path not in ("/api/session", "/api/session/participant"):
            told = sent(world)
            replies.append(rater.ask(route.method, told.path.replace("item%2F1", f"{MARK}item1"), **told.options))
    return "\n".join(f"{reply.headers} {reply.content!r}" for reply in replies)


@pytest.mark.slow
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(secrets=st.lists(VALUES, min_size=1, max_size=3))
def test_no_reply_to_a_rater_holds_what_is_hidden(secrets: list[Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("blind") / "project"
    with new_world(folder, task=with_secrets(listening_task(), secrets)) as world:
        bea_view = world["bea"].next()
        world["bea"].ask(
            "PUT", f"/api/assignments/{bea_view['id']}/changes", json={"changes": [change("note", f"{MARK}other")]}
        )
        sent = everything_sent_to(world["ada"], world)
        bea = world.project.people.person(world["bea"].person)
        for leak in (MARK, "hidden-", "0.987654", '"judged_by":"score"', str(folder), bea.id, bea.pseudonym, ".flac"):
            assert leak not in sent


def test_the_order_of_a_pair_tells_nothing_and_is_undone_where_it_is_kept(world: World) -> None:
    chosen: dict[object, list[str]] = {}
    for who in ("ada", "bea"):
        while view := world[who].next():
            world[who].answer(view)  # always the one that is played first
    for row in world.project.results.ratings("listening"):
        chosen.setdefault(row.rating.answers["better"], []).append(row.rating.shown[0])
    assert set(chosen) <= {"hidden-system-a", "hidden-system-b"}
    for own, first in chosen.items():
        assert set(first) == {own}


def test_an_attention_check_looks_like_any_other_item(tmp_path: Path) -> None:
    with new_world(tmp_path / "project", task=with_secrets(listening_task(), ["x"])) as world:
        keys, stages = set(), set()
        while view := world["ada"].next():
            keys.add(json.dumps(sorted(view)))
            stages.add((view["stage"], view["total"]))
            world["ada"].answer(view)
        assert len(keys) == 1
        assert stages == {("calibration", 1), ("rating", 3)}  # two items and a check
        assert len(world.project.results.ratings("listening")) == 4


def test_who_guesses_the_own_name_of_a_clip_does_not_learn_which_blind_name_it_has(world: World) -> None:
    rater, desk = world["ada"], world["cleo"]
    view = rater.next()
    for guess in ("hidden-system-a", "no-such-clip"):
        reply = rater.ask("PUT", f"/api/assignments/{view['id']}/changes", json={"changes": [change("better", guess)]})
        told = reply.status_code, reply.json()["error"]["message"]
        assert told == (422, "better: expected one of the clips that are shown.")
    assert rater.get(f"/api/assignments/{view['id']}").json()["answers"] == {}
    settled = {"answers": {"better": "hidden-system-a"}}
    assert desk.ask("PUT", "/api/tasks/listening/items/item%2F1/adjudication", json=settled).status_code == 422


def test_an_attention_check_is_not_known_by_what_is_left_of_the_quota(tmp_path: Path) -> None:
    plain = listening_task(items=6)
    task = replace(
        plain,
        items=tuple(replace(item, gold={"fit": 3}) for item in plain.items),
        calibration=(),
        attention=("item/5",),
        attention_every=2,
        quota_per_rater=3,
    )
    with new_world(tmp_path / "project", task=task) as world:
        rater = world["ada"]
        left = []
        while view := rater.next():
            left.append(rater.get("/api/tasks").json()[0]["progress"]["quota_left"])
            assert rater.answer(view).status_code == 200
        # Three items and, after two of them, one check: each takes one away.
        assert left == [4, 3, 2, 1]
        assert rater.get("/api/tasks").json()[0]["progress"]["quota_left"] == 0
