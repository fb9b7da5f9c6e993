"""What mypy says of the installed package, and of programs that use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RIGHT = """
import pathlib
from typing import Iterator, Optional
from mailverdict import Client, MailverdictError, types, verify_webhook

client = Client(api_key="mv_key", on_wait=lambda seconds, status: print(seconds, status))
emails: list[str] = []
turbo = client.call("validateTurbo", emails=emails)
uploaded: types.UploadedJob = client.lists.upload(pathlib.Path("a.csv"), smtp=False, idempotency_key="order-1")
results: Iterator[types.ListResult] = client.lists.results(uploaded["job_id"], filter="can_send")
stored = client.verify_fast("a@b.test", max_age_hours=1)
cached: bool = stored["checks"]["cached"] if stored else False
word: str = client.verify("a@b.test", smtp=False)["status"]
checked = client.verify("a@b.test", timeout=2, fallback=None)
can_send: bool = checked["deliverability_score"]["can_send"] if checked else True
csv: str = client.call("exportSuppressions")
pieces: Iterator[bytes] = client.stream("downloadResults", job_id="job_1", format="xlsx")
client.call("compareLists", job_id="job_2", with_="job_1")
client.call("dedup", emails=emails)
client.call("testIntegration", integration_id="int_1")
client.call("testIntegration", provider="hubspot", credentials={"access_token": "t"})
code: Optional[str] = MailverdictError("a new error", 409, code="a_code_of_a_later_version").code
known: types.ErrorCode = "not_cached"
event: str = client.webhooks.verify_signature(b"", {}, "")["type"]
"""
WRONG = {
    'client.call("validat", email="a@b.test")': "call-overload",
    'client.call("validateByBody", email="a@b.test", smpt=True)': "call-overload",
    'client.call("validateByBody", smtp=True)': "call-overload",
    'client.call("listKeys", email="a@b.test")': "call-overload",
    'client.stream("usage")': "call-overload",
    'client.verify("a@b.test", smpt=True)': "call-overload",
    'client.verify("a@b.test", smtp="yes")': "call-overload",
    'client.verify("a@b.test", fallback=None)["status"]': "index",
    'client.verify("a@b.test")["stauts"]': "typeddict-item",
    'client.lists.results("job_1", filter="sendable")': "arg-type",
    'client.lists.upload(b"", sample=True)': "call-arg",
    'client.keys.create(name="first")': "call-arg",
    'misspelled: types.ErrorCode = "not_cachd"': "assignment",
    'Client(apikey="mv_key")': "call-arg",
    "client.list": "attr-defined",
}


def mypy(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context"]
    done = subprocess.run(
        [*command, "--cache-dir", str(folder / "cache"), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout + done.stderr


def test_the_installed_package_is_typed_and_wrong_names_are_errors(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(RIGHT + "".join(f"{line}\n" for line in WRONG))
    assert mypy(tmp_path, "-p", "mailverdict") == ""
    assert mypy(tmp_path, "right.py") == ""
    first = RIGHT.count("\n") + 1
    errors = [line for line in mypy(tmp_path, "wrong.py").splitlines() if ": error: " in line]
    found = {(int(line.split(":")[1]) - first, line.rsplit("[", 1)[1].rstrip("]")) for line in errors}
    assert found == set(enumerate(WRONG.values()))
