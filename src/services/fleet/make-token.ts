import type { Deps } from "../../deps.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { countSecret } from "../accounts/count-secret.ts"

export interface NewToken {
  readonly token: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  readonly accountId: string | null
}

const TTL_MS = 60 * 60_000

/**
 * A secret with which one node may enrol within an hour: a shared one for the operator, an account's own for an account.
 * @throws AppError rate_limited
 */
export async function makeToken(
  needs: Pick<Deps, "clock" | "digests" | "gates" | "randomToken" | "fleetStore">,
  caller: Caller,
): Promise<NewToken> {
  const { clock, digests, randomToken, fleetStore } = needs
  const accountId = accountOf(caller)
  if (accountId !== null) await countSecret(needs, accountId)
  const token = `mvn_${randomToken()}${randomToken()}`
  const expiresAt = clock.now() + TTL_MS
  await fleetStore.addToken({ digest: await digests.of("fleet-token", token), accountId, expiresAt })
  return { token, expiresAt, accountId }
}
