import { SENDING_PROVIDERS } from "../../../schema/sending-providers.ts"
import type { InboundProvider } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { hex, sha256 } from "../../domain/accounts/crypto.ts"
import { AppError } from "../../errors.ts"

export interface CreatedReceiver {
  readonly receiverId: string
  /** Part of the URL that the provider posts to. Shown once. */
  readonly token: string
  /** "user:password" for a provider that sends credentials instead of a signature. Shown once. Null for the others. */
  readonly credentials: string | null
}

const MAX_PER_ACCOUNT = 20

/** The purpose that a receiver's secret is sealed for, so that it opens for no other receiver. */
export const secretPurpose = (receiverId: string) => `receiver ${receiverId}`

/**
 * Creates an endpoint to which a provider posts an account's events.
 * @param secret the secret of the provider's scheme. Optional for credentials in the URL, which this service can generate.
 * @throws AppError bad_request for an unusable secret, conflict beyond 20 receivers
 */
export async function createReceiver(
  ctx: Context,
  { accountId, provider, secret }: { accountId: string; provider: InboundProvider; secret: string | null },
): Promise<CreatedReceiver> {
  const { isInUrl, format } = SENDING_PROVIDERS[provider].secret
  const used = isInUrl && secret === null ? `mailverdict:${ctx.randomToken()}` : secret
  if (used === null) throw new AppError("bad_request", `${provider} events cannot be verified without a secret`)
  if (!(await ctx.inbound.of(provider).isUsable(used)))
    throw new AppError("bad_request", `the secret is not usable: it must be ${format}`)
  const existing = await ctx.store.receivers.list(accountId)
  if (existing.length >= MAX_PER_ACCOUNT)
    throw new AppError("conflict", `an account has at most ${MAX_PER_ACCOUNT} receivers; delete one first`)
  const receiverId = `rcv_${hex(ctx.randomBytes(12))}`
  const token = `${ctx.randomToken()}${ctx.randomToken()}`
  await ctx.store.receivers.create({
    receiverId,
    accountId,
    provider,
    tokenHash: await sha256(token),
    sealedSecret: await ctx.sealer.seal(secretPurpose(receiverId), used),
    createdAt: ctx.clock.now(),
  })
  return { receiverId, token, credentials: isInUrl ? used : null }
}
