import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { AppError } from "../../errors.ts"
import { countSecret } from "./count-secret.ts"
import type { CreatedKey } from "./create-key.ts"
import { unknownKey } from "./find-key.ts"
import { issueSecret } from "./issue-secret.ts"

type Needs = Pick<Deps, "clock" | "randomBytes" | "digests" | "gates" | "keys">

/**
 * Replaces a key by a new one of the same name and tier; the old one is refused from the next request on. Of two
 * rotations at once one wins, the other is told that the key is gone.
 * @throws AppError not_found, conflict, rate_limited
 */
export async function rotateKey(
  needs: Needs,
  { caller, keyId }: { caller: Member; keyId: string },
): Promise<CreatedKey> {
  const old = await needs.keys.find(keyId, caller.accountId)
  if (!old) throw unknownKey()
  if (!old.isActive) throw new AppError("conflict", "this key is revoked; only an active key can be rotated")
  await countSecret(needs, caller.accountId)
  const issued = await issueSecret(needs)
  const { accountId, ownerEmail, name, tier } = old
  const key = { accountId, ownerEmail, name, tier, pepperId: needs.digests.pepperId, createdAt: needs.clock.now() }
  const replacement = { ...key, keyId: issued.keyId, digest: issued.digest }
  const won = await needs.keys.rotate(keyId, replacement)
  await needs.gates.ofKey(old.digest).forget()
  if (!won) throw new AppError("conflict", "this key has just been rotated or revoked")
  return { ...replacement, secret: issued.secret }
}
