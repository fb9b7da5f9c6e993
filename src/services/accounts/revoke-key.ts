import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { unknownKey } from "./find-key.ts"

/** Revokes a key for good; the next request with it is refused. Revoking again changes nothing. @throws AppError not_found */
export async function revokeKey(
  { clock, gates, keys }: Pick<Deps, "clock" | "gates" | "keys">,
  { caller, keyId }: { caller: Member; keyId: string },
): Promise<void> {
  const key = await keys.find(keyId, caller.accountId)
  if (!key) throw unknownKey()
  await keys.revoke(keyId, caller.accountId, clock.now())
  await gates.ofKey(key.digest).forget()
}
