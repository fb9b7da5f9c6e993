"""The programs of the README, in their order: a later one uses the client of the first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT, Service
from test_types import mypy
from test_webhooks import BODY, SECRET, signed

README = (ROOT / "src/client-python/README.md").read_text()
PROGRAM = "\n".join(re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE))


def test_the_programs_of_the_readme_run(
    service: Service,
    api_key: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAILVERDICT_API_KEY", api_key)
    Path("customers.csv").write_text("name,email\nAda,user1@d0987.test\nBob,no-1@d0987.test\n")
    replaced = {"https://api.example.com": service.url, "ada@example.com": "alice@mailbox.test"}
    program = PROGRAM
    for written, here in replaced.items():
        assert written in program
        program = program.replace(written, here)
    names: dict[str, object] = {}
    exec(compile(program, "README.md", "exec"), names)
    may_sign_up = names["may_sign_up"]
    assert callable(may_sign_up)
    assert may_sign_up("alice@mailbox.test") is True
    assert may_sign_up("no address") is False
    names["client"].__exit__(None, None, None)  # type: ignore[attr-defined]
    verdict, *progress, can_send, health, error = capsys.readouterr().out.splitlines()
    assert verdict == "valid True"
    assert progress[-1] == "2 2"
    assert can_send == "user1@d0987.test"
    assert health == "ok"
    assert error.startswith("404 ")
    assert "Ada,user1@d0987.test,valid," in Path("results.csv").read_text()
    receive = names["receive"]
    assert callable(receive)
    assert receive(BODY.encode(), signed(), SECRET) == 204
    assert receive(b"{}", signed(), SECRET) == 401


def test_the_readme_names_every_method() -> None:
    from mailverdict import Client

    client = Client()
    named = set(re.findall(r"\w+", README))
    for resource in ("lists", "keys", "suppress", "webhooks", "nodes"):
        methods = {name for name in dir(getattr(client, resource)) if not name.startswith("_")}
        assert methods <= named, resource
    assert {name for name in dir(client) if not name.startswith("_")} - {"close"} <= named


def test_the_programs_of_the_readme_have_right_types(tmp_path: Path) -> None:
    (tmp_path / "readme.py").write_text(PROGRAM)
    assert mypy(tmp_path, "readme.py") == ""
