import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"

export interface NewToken {
  readonly token: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  readonly accountId: string | null
}

const TTL_MS = 60 * 60_000

/** Creates a token that enrolls or replaces one shared or own node, once, within an hour. @throws AppError rate_limited */
export async function makeToken(ctx: Context, caller: Caller): Promise<NewToken> {
  const { clock, digests, randomToken } = ctx
  const { fleetStore } = ctx.store
  const accountId = accountOf(caller)
  if (accountId !== null) await countFreeWork(ctx, "secrets", accountId)
  const token = `mvn_${randomToken()}${randomToken()}`
  const expiresAt = clock.now() + TTL_MS
  await fleetStore.addToken({ digest: await digests.of("fleet-token", token), accountId, expiresAt })
  return { token, expiresAt, accountId }
}
