"""Checks received webhooks (Standard Webhooks 1.0.0). It makes no call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from standardwebhooks import Webhook, WebhookVerificationError
from typing_extensions import TypedDict

from mailverdict.errors import SignatureError


class WebhookEvent(TypedDict):
    type: str
    timestamp: str
    data: dict[str, Any]


def verify_webhook(body: str | bytes, headers: Mapping[str, str], secret: str) -> WebhookEvent:
    """
    Verifies a webhook's signature and age, and returns its event.

    `body` is the raw request body, before any parsing. `headers` are those of the request, with webhook-id,
    webhook-timestamp and webhook-signature. `secret` starts with "whsec_".
    Raises SignatureError when the signature is wrong or the webhook is older than five minutes.
    """
    webhook = Webhook(secret)
    try:
        return cast(WebhookEvent, webhook.verify(body, dict(headers.items())))
    # ValueError: a signature, or a body, that cannot be decoded.
    except (WebhookVerificationError, ValueError) as error:
        raise SignatureError(str(error)) from error
