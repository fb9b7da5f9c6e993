import type { InboundProvider } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { hex, sha256 } from "../../domain/keys/digest.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "receivers" | "inbound" | "sealer" | "clock" | "randomBytes" | "randomToken">

export interface CreatedReceiver {
  readonly receiverId: string
  /** In the URL the provider is given; shown once. */
  readonly token: string
  /** "user:password" for a provider that signs nothing but sends them; shown once. Null for the others. */
  readonly credentials: string | null
}

const MAX_PER_ACCOUNT = 20

/** What a receiver's secret is sealed for: it opens for no other. */
export const secretPurpose = (receiverId: string) => `receiver ${receiverId}`

/**
 * Makes a place where a provider may post an account's events. @param secret what the provider's scheme needs; may be
 * left out for Postmark, whose user and password are ours to choose
 * @throws AppError bad_request for a secret that cannot work, conflict beyond 20 receivers
 */
export async function createReceiver(
  needs: Needs,
  { accountId, provider, secret }: { accountId: string; provider: InboundProvider; secret: string | null },
): Promise<CreatedReceiver> {
  const isOurs = provider === "postmark" && secret === null
  const used = isOurs ? `mailverdict:${needs.randomToken()}` : secret
  if (used === null) throw new AppError("bad_request", `${provider} events cannot be verified without a secret`)
  const problem = await needs.inbound.of(provider).problemOf(used)
  if (problem) throw new AppError("bad_request", `the secret ${problem}`)
  const existing = await needs.receivers.list(accountId)
  if (existing.length >= MAX_PER_ACCOUNT)
    throw new AppError("conflict", `an account has at most ${MAX_PER_ACCOUNT} receivers; delete one first`)
  const receiverId = `rcv_${hex(needs.randomBytes(12))}`
  const token = `${needs.randomToken()}${needs.randomToken()}`
  await needs.receivers.create({
    receiverId,
    accountId,
    provider,
    tokenHash: await sha256(token),
    sealedSecret: await needs.sealer.seal(secretPurpose(receiverId), used),
    createdAt: needs.clock.now(),
  })
  return { receiverId, token, credentials: provider === "postmark" ? used : null }
}
