"""Each method against the running service, in the sandbox internet of docs/sandbox.md."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Callable

import pytest
from conftest import Service
from mailverdict import Client, MailverdictError


def eventually(read: Callable[[], Any], is_there: Callable[[Any], bool], within: float = 20) -> Any:
    stop_at = time.monotonic() + within
    while True:
        value = read()
        if is_there(value) or time.monotonic() > stop_at:
            return value
        time.sleep(0.1)


def test_an_address_is_verified_for_a_credit_and_then_read_from_the_store_for_none(client: Client) -> None:
    assert client.verify_fast("never-verified@d0980.test") is None
    used = client.usage()["credits_used"]
    assert client.verify("alice@mailbox.test", smtp=True)["status"] == "valid"
    assert client.verify("no address")["status"] == "invalid"
    stored = eventually(lambda: client.verify_fast("alice@mailbox.test"), lambda found: found is not None)
    assert stored["checks"]["status"] == "valid"
    assert client.usage()["credits_used"] == used + 1


def test_a_list_is_uploaded_waited_for_and_read_in_every_form(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "customers.csv"
    path.write_text("name,email\nAda,user1@d0981.test\nBob,no-1@d0981.test\n")
    uploaded = client.lists.upload(path, deduplicate=True)
    assert (uploaded["total"], uploaded["file"]["email_column"]) == (2, "email")
    job_id = uploaded["job_id"]
    progress: list[int] = []
    ended = client.lists.wait(job_id, on_progress=lambda job: progress.append(job["progress"]), poll_seconds=0.2)
    assert (ended["status"], progress[-1]) == ("complete", 2)
    results = [(one["checks"]["email"], one["checks"]["status"]) for one in client.lists.results(job_id)]
    assert results == [("user1@d0981.test", "valid"), ("no-1@d0981.test", "invalid")]
    assert [one["checks"]["email"] for one in client.lists.results(job_id, filter="can_send")] == ["user1@d0981.test"]
    assert client.lists.get(job_id)["progress"] == 2
    assert client.lists.report(job_id)["total"] == 2
    file = b"".join(client.lists.download(job_id, filter="can_send")).decode()
    header, row, end = file.split("\r\n")
    assert header.startswith("name,email,status,")
    assert row.startswith("Ada,user1@d0981.test,valid,")
    assert end == ""
    assert b"".join(client.lists.download(job_id, format="xlsx")).startswith(b"PK")
    assert job_id in [one["job_id"] for one in client.lists.all()]
    assert list(client.lists.all(name="no file has this name")) == []


def test_addresses_become_a_list_which_can_be_canceled_and_a_sample_does_not(client: Client) -> None:
    job_id = client.lists.verify(["nobody@tarpit.test"])["job_id"]
    assert client.lists.cancel(job_id)["status"] == "failed"
    lines = "\n".join(f"user{index}@d0982.test" for index in range(300))
    sampled = client.lists.sample(f"email\n{lines}\n".encode())
    assert (sampled["status"], sampled["total"]) == ("sampled", 300)


def test_a_key_is_created_renamed_replaced_and_revoked(client: Client, service: Service) -> None:
    created = client.keys.create(name="first", owner_email="owner@mailbox.test")
    with Client(base_url=service.url, api_key=created["api_key"]) as other:
        assert other.usage()["tier"] == "free"
    assert client.keys.update(created["key_id"], name="renamed")["name"] == "renamed"
    rotated = client.keys.rotate(created["key_id"])
    assert rotated["rotated_from"] == created["key_id"]
    assert client.keys.revoke(rotated["key_id"])["revoked"] is True
    assert "renamed" in [key["name"] for key in client.keys.list()]


def test_an_address_and_a_domain_are_suppressed_exported_imported_and_removed(client: Client) -> None:
    added = client.suppress.add("a@d0983.test")
    assert (added["change"], added["entry"]["reason"]) == ("added", "manual")
    assert client.suppress.add_domain("d0984.test", expires_in_days=3)["change"] == "added"
    entries = [one.get("domain") or one.get("email") for one in client.suppress.list(reason="manual")]
    assert entries == ["d0984.test", "a@d0983.test"]
    csv = b"".join(client.suppress.export())
    imported = client.suppress.import_(csv)
    assert (imported["status"], imported["added"]) == ("imported", 0)
    assert client.suppress.remove("a@d0983.test")["still_suppressed"] is False
    assert client.suppress.remove_domain("d0984.test")["still_suppressed"] is False
    assert list(client.suppress.list(from_="2020-01-01")) == []


def test_the_rest_a_person_a_domain_the_account_the_nodes(client: Client, operator: Client) -> None:
    assert "outcome" in client.find(first_name="Ada", last_name="King", domain="d0985.test")
    assert client.domain("mailbox.test")["domain"] == "mailbox.test"
    account = client.account()
    assert (account["email"], account["signed_in_by"]) == ("owner@mailbox.test", "key")
    [node] = operator.nodes.list()
    assert node["id"] in [probe["id"] for region in operator.nodes.health() for probe in region["probes"]]
    assert operator.nodes.drain(node["id"])["status"] == "draining"
    assert operator.nodes.resume(node["id"])["status"] == "resumed"
    assert operator.call("health")["status"] == "ok"
    assert operator.call("metrics").startswith("# HELP ")
    assert next(operator.stream("metrics")).startswith(b"# HELP ")


def test_the_same_key_of_the_caller_is_charged_once(client: Client) -> None:
    used = client.usage()["credits_used"]
    answers = [client.verify("user1@d0986.test", fresh=True, idempotency_key="order-1") for _ in range(2)]
    assert answers[0] == answers[1]
    assert client.usage()["credits_used"] == used + 1


@pytest.mark.parametrize(
    ("use", "status"),
    [
        (lambda c: c.verify_fast("a@d0980.test", max_age_hours=-1), 422),
        (lambda c: next(c.lists.results("job_unknown")), 404),
        (lambda c: c.keys.create(name="", owner_email="owner"), 422),
        (lambda c: c.keys.rotate("key_unknown"), 404),
        (lambda c: c.keys.revoke("key_unknown"), 404),
        (lambda c: c.find(first_name="A", last_name="K", domain="gmail.com"), 400),
        (lambda c: c.domain("no domain"), 400),
        (lambda c: c.lists.get("job_unknown"), 404),
        (lambda c: c.lists.wait("job_unknown"), 404),
        (lambda c: c.lists.upload(b" "), 422),
        (lambda c: next(c.lists.download("job_unknown")), 404),
        (lambda c: c.suppress.add("no address"), 400),
        (lambda c: c.suppress.add_domain("no domain"), 400),
        (lambda c: c.suppress.remove("absent@d0986.test"), 404),
        (lambda c: c.webhooks.add(url="no url", events=["job.completed"]), 422),
        (lambda c: c.webhooks.test("whe_unknown"), 404),
        (lambda c: c.webhooks.redeliver("evt_unknown"), 404),
        (lambda c: c.nodes.drain("unknown-1"), 404),
        (lambda c: c.nodes.remove("unknown-1"), 404),
    ],
)
def test_a_method_raises_what_it_documents(client: Client, use: Callable[[Client], object], status: int) -> None:
    with pytest.raises(MailverdictError) as caught:
        use(client)
    assert caught.value.status == status
    assert caught.value.request_id
    assert bool(caught.value.fields) == (status == 422)
