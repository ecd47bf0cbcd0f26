"""What kind of trouble an answer is, told by its status and its words."""

from __future__ import annotations

import pytest

from litterm.core.errors import ModelError, ModelFailed, NoModelServer, RequestRefused
from litterm.llm.endpoint import parse_endpoint
from litterm.llm.requests.error_mapping import ErrorAnswer, model_error, redact


def told(status: int | None, payload: object) -> ModelError:
    return model_error(ErrorAnswer(status, payload), parse_endpoint("http://127.0.0.1:9/v1"), "tiny", "sk-very-secret")


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (300, NoModelServer, "sends requests elsewhere"),
        (399, NoModelServer, "sends requests elsewhere"),
        (400, RequestRefused, r"refuses the request \(HTTP 400\)"),
        (418, RequestRefused, r"refuses the request \(HTTP 418\)"),
        (499, RequestRefused, r"refuses the request \(HTTP 499\)"),
        (500, ModelFailed, r"an internal error \(HTTP 500\)"),
        (None, ModelFailed, "an internal error[.]"),
        (200, NoModelServer, "something other than JSON"),
        (405, NoModelServer, "no OpenAI-compatible interface"),
        (408, ModelFailed, "did not take the request in time"),
    ],
)
def test_a_status_tells_the_kind(status: int | None, kind: type[ModelError], says: str) -> None:
    error = told(status, {"error": {"message": "Something odd"}})
    assert type(error) is kind
    with pytest.raises(kind, match=says):
        raise error
    assert str(error).endswith('It says: "Something odd"')


@pytest.mark.parametrize("status", [200, 418])
def test_a_web_page_is_named_and_not_quoted(status: int) -> None:
    error = told(status, "  <!DOCTYPE html><p>Welcome</p>")
    assert type(error) is NoModelServer
    assert "answers with a web page instead of JSON" in str(error)
    assert "Welcome" not in str(error)


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"error": {"code": "404"}}, 404),
        ({"error": {"code": 429}}, 429),
        ({"code": 599}, 599),
        ({"code": 600}, None),
        ({"code": 399}, None),
        ({"code": "0404"}, None),
    ],
)
def test_a_status_may_stand_in_the_body_alone(payload: object, status: int | None) -> None:
    assert told(None, payload).status == status


def test_four_characters_of_a_key_in_a_row_are_taken_out() -> None:
    assert redact("it ends in cret now", "sk-very-secret") == "it ends in … now"
    assert redact("it ends in ret now", "sk-very-secret") == "it ends in ret now"
    assert redact("very-secret and very", "sk-very-secret") == "… and …"


def test_a_long_message_is_cut() -> None:
    assert redact("x" * 200, "") == "x" * 200
    assert redact("x" * 201, "") == "x" * 200 + "…"
