import type { Deps } from "../../deps.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"

export interface NewToken {
  readonly token: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  readonly accountId: string | null
}

const TTL_MS = 60 * 60_000

/** A secret with which one node may enrol within an hour: a shared one for the operator, an account's own for an account. */
export async function makeToken(
  { clock, digests, randomToken, fleetStore }: Pick<Deps, "clock" | "digests" | "randomToken" | "fleetStore">,
  caller: Caller,
): Promise<NewToken> {
  const token = `mvn_${randomToken()}${randomToken()}`
  const accountId = accountOf(caller)
  const expiresAt = clock.now() + TTL_MS
  await fleetStore.addToken({ digest: await digests.of("fleet-token", token), accountId, expiresAt })
  return { token, expiresAt, accountId }
}
