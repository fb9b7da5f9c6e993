import { SENDING_PROVIDERS } from "../../../schema/sending-providers.ts"
import type { InboundProvider } from "../../../schema/vocabulary.ts"
import type { Receiver } from "../../adapters/store/suppression/receivers.ts"
import type { EventToken, InboundEvent, InboundRequest } from "../../adapters/suppression/inbound.ts"
import type { Context } from "../../context.ts"
import { hex, sha256 } from "../../domain/accounts/crypto.ts"
import { freeUnits } from "../../domain/accounts/rate-limits.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { unreadableCounter } from "../../domain/admin/metrics.ts"
import { changesAccountFlags, type Fact } from "../../domain/suppression/feedback.ts"
import { AppError } from "../../errors.ts"
import { countFreeWork } from "../accounts/count-free-work.ts"
import { findCredential } from "../accounts/identify.ts"
import { recordFeedback } from "./feedback.ts"

/** The part of a provider's request that is read before its body. */
interface Delivery {
  readonly provider: InboundProvider
  /** From the URL. It identifies the receiver. */
  readonly token: string
  readonly clientIp: string | undefined
}

interface Received {
  /** Counts of new events, of known events, and of events without a statement about a recipient. */
  readonly processed: number
  readonly known: number
  readonly ignored: number
  /** Events whose kind, id or recipient cannot be read. */
  readonly unreadable: number
  /** Events, new or known, about an address without a verdict. */
  readonly withoutVerdict: number
}

/** The same error for an unknown token and for a request with an invalid signature. */
const REFUSED = "the request lacks the provider's signature that this receiver expects"
/** Rows written in one statement. A provider's batch has at most a thousand events. */
const AT_ONCE = 500
/** The same limit as the code in `POST /bounce`. */
const MAX_CODE = 100

/** The receiver that a provider calls. @throws AppError unauthorized for an unknown token, rate_limited for many of them */
export async function findReceiver(ctx: Context, { provider, token, clientIp }: Delivery): Promise<Receiver> {
  const hash = await sha256(token)
  const receiver = await findCredential(ctx, { names: [`${provider} receiver:${hash}`], clientIp }, () =>
    ctx.store.receivers.byToken(hash, provider),
  )
  if (!receiver) throw new AppError("unauthorized", REFUSED)
  return receiver
}

/**
 * Verifies a provider's request by its raw bytes and records its events. The body is not stored.
 * @throws AppError unauthorized for a request that is not verified as the provider's, rate_limited
 */
export async function receiveEvents(
  ctx: Context,
  receiver: Receiver,
  request: Omit<InboundRequest, "now">,
): Promise<Received> {
  const { provider } = receiver
  const now = ctx.clock.now()
  const secret = await ctx.sealer.open(secretPurpose(receiver.receiverId), receiver.sealedSecret)
  if (secret === null) return refused(ctx, receiver, "secret_unreadable")
  const inbound = await ctx.inbound.of(provider).read({ ...request, now }, secret)
  if (inbound.kind === "refused") return refused(ctx, receiver, inbound.why)
  if (inbound.kind === "unreadable") {
    await countUnreadable(ctx, receiver, 1)
    throw new AppError("bad_request", "the body is not in this provider's format")
  }
  if (inbound.kind === "subscription") {
    await ctx.inbound.confirm(inbound.confirmUrl)
    return { processed: 0, known: 0, ignored: 0, unreadable: 0, withoutVerdict: 0 }
  }
  if (inbound.token && !(await claim(ctx, receiver, inbound.token))) return refused(ctx, receiver, "token_used")
  const recorded = await record(ctx, receiver, inbound.events)
  const unreadable = inbound.unreadable + recorded.unreadable
  if (unreadable > 0) await countUnreadable(ctx, receiver, unreadable)
  return { ...recorded, ignored: inbound.ignored, unreadable }
}

/**
 * Binds a token to its event before the event is recorded. A repeat of the same event passes and is recorded once, so
 * an interruption loses nothing.
 */
async function claim(ctx: Context, { receiverId }: Receiver, { text, event, expiresAt }: EventToken): Promise<boolean> {
  // The event's hash includes the token, so that it does not reveal the address.
  const [hash, eventHash] = await Promise.all([sha256(text), sha256(JSON.stringify([text, event]))])
  return ctx.store.receivers.claimToken(receiverId, { hash, eventHash, expiresAt })
}

async function record(
  ctx: Context,
  receiver: Receiver,
  events: readonly InboundEvent[],
): Promise<Omit<Received, "ignored">> {
  const { accountId, provider, receiverId } = receiver
  const facts = events.flatMap(({ email, kind, id, at, code }): Fact[] => {
    const address = parseAddress(email)
    // JSON may hold half of a surrogate pair, which the database cannot read back.
    const shortCode = code?.slice(0, MAX_CODE).toWellFormed() ?? null
    return address.ok ? [{ address, kind, source: provider, code: shortCode, at, id }] : []
  })
  const changing = facts.filter(({ kind }) => changesAccountFlags(kind)).length
  // The provider retries a batch beyond the limit.
  if (changing > 1) await countFreeWork(ctx, "bounceGroups", accountId, freeUnits("bounceGroups", changing))
  else await countFreeWork(ctx, "singleBounces", accountId, changing)
  let [processed, known, withoutVerdict] = [0, 0, 0]
  for (let at = 0; at < facts.length; at += AT_ONCE) {
    const slice = facts.slice(at, at + AT_ONCE)
    const recorded = await recordFeedback(ctx, { accountId, facts: slice, origin: "provider" })
    processed += recorded.fresh
    known += recorded.known
    withoutVerdict += recorded.judged.filter((judged) => judged === null).length
  }
  if (processed > 0) await ctx.store.receivers.count(receiverId, { accepted: processed }, ctx.clock.now())
  return { processed, known, unreadable: events.length - facts.length, withoutVerdict }
}

/** Counts and logs what a genuine request says in a form that this service does not know. */
async function countUnreadable(ctx: Context, { receiverId, provider }: Receiver, events: number): Promise<void> {
  ctx.log("inbound_unreadable", { receiver: receiverId, provider, events })
  ctx.counters.count(unreadableCounter(provider), events)
  await ctx.store.receivers.count(receiverId, { unreadable: events }, ctx.clock.now())
}

async function refused(ctx: Context, { receiverId, provider }: Receiver, why: string): Promise<never> {
  ctx.log("inbound_refused", { receiver: receiverId, provider, why })
  await ctx.store.receivers.count(receiverId, { refused: 1 }, ctx.clock.now())
  throw new AppError("unauthorized", REFUSED)
}

const MAX_PER_ACCOUNT = 20

/** The purpose that a receiver's secret is sealed for, so that it opens for no other receiver. */
const secretPurpose = (receiverId: string) => `receiver ${receiverId}`

/**
 * Creates an endpoint to which a provider posts an account's events.
 * @param secret the secret of the provider's scheme. Optional for credentials in the URL, which this service can generate.
 * @throws AppError bad_request for an unusable secret, conflict beyond 20 receivers
 */
export async function createReceiver(
  ctx: Context,
  { accountId, provider, secret }: { accountId: string; provider: InboundProvider; secret: string | null },
) {
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
