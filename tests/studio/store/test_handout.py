"""Choice of the next item, over whole simulated studies."""

import random
from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.studio.store.handout import EarlierItem, ItemChoice, choose_item, purposes, stage_total
from aptone.types import Qualification, RatingTask
from tests.studio.studies import item, rating_task


class Played:
    """A study in memory: everybody submits at once what was drawn."""

    def __init__(self, task: RatingTask, *, seed: str = "s") -> None:
        self.task = task
        self.known = purposes(task)
        self.seed = seed
        self.given: dict[str, list[EarlierItem]] = {}
        self.taken: Counter[str] = Counter()

    def choose_item(self, person: str, *, qualified: bool | None = None) -> ItemChoice:
        own = self.given.setdefault(person, [])
        tested = sum(one.purpose == "qualification" for one in own)
        over = tested == stage_total(self.task, self.known, "qualification") > 0
        found = choose_item(
            self.task,
            self.known,
            person=person,
            seed=self.seed,
            given=own,
            taken=self.taken,
            qualified=qualified if over else None,
        )
        if found.item:
            own.append(EarlierItem(found.item, found.purpose))
            self.taken[found.item] += found.purpose == "rating"
        return found


tasks = st.builds(
    lambda items, calibration, test, attention, every, raters, quota, shuffled: rating_task(
        0,
        items=tuple(item(f"{kind}{n}", gold={"fit": 3}) for kind, count in
                    (("i", items), ("c", calibration), ("q", test), ("a", attention)) for n in range(count)),
        calibration=tuple(f"c{n}" for n in range(calibration)),
        qualification=Qualification(tuple(f"q{n}" for n in range(test))) if test else None,
        attention=tuple(f"a{n}" for n in range(attention)),
        attention_every=every,
        raters_per_item=raters,
        quota_per_rater=quota,
        shuffled=shuffled,
    ),
    items=st.integers(0, 9),
    calibration=st.integers(0, 3),
    test=st.integers(0, 3),
    attention=st.integers(0, 3),
    every=st.integers(1, 4),
    raters=st.integers(1, 4),
    quota=st.integers(0, 6),
    shuffled=st.booleans(),
)  # fmt: skip


@settings(max_examples=150)
@given(task=tasks, people=st.integers(1, 6), seed=st.integers(0, 99), fails=st.booleans())
def test_whatever_the_order_of_people_every_promise_of_a_study_is_kept(
    task: RatingTask, people: int, seed: int, fails: bool
) -> None:
    study, dice = Played(task), random.Random(seed)
    working = {f"person-{number}" for number in range(people)}
    while working:
        person = dice.choice(sorted(working))
        found = study.choose_item(person, qualified=not (fails and person == "person-0"))
        if not found.item:
            working.remove(person)
            _check_reason(study, person, found.reason, failed=fails and person == "person-0")
    assert all(count <= task.raters_per_item for count in study.taken.values())
    for given_items in study.given.values():
        names = [one.item for one in given_items]
        assert len(names) == len(set(names)), "nobody meets an item twice"
        _check_purposes(task, given_items)


def _check_reason(study: Played, person: str, reason: str, *, failed: bool) -> None:
    task, own = study.task, study.given[person]
    rated = sum(one.purpose == "rating" for one in own)
    if failed and task.qualification is not None:
        assert (reason, rated) == ("not-qualified", 0)
    elif reason == "quota":
        assert rated == task.quota_per_rater > 0
    else:
        assert reason == "done"
        met = {one.item for one in own}
        unmet = [name for name, purpose in study.known.items() if purpose == "rating" and name not in met]
        assert all(study.taken[name] == task.raters_per_item for name in unmet)


