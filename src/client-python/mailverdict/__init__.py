"""The client of Mailverdict, the email verification service."""

from mailverdict._operations import __version__
from mailverdict.client import Client
from mailverdict.errors import FieldProblem, MailverdictError, NoAnswerError, SignatureError, UnfinishedJobError
from mailverdict.webhooks import WebhookEvent, verify_webhook

__all__ = [
    "Client",
    "FieldProblem",
    "MailverdictError",
    "NoAnswerError",
    "SignatureError",
    "UnfinishedJobError",
    "WebhookEvent",
    "__version__",
    "verify_webhook",
]
