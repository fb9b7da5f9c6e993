"""The client with a failing service."""

from __future__ import annotations

import pickle
import re

import pytest
from mailverdict import Client, MailverdictError, NoAnswerError, UnfinishedJobError
from scripted_server import GOOD, Behavior, ScriptedServer, answer, cut_off, drip, reset, status, text


@pytest.mark.parametrize(
    "behavior",
    [
        pytest.param(reset, id="a reset"),
        pytest.param(status(500), id="a 500"),
        pytest.param(drip, id="an answer that never ends"),
        pytest.param(cut_off, id="an answer that is cut off"),
        pytest.param(status(429, retry_after="1"), id="a 429"),
    ],
)
def test_retries_after(server: ScriptedServer, behavior: Behavior) -> None:
    client = server.client(behavior, GOOD)
    assert client.call("validateSyntax", email="a@b.test")["email"] == "a@b.test"
    assert len(server.seen) == 2


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_follows_no_redirect_and_names_its_location(server: ScriptedServer, code: int) -> None:
    client = server.client(status(code, location="https://other.test/x"))
    words = f"the server at {server.url} redirects to https://other.test/x. Use the service's own URL"
    with pytest.raises(MailverdictError, match=f"^{re.escape(words)}$"):
        client.call("validateSyntax", email="a@b.test")
    assert len(server.seen) == 1


@pytest.mark.parametrize("code", [401, 403, 404, 422])
def test_reports_a_refusal_without_a_retry(server: ScriptedServer, code: int) -> None:
    client = server.client(status(code, x_request_id="r-1"))
    with pytest.raises(MailverdictError) as caught:
        client.call("validateSyntax", email="a@b.test")
    error = caught.value
    assert (error.status, error.message, str(error), error.request_id) == (
        code,
        f"status {code}",
        f"status {code}",
        "r-1",
    )
    assert len(server.seen) == 1


def test_names_the_invalid_fields_also_in_another_process(server: ScriptedServer) -> None:
    fields = [{"loc": ["body", "emails", 0], "msg": "is required", "type": "missing"}]
    with pytest.raises(MailverdictError, match=r"^body.emails.0: is required$") as caught:
        server.client(answer({"detail": fields, "code": "invalid_request"}, 422)).verify("a@b.test")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.fields, copy.status, copy.code, str(copy)) == (fields, 422, "invalid_request", str(caught.value))


def test_reports_a_refusal_that_is_not_json(server: ScriptedServer) -> None:
    with pytest.raises(MailverdictError, match=r"^the service returned status 418$") as caught:
        server.client(text("<h1>teapot</h1>", 418)).verify("a@b.test")
    assert caught.value.code is None


def test_waits_for_the_answer_of_a_lost_attempt(server: ScriptedServer) -> None:
    in_progress = status(409, retry_after="0")
    waits: list[tuple[float, int | None]] = []
    server.client(reset, in_progress, in_progress, GOOD)
    client = Client(base_url=server.url, on_wait=lambda *wait: waits.append(wait))
    assert client.verify("a@b.test")["email"] == "a@b.test"
    assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1
    assert [status for _, status in waits] == [None, 409, 409]
    assert waits[1:] == [(0.5, 409), (0.5, 409)]


def test_fails_at_once_instead_of_waiting_for_weeks(server: ScriptedServer) -> None:
    with pytest.raises(MailverdictError) as caught:
        server.client(status(429, retry_after="2678400"), GOOD).call("validateSyntax", email="a@b.test")
    assert caught.value.retry_after == 2_678_400
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("behavior", "tries"),
    [
        pytest.param(reset, 1, id="a lost answer"),
        pytest.param(status(500), 1, id="a 500"),
        pytest.param(status(503), 1, id="a 503"),
        pytest.param(status(429), 2, id="but again after a refusal without effect"),
    ],
)
def test_creates_no_second_key_after(server: ScriptedServer, behavior: Behavior, tries: int) -> None:
    client = server.client(behavior, status(403))
    with pytest.raises((MailverdictError, NoAnswerError)):
        client.keys.create(name="a", owner_email="a@b.test")
    assert len(server.seen) == tries


