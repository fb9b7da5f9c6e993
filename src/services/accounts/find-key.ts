import type { KeyUsage } from "../../adapters/store/keys.ts"
import type { Deps } from "../../deps.ts"
import type { Member } from "../../domain/accounts/caller.ts"
import { periodOf } from "../../domain/plans/tiers.ts"
import { AppError } from "../../errors.ts"

/** A key of the caller's account with its usage. @throws AppError not_found, for another account's key too */
export async function findKey(
  { clock, keys }: Pick<Deps, "clock" | "keys">,
  { caller, keyId }: { caller: Member; keyId: string },
): Promise<KeyUsage> {
  const own = await keys.list(caller.accountId, periodOf(clock.now()))
  const key = own.find((candidate) => candidate.keyId === keyId)
  if (!key) throw unknownKey()
  return key
}

export function unknownKey(): AppError {
  return new AppError("not_found", "there is no such key")
}
