"""Reads addresses from stdin and prints one line of JSON for each."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

from validate_email import validate_email_or_fail
from validate_email import exceptions as errors

SECONDS = int(os.environ["PEER_TIMEOUT_MS"]) / 1000

# By its documentation these errors leave the mailbox undetermined, although validate_email() returns False for most of
# them. They count as unknown, in favor of the package.
UNDETERMINED = (
    errors.SMTPTemporaryError,
    errors.SMTPCommunicationError,
    errors.TLSNegotiationError,
    errors.DNSTimeoutError,
    errors.NoNameserverError,
)


def verify(address):
    try:
        valid = validate_email_or_fail(
            address,
            dns_timeout=SECONDS,
            smtp_timeout=SECONDS,
            smtp_helo_host=os.environ["PEER_HELO"],
            smtp_from_address=os.environ["PEER_MAIL_FROM"],
        )
        return {True: "deliverable", False: "undeliverable", None: "unknown"}[valid], str(valid)
    except UNDETERMINED as error:
        return "unknown", repr(error)
    except errors.EmailValidationError as error:
        return "undeliverable", f"{type(error).__name__}: {error}"
    except Exception as error:  # a fault of the package is no statement about the mailbox
        return "unknown", repr(error)


def answer(line):
    address = line.strip()
    verdict, raw = verify(address)
    # One write, so that lines of other threads stay apart.
    sys.stdout.write(json.dumps({"address": address, "verdict": verdict, "raw": raw}) + "\n")
    sys.stdout.flush()


with ThreadPoolExecutor(max_workers=16) as pool:
    for line in sys.stdin:
        pool.submit(answer, line)
