"""Receivers of events, and the signature of a received event."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from conftest import Service
from mailverdict import Client, SignatureError, verify_webhook

KEY = bytes(range(32))
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
BODY = json.dumps({"type": "job.completed", "timestamp": "2026-11-21T00:00:00Z", "data": {"job_id": "job_1"}})


def signed(body: str = BODY, *, age: int = 0, signature: str | None = None) -> dict[str, str]:
    """Signs as Standard Webhooks 1.0.0 describes, without the library that verifies."""
    sent_at = str(int(time.time()) - age)
    digest = hmac.new(KEY, f"evt_1.{sent_at}.{body}".encode(), hashlib.sha256).digest()
    return {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": sent_at,
        "Webhook-Signature": signature or f"v1,{base64.b64encode(digest).decode()}",
    }


@pytest.mark.parametrize("body", [BODY, BODY.encode()])
def test_an_event_is_accepted(body: str | bytes) -> None:
    assert verify_webhook(body, signed(), SECRET)["data"] == {"job_id": "job_1"}
    assert Client().webhooks.verify_signature(body, signed(), SECRET)["type"] == "job.completed"


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        pytest.param(BODY + " ", signed(), id="another body"),
        pytest.param(BODY, signed(age=600), id="an old event"),
        pytest.param(BODY, signed(age=-600), id="an event of the future"),
        pytest.param(BODY, signed(signature="v1,AAAA"), id="a wrong signature"),
        pytest.param(BODY, signed(signature="v1,A"), id="a signature that is not base64"),
        pytest.param(BODY, signed(signature="none"), id="a signature without a version"),
        pytest.param(BODY, {}, id="no headers"),
        pytest.param(b"\xff", signed(), id="a body that is not text"),
        pytest.param("no json", signed("no json"), id="a body that is not JSON"),
    ],
)
def test_everything_else_is_refused(body: str | bytes, headers: dict[str, str]) -> None:
    with pytest.raises(SignatureError):
        verify_webhook(body, headers, SECRET)


def test_an_endpoint_is_added_tested_paused_and_removed(client: Client, service: Service) -> None:
    received: queue.Queue[tuple[bytes, dict[str, str]]] = queue.Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.put((self.rfile.read(int(self.headers["content-length"])), dict(self.headers.items())))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Prints nothing."""

    host, port = service.webhook_host.split(":")
    secret = client.call("showWebhookSecret")["secret"]
    with HTTPServer((host, int(port)), Receiver) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        endpoint = client.webhooks.add(url=f"http://{service.webhook_host}/", events=["job.completed"])
        endpoint_id = endpoint["endpoint_id"]
        assert [one["endpoint_id"] for one in client.webhooks.list()] == [endpoint_id]
        event_id = client.webhooks.test(endpoint_id)["event_id"]
        body, headers = received.get(timeout=20)
        assert client.webhooks.verify_signature(body, headers, secret)["type"] == "webhook.test"
        assert [one["type"] for one in client.webhooks.deliveries(event_id=event_id)] == ["webhook.test"]
        assert client.webhooks.redeliver(event_id)["state"] == "pending"
        assert received.get(timeout=20)[1]["webhook-id"] == event_id
        assert client.webhooks.update(endpoint_id, paused=True)["state"] == "paused"
        client.webhooks.remove(endpoint_id)
        assert list(client.webhooks.list()) == []
        server.shutdown()
