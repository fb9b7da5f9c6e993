from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mailverdict._caller import Caller

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from mailverdict import types


class Keys:
    """The account's API keys. No call costs credits."""

    def __init__(self, caller: Caller) -> None:
        self._call = caller.call

    def create(self, **fields: Unpack[types.CreateKeyInput]) -> types.CreatedKey:
        """
        Creates a key. `api_key` is shown only in this answer. Without a key of your own, the new one belongs to no
        account until its owner signs in.

        A lost answer is not retried, because a second key would be created: check `list` first.
        Raises MailverdictError 422 for an invalid field, 429 after 5 keys an hour without a key, 100 with one.
        """
        return self._call("createKey", **fields)

    def list(self) -> Sequence[types.Key]:
        """Lists all keys of the account, without their secrets. Raises MailverdictError 401 without a key."""
        return self._call("listKeys")["keys"]

    def rotate(self, key_id: str) -> types.RotateKeyAnswer:
        """
        Replaces a key. The old one stops working at once, and `api_key` is shown only in this answer.
        Raises MailverdictError 404 for an unknown key, 409 for a revoked one.
        """
        return self._call("rotateKey", key_id=key_id)

    def revoke(self, key_id: str) -> types.RevokeKeyAnswer:
        """Revokes a key at once and for good. Raises MailverdictError 404 for an unknown key."""
        return self._call("revokeKey", key_id=key_id)

    def update(self, key_id: str, **fields: Unpack[types.KeyChange]) -> types.Key:
        """
        Changes a key's name, expiry or restrictions. A field that is left out stays.
        Raises MailverdictError 404 for an unknown key, 422 for an invalid field.
        """
        return self._call("changeKey", key_id=key_id, **fields)
