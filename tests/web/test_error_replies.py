"""Replies to refused requests."""

import json

from fastapi import FastAPI
from starlette.testclient import TestClient

from aptone.web.error_replies import error_handlers, refusal_response
from aptone.web.refusals import BusyError, NotFoundError, TooOftenError


def test_a_server_that_is_busy_says_when_to_try_again() -> None:
    reply = refusal_response(BusyError("too much waits to be written."))
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "1")


def test_a_reply_names_code_sentence_and_next_step_in_both_languages() -> None:
    reply = refusal_response(TooOftenError("Too much.", seconds=7))
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "7")
    assert json.loads(bytes(reply.body)) == {
        "error": {
            "code": "too-often",
            "message": "Too much.",
            "next": "Wait 7 seconds and try again.",
            "mandarin": {"message": "Too much.", "next": "请在 7 秒后重试。"},
        }
    }


def test_errors_of_ours_of_starlette_and_of_fastapi_have_one_form() -> None:
    app = FastAPI(exception_handlers=error_handlers(lost="Go home."))

    @app.get("/number")
    def number(value: int) -> int:
        return value

    @app.post("/number")
    def refused() -> int:
        raise NotFoundError("none", next="Ask.")

    client = TestClient(app)
    replies = {
        "there is nothing": (client.get("/nowhere"), 404, "not-found", "Go home."),
        "another method": (client.delete("/number"), 405, "wrong-method", ""),
        "a wrong value": (client.get("/number?value=x"), 400, "not-understood", ""),
        "our own": (client.post("/number"), 404, "not-found", "Ask."),
    }
    for name, (reply, status, code, next_step) in replies.items():
        error = reply.json()["error"]
        assert (reply.status_code, error["code"], error["next"]) == (status, code, next_step), name
    assert replies["another method"][0].headers["allow"] == "GET, POST"