def test_reports_that_a_lost_key_may_have_been_created(server: ScriptedServer) -> None:
    with pytest.raises(NoAnswerError, match=r"the request may have taken effect: check before you retry$"):
        server.client(reset).keys.create(name="a", owner_email="a@b.test")


def test_reports_that_a_lost_delete_may_have_taken_effect(server: ScriptedServer) -> None:
    with pytest.raises(NoAnswerError, match=r"the request may have taken effect: check before you retry$"):
        server.client(reset, status(404)).suppress.remove("a@b.test")
    with pytest.raises(MailverdictError, match=r"^status 404$"):
        server.client(status(404)).suppress.remove("a@b.test")


def test_fails_after_three_retries_with_the_reason(server: ScriptedServer) -> None:
    client = server.client(reset)
    with pytest.raises(ConnectionError, match=r" after 4 attempts \(.*Connection reset by peer\)$"):
        client.call("validateSyntax", email="a@b.test")
    assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("url", "reason"),
    [("http://127.0.0.1:1", "Connection refused"), ("http://no-such-host.invalid", "[Nn]ame")],
)
def test_reports_why_the_service_is_unreachable(url: str, reason: str) -> None:
    with pytest.raises(NoAnswerError, match=rf"^no answer from {re.escape(url)} after 1 attempts \(.*{reason}.*\)$"):
        Client(base_url=url, max_retries=0).usage()


def test_reports_another_server(server: ScriptedServer) -> None:
    with pytest.raises(NoAnswerError, match=f"^the server at {server.url} is not a Mailverdict service$"):
        server.client(text("<h1>Welcome</h1>")).usage()


def test_reports_a_download_that_is_cut_off(server: ScriptedServer) -> None:
    pieces = server.client(cut_off).lists.download("job_1")
    assert next(pieces) == b'{"email":'
    with pytest.raises(NoAnswerError, match=f"^the answer from {server.url} was cut off "):
        next(pieces)


def test_an_abandoned_download_leaves_a_usable_client(server: ScriptedServer) -> None:
    client = server.client(text("x" * 1_000_000), GOOD)
    with client:
        pieces = client.lists.download("job_1")
        next(pieces)
        pieces.close()  # type: ignore[attr-defined]
        assert client.verify("a@b.test")["email"] == "a@b.test"


def test_waits_for_a_job_while_the_service_is_down(server: ScriptedServer) -> None:
    def job(state: str) -> Behavior:
        return answer({"status": state, "progress": 0, "total": 1})

    def wait(*behaviors: Behavior, patience: float = 900) -> object:
        client = server.client(*behaviors, max_retries=0)
        progress: list[str] = []
        ended = client.lists.wait(
            "job_1",
            on_progress=lambda job: progress.append(job["status"]),
            poll_seconds=0.001,
            patience_seconds=patience,
        )
        assert progress == ["running", "complete"]
        return ended["status"]

    assert wait(job("running"), reset, status(503), status(500), reset, job("complete")) == "complete"
    with pytest.raises(NoAnswerError):
        wait(job("running"), reset, job("complete"), patience=0)
    with pytest.raises(NoAnswerError):
        wait(reset, job("complete"))
    with pytest.raises(MailverdictError, match="status 404"):
        wait(job("running"), status(404), job("complete"))


@pytest.mark.parametrize("page", [{"results": None}, {"results": [], "partial": True}])
def test_an_unfinished_list_has_no_results(server: ScriptedServer, page: object) -> None:
    with pytest.raises(UnfinishedJobError, match=r"^job_1 has not finished yet$"):
        next(server.client(answer(page)).lists.results("job_1"))
