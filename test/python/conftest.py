from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from mailverdict import Client
from scripted_server import ScriptedServer

ROOT = Path(__file__).parents[2]
# The build of the Worker is part of the first start.
STARTS_WITHIN = 180


class Service(NamedTuple):
    url: str
    admin_secret: str
    webhook_host: str
    """A free address at which the service delivers webhooks."""


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The whole service of `npm start` with the sandbox internet, on free ports and in a folder of its own."""
    folder = tmp_path_factory.mktemp("service")
    webhook_host = free_host()
    settings = {
        "PORT": "0",
        "DATA_DIR": str(folder / "data"),
        "LOG_FORMAT": "json",
        "BULK_RETRY_SECONDS": "2,1",
        "CRON_MINUTE_MS": "1000",
        "ANONYMOUS_PER_MINUTE": "100000",
        "WEBHOOK_ALLOW_HOSTS": webhook_host,
    }
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["node", "scripts/dev/start.ts"],
            cwd=ROOT,
            env={**environment, **settings},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            url, secrets = started(process, log)
            yield Service(url, json.loads(secrets.read_text())["adminSecret"], webhook_host)
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def started(process: subprocess.Popen[bytes], log: Path) -> tuple[str, Path]:
    stop_at = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < stop_at and process.poll() is None:
        for line in log.read_text().splitlines():
            if '"event":"started"' in line:
                entry = json.loads(line)
                return entry["url"], Path(entry["secrets"])
        time.sleep(0.2)
    pytest.fail(f"the service did not start:\n{log.read_text()[-2000:]}")


def free_host() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture(scope="session")
def operator(service: Service) -> Iterator[Client]:
    with Client(base_url=service.url, admin_secret=service.admin_secret) as client:
        yield client


@pytest.fixture(scope="session")
def api_key(operator: Client) -> str:
    """A key of an account without close limits."""
    return operator.keys.create(name="test", owner_email="owner@mailbox.test", tier="enterprise")["api_key"]


@pytest.fixture(scope="session")
def client(service: Service, api_key: str) -> Iterator[Client]:
    with Client(base_url=service.url, api_key=api_key) as client:
        yield client


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
