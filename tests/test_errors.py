"""Errors of ours: one root, and nothing of them is lost on the way to another process."""

import concurrent.futures
import copy
import inspect
import math
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest

from aptone import errors
from aptone.errors import (
    AptoneError,
    AudioError,
    MissingExtraError,
    RecordError,
    RegistryError,
    RunError,
    StepError,
    TransientError,
    UnusableReplyError,
    UsageError,
)
from aptone.installation import install_command
from aptone.types import Line, from_json
from tests.tables import for_each

ALL = [
    AptoneError("root"),
    UsageError("two options clash"),
    AudioError("语音.wav: no audio stream found"),
    RecordError("Score.value: missing."),
    RegistryError("unknown name"),
    MissingExtraError("the judge", extra="llm"),
    RunError("locked"),
    StepError("RuntimeError: oops", trace="Traceback …"),
    TransientError("rate limit", retry_after=2.5, cost=0.25),
    UnusableReplyError("no score in the reply", raw_reply="<score>\ud800</score>"),
]


class PluginError(TransientError):
    """An error that a plugin derives from ours, with a constructor of its own."""

    def __init__(self, code: int, *, server: str) -> None:
        super().__init__(f"{server} answered {code}", retry_after=1.0)
        self.code = code
        self.server = server


def test_the_list_above_holds_every_error_class() -> None:
    classes = {kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)}
    assert classes == {type(error) for error in ALL}


@for_each("error", ALL, ids=lambda error: type(error).__name__)
def test_every_error_is_caught_as_the_root(error: AptoneError) -> None:
    with pytest.raises(AptoneError):
        raise error


@for_each("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@for_each("error", ALL, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling_with_message_and_attributes(error: AptoneError, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.args == error.args
    assert vars(again) == vars(error)


@for_each("error", ALL, ids=lambda error: type(error).__name__)
def test_an_error_survives_copying(error: AptoneError) -> None:
    assert (str(copy.copy(error)), vars(copy.copy(error))) == (str(error), vars(error))
    assert (str(copy.deepcopy(error)), vars(copy.deepcopy(error))) == (str(error), vars(error))


def test_a_derived_error_stays_what_it_is_when_pickled() -> None:
    again = pickle.loads(pickle.dumps(PluginError(503, server="judge.example")))
    assert type(again) is PluginError
    assert (again.code, again.server, again.retry_after, again.cost) == (503, "judge.example", 1.0, 0.0)
    assert str(again) == "judge.example answered 503"


def test_notes_survive_pickling() -> None:
    error = RunError("damaged")
    error.add_note("line 7 of the journal")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["line 7 of the journal"]


def test_an_error_raised_in_another_process_arrives_with_its_attributes() -> None:
    # A fresh process can import the package but not this file, so it runs functions of the former.
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        raised = pool.submit(from_json, Line, {})
        sent = pool.submit(copy.copy, UnusableReplyError("no score", raw_reply="hello"))
        with pytest.raises(RecordError, match=r"^Line\.text: missing\.$"):
            raised.result(timeout=600)
        back = sent.result(timeout=600)
    assert (str(back), back.reason, back.raw_reply) == ("no score", "no score", "hello")


def test_a_missing_extra_names_the_command_that_installs_it() -> None:
    error = MissingExtraError("the speech-LLM judge", extra="llm")
    assert str(error) == f'the speech-LLM judge needs the extra "llm". Install it with: {install_command("llm")}'
    assert (error.what, error.extra) == ("the speech-LLM judge", "llm")


def test_a_transient_error_costs_nothing_and_asks_for_no_wait_unless_told() -> None:
    error = TransientError("dropped")
    assert (error.retry_after, error.cost) == (None, 0.0)


@for_each("cost", [math.inf, -math.inf, math.nan, -0.01, 10**400, "2"])
def test_a_cost_that_cannot_be_added_up_is_refused(cost: Any) -> None:
    with pytest.raises(ValueError, match="the cost of a failed call is a finite number of 0 or more, got"):
        TransientError("busy", cost=cost)
    with pytest.raises(ValueError, match="the cost of an unusable reply is a finite number of 0 or more, got"):
        UnusableReplyError("no score", raw_reply="?", cost=cost)


def test_costs_of_any_kind_of_number_are_taken() -> None:
    assert TransientError("busy", cost=np.float32(0.5)).cost == 0.5  # type: ignore[arg-type]
    assert UnusableReplyError("no score", raw_reply="?", cost=2).cost == 2.0


def test_a_time_to_wait_that_is_no_number_is_refused_where_it_arises() -> None:
    soon: Any = "soon"
    with pytest.raises(ValueError, match="a number of seconds, got soon"):
        TransientError("rate limit", retry_after=soon)
    assert TransientError("rate limit", retry_after=3).retry_after == 3
