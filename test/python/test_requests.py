"""The requests that each method sends, and those that it refuses to send."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable

import pytest
import urllib3
from mailverdict import Client, MailverdictError
from mailverdict._operations import OPERATIONS
from scripted_server import GOOD, ScriptedServer, answer, reset

Use = Callable[[Client], object]


def used(use: Use, client: Client) -> None:
    result = use(client)
    if isinstance(result, Iterator):
        list(result)


@pytest.mark.parametrize(
    ("use", "request_line", "body"),
    [
        (lambda c: c.verify("a@c.test"), "POST /validate", {"email": "a@c.test"}),
        (lambda c: c.verify("a@c.test", smtp=False), "POST /validate", {"email": "a@c.test", "smtp": False}),
        (
            lambda c: c.verify_fast("a@c.test", suppression=True),
            "GET /validate/fast?email=a%40c.test&suppression=true",
            b"",
        ),
        (
            lambda c: c.find(first_name="Ada", last_name="King", domain="c.test"),
            "POST /find-email/v2?first_name=Ada&last_name=King&domain=c.test",
            b"",
        ),
        (lambda c: c.domain("c.test"), "GET /domain-intel/c.test", b""),
        (lambda c: c.usage(), "GET /usage", b""),
        (lambda c: c.account(), "GET /auth/me", b""),
        (lambda c: c.lists.upload(b"email\na@c.test", smtp=False), "POST /bulk/upload?smtp=false", b"email\na@c.test"),
        (lambda c: c.lists.sample(b"x"), "POST /bulk/upload?sample=true", b"x"),
        (
            lambda c: c.lists.verify(("a@c.test",), finish_within=60),
            "POST /validate/bulk/async",
            {"emails": ["a@c.test"], "sample": False, "finish_within": 60},
        ),
        (lambda c: c.lists.get("job_1"), "GET /bulk/status/job_1", b""),
        (lambda c: c.lists.report("job_1"), "GET /bulk/job_1/report", b""),
        (lambda c: c.lists.download("job_1", format="xlsx"), "GET /bulk/download/job_1?format=xlsx", b""),
        (lambda c: c.lists.cancel("job_1"), "DELETE /jobs/job_1", b""),
        (
            lambda c: c.keys.create(name="n", owner_email="o@c.test"),
            "POST /keys",
            {"name": "n", "owner_email": "o@c.test"},
        ),
        (lambda c: c.keys.list(), "GET /keys", b""),
        (lambda c: c.keys.rotate("key_1"), "POST /keys/key_1/rotate", {}),
        (lambda c: c.keys.revoke("key_1"), "DELETE /keys/key_1", b""),
        (lambda c: c.keys.update("key_1", expires_at=None), "PATCH /keys/key_1", {"expires_at": None}),
        (lambda c: c.suppress.add("a@c.test"), "POST /suppression/add", {"email": "a@c.test", "reason": "manual"}),
        (
            lambda c: c.suppress.add_domain("c.test", reason="unsubscribe"),
            "POST /suppression/add",
            {"domain": "c.test", "reason": "unsubscribe"},
        ),
        (lambda c: c.suppress.list(from_="2026-11-01"), "GET /suppression?from=2026-11-01", b""),
        (lambda c: c.suppress.remove("a/b+c@d.test"), "DELETE /suppression/a%2Fb%2Bc%40d.test", b""),
        (lambda c: c.suppress.remove_domain("c.test"), "DELETE /suppression/domains/c.test", b""),
        (
            lambda c: c.suppress.import_(b"email\n", source="our crm"),
            "POST /suppression/import?source=our%20crm",
            b"email\n",
        ),
        (lambda c: c.suppress.export(), "GET /suppression/export", b""),
        (lambda c: c.webhooks.list(), "GET /webhooks/endpoints", b""),
        (
            lambda c: c.webhooks.add(url="https://c.test/", events=["job.completed"]),
            "POST /webhooks/endpoints",
            {"url": "https://c.test/", "events": ["job.completed"]},
        ),
        (lambda c: c.webhooks.update("whe_1", paused=True), "PATCH /webhooks/endpoints/whe_1", {"paused": True}),
        (lambda c: c.webhooks.remove("whe_1"), "DELETE /webhooks/endpoints/whe_1", b""),
        (lambda c: c.webhooks.test("whe_1"), "POST /webhooks/endpoints/whe_1/test", {}),
        (lambda c: c.webhooks.redeliver("evt_1"), "POST /webhooks/deliveries/evt_1/redrive", {}),
        (lambda c: c.nodes.list(), "GET /fleet/nodes", b""),
        (lambda c: c.nodes.health(), "GET /regions/health", b""),
        (lambda c: c.nodes.drain("fra-1"), "POST /fleet/nodes/fra-1/drain", {}),
        (lambda c: c.nodes.resume("fra-1"), "POST /fleet/nodes/fra-1/resume", {}),
        (lambda c: c.nodes.remove("fra-1"), "DELETE /fleet/nodes/fra-1", b""),
        # A space encoded as "+" would verify another mailbox: the service reads "+" as a plus sign.
        (lambda c: c.call("validate", email="a b+c@d.test"), "GET /validate?email=a%20b%2Bc%40d.test", b""),
        (lambda c: c.call("reportDelivered", email="a@c.test"), "POST /delivered?email=a%40c.test", b""),
        (lambda c: c.call("compareLists", job_id="job_2", with_="job_1"), "GET /bulk/job_2/compare?with=job_1", b""),
        (lambda c: c.stream("metrics"), "GET /admin/metrics", b""),
    ],
)
def test_a_method_makes_its_call(server: ScriptedServer, use: Use, request_line: str, body: Any) -> None:
    empty = {"keys": [], "suppressions": [], "endpoints": [], "nodes": [], "regions": []}
    used(use, server.client(answer(empty)))
    [seen] = server.seen
    assert seen.request == request_line
    assert (seen.body if isinstance(body, bytes) else json.loads(seen.body)) == body
    assert ("content-type" in seen.headers) == (body != b"")
    assert ("idempotency-key" in seen.headers) == request_line.startswith("POST")
    assert seen.headers["x-api-key"] == "mv_live_test"


@pytest.mark.parametrize(
    ("page", "use"),
    [
        ({"jobs": ["item"]}, lambda c: c.lists.all()),
        ({"results": ["item"], "partial": False}, lambda c: c.lists.results("job_1", filter="can_send")),
        ({"suppressions": ["item"]}, lambda c: c.suppress.list()),
        ({"deliveries": ["item"]}, lambda c: c.webhooks.deliveries(event_id="evt_1")),
    ],
)
def test_an_iterator_reads_every_page(
    server: ScriptedServer, page: dict[str, object], use: Callable[[Client], Any]
) -> None:
    client = server.client(answer({**page, "next_cursor": "second"}), answer({**page, "next_cursor": None}))
    items = use(client)
    assert server.seen == []
    assert next(items) == "item"
    assert len(server.seen) == 1
    assert list(items) == ["item"]
    assert ["cursor=second" in seen.request for seen in server.seen] == [False, True]


@pytest.mark.parametrize(
    ("opened", "body", "media_type"),
    [
        pytest.param(lambda path: path, b"\xc3\x84@b.test\r\n", "text/plain", id="a path"),
        pytest.param(str, b"\xc3\x84@b.test\r\n", "text/plain", id="the text of a path"),
        pytest.param(lambda path: path.open("rb"), b"\xc3\x84@b.test\r\n", "text/plain", id="an open file"),
        pytest.param(lambda path: path.open(encoding="utf-8"), b"\xc3\x84@b.test\n", "text/plain", id="a text file"),
        pytest.param(lambda _: io.BytesIO(b"x"), b"x", "text/csv", id="a file in memory"),
        pytest.param(lambda _: b"x", b"x", "text/csv", id="bytes"),
    ],
)
def test_a_file_is_the_body_of_every_attempt(
    server: ScriptedServer, tmp_path: Path, opened: Callable[[Path], Any], body: bytes, media_type: str
) -> None:
    path = tmp_path / "list.TXT"
    path.write_bytes("Ä@b.test\r\n".encode())
    file = opened(path)
    server.client(reset, GOOD).lists.upload(file, email_column="email")
    assert [seen.body for seen in server.seen] == [body, body]
    assert {seen.headers["content-type"] for seen in server.seen} == {media_type}
    assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1
    if isinstance(file, io.IOBase):
        file.close()


def test_a_key_of_the_caller_identifies_the_request(server: ScriptedServer) -> None:
    client = server.client(GOOD)
    client.verify("a@b.test", idempotency_key="order-1")
    client.verify("a@b.test")
    client.verify("a@b.test")
    keys = [seen.headers["idempotency-key"] for seen in server.seen]
    assert keys[0] == "order-1"
    assert len(set(keys)) == 3
    assert json.loads(server.seen[0].body) == {"email": "a@b.test"}


def test_threads_share_a_client(server: ScriptedServer) -> None:
    client = server.client(GOOD)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(client.verify, [f"user{index}@b.test" for index in range(40)]))
    assert answers == [{"email": "a@b.test", "valid": True}] * 40
    assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 40


def test_close_leaves_the_connections_of_a_given_pool(server: ScriptedServer) -> None:
    server.client(GOOD)
    with urllib3.PoolManager() as pool:
        with Client(base_url=server.url, pool=pool) as client:
            client.verify("a@b.test")
        assert len(pool.pools) == 1


def test_verify_fast_returns_none_without_a_fresh_result(server: ScriptedServer) -> None:
    assert server.client(answer({"detail": "nothing fresh"}, 404)).verify_fast("a@c.test") is None
    with pytest.raises(MailverdictError, match="no key"):
        server.client(answer({"detail": "no key"}, 401)).verify_fast("a@c.test")


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda c: c.call("validat"), 'unknown operation "validat". The operationIds are in /openapi.json'),
        (lambda c: c.call("__class__"), 'unknown operation "__class__"'),
        (lambda c: c.verify("a@c.test", smpt=True), 'validateByBody: unknown field "smpt". Fields: email, smtp'),
        (lambda c: c.verify_fast("a@c.test", age=1), 'validateFast: unknown field "age"'),
        (lambda c: c.verify_fast("a@c.test", idempotency_key="x"), 'unknown field "idempotency_key"'),
        (lambda c: c.call("uploadList", file=b"", name=""), 'uploadList: unknown field "name"'),
        (lambda c: c.call("uploadList"), "uploadList: file is missing"),
        (lambda c: c.lists.upload(7), "file: a path, bytes or an open file is required, not int"),
        (lambda c: c.lists.verify("a@c.test"), "emails: a list of addresses is required, not one string"),
        (lambda c: c.call("usage", days=1), 'usage: unknown field "days". It takes no fields'),
        (lambda c: c.lists.get(""), "bulkStatus: job_id is missing"),
        (lambda c: c.stream("usage"), "usage: its answer is not text. Use call"),
        (lambda c: c.lists.wait("job_1", poll=1), "unexpected keyword argument 'poll'"),
    ],
)
def test_an_unknown_name_is_an_error_before_anything_is_sent(server: ScriptedServer, use: Use, message: str) -> None:
    client = server.client(GOOD)
    with pytest.raises(TypeError) as caught:
        used(use, client)
    assert message in str(caught.value)
    assert server.seen == []


def test_an_option_of_the_client_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^api_key: has a character that a header cannot carry$"):
        Client(api_key="mv_live_…")
    with pytest.raises(ValueError, match=r"^admin_secret: "):
        Client(admin_secret="one\r\ntwo")
    with pytest.raises(ValueError, match=r"^base_url: must start with http:// or https://, not 'api.example.com'$"):
        Client(base_url="api.example.com")
    with pytest.raises(TypeError, match="apikey"):
        Client(apikey="mv_live_1")  # type: ignore[call-arg]


def test_the_table_has_the_operations_whose_secrets_are_shown_once() -> None:
    once = [name for name, place in OPERATIONS.items() if place.shows_secret_once]
    assert sorted(once) == [
        "createFleetToken",
        "createKey",
        "createReceiver",
        "createUserKey",
        "rotateKey",
        "rotateWebhookSecret",
        "showWebhookSecret",
    ]
