"""The fallback of a verification that gets no result in time."""

from __future__ import annotations

import pytest
from mailverdict import Client, MailverdictError, NoAnswerError
from scripted_server import GOOD, Behavior, ScriptedServer, answer, cut_off, drip, reset, status, text

FALLBACK = {"can_send": True}
FAILURES = [
    pytest.param(reset, id="a reset"),
    pytest.param(status(500), id="a 500"),
    pytest.param(status(503), id="a 503"),
    pytest.param(status(429, retry_after="2678400"), id="a 429"),
    pytest.param(status(409, retry_after="2"), id="a request that is still in progress"),
    pytest.param(cut_off, id="an answer that is cut off"),
    pytest.param(drip, id="an answer that never ends"),
    pytest.param(text("<h1>in maintenance</h1>"), id="another server"),
]


@pytest.mark.parametrize("behavior", FAILURES)
def test_the_fallback_replaces_the_error_of(server: ScriptedServer, behavior: Behavior) -> None:
    client = server.client(behavior, max_retries=0)
    with pytest.raises((MailverdictError, NoAnswerError)):
        client.verify("a@b.test")
    assert client.verify("a@b.test", fallback=FALLBACK) is FALLBACK
    assert client.verify("a@b.test", fallback=None) is None


@pytest.mark.parametrize("code", [301, 400, 401, 402, 403, 404, 409, 422])
def test_a_refusal_is_raised_with_a_fallback_too(server: ScriptedServer, code: int) -> None:
    with pytest.raises(MailverdictError) as caught:
        server.client(status(code)).verify("a@b.test", timeout=60, fallback=FALLBACK)
    assert caught.value.status == code


def test_an_unknown_option_is_raised_with_a_fallback_too(server: ScriptedServer) -> None:
    with pytest.raises(TypeError, match='unknown field "smpt"'):
        server.client(GOOD).verify("a@b.test", fallback=FALLBACK, smpt=True)  # type: ignore[call-overload]
    assert server.seen == []


def test_the_service_gets_neither_the_timeout_nor_the_fallback(server: ScriptedServer) -> None:
    client = server.client(status(503), GOOD)
    result = client.verify("a@b.test", smtp=False, timeout=60, fallback=FALLBACK)
    assert result == {"email": "a@b.test", "valid": True}
    assert [seen.body for seen in server.seen] == [b'{"email": "a@b.test", "smtp": false}'] * 2


def test_the_timeout_is_that_of_the_whole_call(server: ScriptedServer) -> None:
    waits: list[tuple[float, int | None]] = []
    server.client(drip)
    client = Client(base_url=server.url, on_wait=lambda *wait: waits.append(wait))
    assert client.verify("a@b.test", timeout=0.1, fallback=FALLBACK) is FALLBACK
    with pytest.raises(NoAnswerError, match=r" after 1 attempts \(no complete answer within 0.1 s\)$"):
        client.verify("a@b.test", timeout=0.1)
    assert waits == []
    assert len(server.seen) == 2


def test_a_retry_after_the_timeout_is_not_waited_for(server: ScriptedServer) -> None:
    client = server.client(status(503, retry_after="240"), GOOD)
    assert client.verify("a@b.test", timeout=60, fallback=FALLBACK) is FALLBACK
    with pytest.raises(MailverdictError, match=r"^status 503$"):
        server.client(status(503, retry_after="240"), GOOD).verify("a@b.test", timeout=60)
    assert len(server.seen) == 1


def test_another_call_keeps_the_timeout_of_the_client(server: ScriptedServer) -> None:
    client = server.client(answer({}, 503), GOOD)
    assert client.verify("a@b.test", timeout=0.1, fallback=FALLBACK) is FALLBACK
    client = server.client(answer({}, 503), GOOD)
    assert client.verify("a@b.test")["email"] == "a@b.test"