def _check_purposes(task: RatingTask, own: list[EarlierItem]) -> None:
    """Calibration, then the test, then items; in every stretch of items one check, as long as there are checks."""
    purposes_met = [one.purpose for one in own]
    counts = Counter(purposes_met)
    first = counts["calibration"] + counts["qualification"]
    assert purposes_met[:first] == ["calibration"] * counts["calibration"] + ["qualification"] * counts["qualification"]
    rated, checks = 0, 0
    for purpose in purposes_met[first:]:
        if purpose == "attention":
            assert checks * task.attention_every < rated <= (checks + 1) * task.attention_every
            checks += 1
        else:
            rated += 1
    assert checks >= min(len(task.attention), rated // task.attention_every)


def test_checks_come_at_places_that_differ_from_person_to_person() -> None:
    golden = tuple(item(f"a{n}", gold={"fit": 1}) for n in range(3))
    items = (*(item(f"i{n}") for n in range(60)), *golden)
    study = Played(rating_task(0, items=items, attention=("a0", "a1", "a2"), attention_every=20, raters_per_item=9))
    places = set()
    for person in "abcdefgh":
        for _ in range(63):
            study.choose_item(person)
        found = [place for place, one in enumerate(study.given[person]) if one.purpose == "attention"]
        assert len(found) == 3
        places.add(tuple(found))
    assert len(places) == 8


def test_items_nearest_to_completion_come_first() -> None:
    study = Played(rating_task(20, raters_per_item=3))
    for person in ("a", "b", "c"):
        for _ in range(5):
            study.choose_item(person)
    # Each of the three meets what the others began: five items have all their three raters.
    assert sorted(study.taken.values()) == [3] * 5


def test_each_person_has_an_order_of_ones_own_and_keeps_it() -> None:
    task = rating_task(30)
    orders = []
    for person in ("a", "b", "a"):
        study = Played(task)
        orders.append([study.choose_item(person).item for _ in range(30)])
    assert orders[0] == orders[2]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])
    listed = Played(rating_task(30, shuffled=False))
    assert [listed.choose_item("a").item for _ in range(30)] == [f"i{number}" for number in range(30)]


def test_an_item_that_was_left_alone_goes_to_somebody_who_waits() -> None:
    task = rating_task(1)
    known = purposes(task)
    common = {"person": "b", "seed": "s", "given": [], "taken": {"i0": 1}}
    assert choose_item(task, known, **common).reason == "done"  # type: ignore[arg-type]
    assert choose_item(task, known, **common, pending={"i0"}).reason == "waiting"  # type: ignore[arg-type]
    found = choose_item(task, known, **common, pending={"i0"}, abandoned={"i0"})  # type: ignore[arg-type]
    assert (found.item, found.takes_over) == ("i0", True)


def test_nothing_is_taken_from_others_while_there_is_free_work() -> None:
    task = rating_task(2)
    found = choose_item(
        task, purposes(task), person="b", seed="s", given=[], taken={"i0": 1}, pending={"i0"}, abandoned={"i0"}
    )
    assert (found.item, found.takes_over) == ("i1", False)


def test_a_person_gets_next_what_this_person_has_met_least() -> None:
    items = tuple(
        replace(item(f"{system}{text}"), hidden={"system": system, "text_id": str(text)})
        for system in "abc"
        for text in range(4)
    )
    task = rating_task(0, items=items, balanced_by="system")
    earlier: list[EarlierItem] = []
    for _ in range(12):
        found = choose_item(task, purposes(task), person="p", seed="s", given=earlier, taken={})
        earlier.append(EarlierItem(found.item, "rating"))
    names = [one.item for one in earlier]
    for place in range(0, 12, 3):  # every three items hold every system once
        assert sorted(name[0] for name in names[place : place + 3]) == ["a", "b", "c"]
    assert len({name[1] for name in names[:4]}) == 4  # and no text comes twice before all have come
    assert len(set(names)) == 12


def test_totals_count_the_quota_and_the_checks() -> None:
    golden = tuple(item(f"a{n}", gold={"fit": 1}) for n in range(2))
    items = (*(item(f"i{n}") for n in range(50)), *golden)
    task = rating_task(0, items=items, attention=("a0", "a1"), attention_every=4, quota_per_rater=10)
    # 10 of the 50 items, and a check after 4 and after 8 of them.
    assert stage_total(task, purposes(task), "rating") == 12
    assert stage_total(task, purposes(task), "calibration") == 0
