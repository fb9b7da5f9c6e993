from __future__ import annotations

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable, NamedTuple

from mailverdict import Client


class Seen(NamedTuple):
    request: str
    headers: dict[str, str]
    body: bytes


Behavior = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: ScriptedServer

    def handle_any(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = self.script.seen
        seen.append(Seen(f"{self.command} {self.path}", headers, body))
        behaviors = self.script.behaviors
        behaviors[min(len(seen), len(behaviors)) - 1](self)

    do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


class ScriptedServer(ThreadingHTTPServer):
    """A service with one behavior per request. The last one repeats."""

    daemon_threads = True

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.behaviors: list[Behavior] = []
        super().__init__(("127.0.0.1", 0), type("ScriptedHandler", (Handler,), {"script": self}))
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Prints nothing: a client that hangs up is part of a test."""

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def client(self, *behaviors: Behavior, max_retries: int = 3) -> Client:
        self.seen.clear()
        self.behaviors[:] = behaviors
        return Client(base_url=self.url, api_key="mv_live_test", timeout=0.4, max_retries=max_retries)


def text(content: str, status: int = 200, **headers: str) -> Behavior:
    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(content.encode())))
        handler.end_headers()
        handler.wfile.write(content.encode())

    return answer


def answer(body: object, status: int = 200, **headers: str) -> Behavior:
    return text(json.dumps(body), status, **headers)


def status(code: int, **headers: str) -> Behavior:
    return answer({"detail": f"status {code}"}, code, **headers)


def reset(handler: Handler) -> None:
    handler.close_connection = True
    # Without a wait at the end (SO_LINGER 0), closing sends RST instead of FIN.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def cut_off(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"email":')
    handler.close_connection = True


def drip(handler: Handler) -> None:
    """Sends a byte in less than the client's timeout, and never ends."""
    handler.send_response(200)
    handler.send_header("content-length", "1000000")
    handler.end_headers()
    handler.close_connection = True
    ended = threading.Event()
    try:
        while not ended.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        return


GOOD = answer({"email": "a@b.test", "valid": True})
