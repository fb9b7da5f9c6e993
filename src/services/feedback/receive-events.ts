import type { InboundProvider } from "../../../schema/vocabulary.ts"
import type { InboundEvent, InboundRequest } from "../../adapters/inbound/inbound.ts"
import { countOrRefuse, tooMany } from "../../adapters/keygate/gates.ts"
import type { Receiver } from "../../adapters/store/receivers.ts"
import type { Deps } from "../../deps.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { changesStanding, type Fact } from "../../domain/feedback/fact.ts"
import { sha256 } from "../../domain/keys/digest.ts"
import { AppError } from "../../errors.ts"
import { secretPurpose } from "./create-receiver.ts"
import { type RecordNeeds, recordFeedback } from "./record-feedback.ts"

type Needs = RecordNeeds & Pick<Deps, "gates" | "receivers" | "inbound" | "minuteBook" | "sealer" | "log">

export interface Delivery {
  readonly provider: InboundProvider
  /** From the URL: says whose events these are. */
  readonly token: string
  readonly request: Omit<InboundRequest, "now">
}

export interface Received {
  /** Events that were new, that had been known, and that say nothing about a recipient. */
  readonly processed: number
  readonly known: number
  readonly ignored: number
}

/** One answer for an unknown token and a request that is not genuine. */
const REFUSED = "the request is not signed by the provider as this receiver expects"
/** Rows written in one statement; a provider's batch has at most a thousand events. */
const AT_ONCE = 500
/** Twenties of bounces or the like that an account's batches may bring a minute: each bounce is a write at the edge. */
const TWENTIES = { limit: 120, windowMs: 60_000 } as const
/** As many that come one in a request: too many to ask a gate about each. */
const ALONE = 20 * TWENTIES.limit
/** As much of a bounce's code as `POST /bounce` takes. */
const MAX_CODE = 100

/**
 * Takes a provider's request: checks on its raw bytes that it is genuine, and writes its events down. The body is gone
 * when this returns. @throws AppError unauthorized for everything that is not shown to be genuine, rate_limited
 */
export async function receiveEvents(needs: Needs, { provider, token, request }: Delivery): Promise<Received> {
  const receiver = await needs.receivers.byToken(await sha256(token), provider)
  if (!receiver) throw new AppError("unauthorized", REFUSED)
  const now = needs.clock.now()
  const secret = await needs.sealer.open(secretPurpose(receiver.receiverId), receiver.sealedSecret)
  if (secret === null) return refused(needs, receiver, "secret_unreadable")
  const inbound = await needs.inbound.of(provider).read({ ...request, now }, secret)
  if (inbound.kind === "refused") return refused(needs, receiver, inbound.why)
  if (inbound.kind === "unreadable") throw new AppError("bad_request", "the body is not what this provider sends")
  if (inbound.kind === "subscription") {
    await needs.inbound.confirm(inbound.confirmUrl)
    return { processed: 0, known: 0, ignored: 0 }
  }
  const tokenHash = inbound.token && (await sha256(inbound.token.text))
  if (inbound.token && tokenHash) {
    const isFirst = await needs.receivers.useToken(receiver.receiverId, {
      hash: tokenHash,
      expiresAt: inbound.token.expiresAt,
    })
    if (!isFirst) return refused(needs, receiver, "token_used")
  }
  try {
    const recorded = await record(needs, receiver, inbound.events)
    return { ...recorded, ignored: recorded.ignored + inbound.ignored }
  } catch (error) {
    // The provider sends it again, with the same token.
    if (tokenHash) await needs.receivers.returnToken(receiver.receiverId, tokenHash)
    throw error
  }
}

async function record(needs: Needs, receiver: Receiver, events: readonly InboundEvent[]): Promise<Received> {
  const { accountId, provider, receiverId } = receiver
  const facts = events.flatMap(({ email, kind, id, at, code }): Fact[] => {
    const address = parseAddress(email)
    // Half of a surrogate pair, as JSON may hold it, is what the store cannot read back.
    const kept = code?.slice(0, MAX_CODE).toWellFormed() ?? null
    return address.ok ? [{ address, kind, source: provider, code: kept, at, id }] : []
  })
  const changing = facts.filter(({ kind }) => changesStanding(kind)).length
  // More than can ever be meant are sent again by the provider.
  if (changing > 1) await countOrRefuse(needs.gates.ofAction(`events:${accountId}`), TWENTIES, Math.ceil(changing / 20))
  else if (!needs.minuteBook.take(`events:${accountId}`, changing, ALONE)) throw tooMany(60)
  let [processed, known] = [0, 0]
  for (let at = 0; at < facts.length; at += AT_ONCE) {
    const slice = facts.slice(at, at + AT_ONCE)
    const recorded = await recordFeedback(needs, { accountId, facts: slice, origin: "provider" })
    processed += recorded.fresh
    known += recorded.known
  }
  if (processed > 0) await needs.receivers.count(receiverId, { accepted: processed, refused: 0 }, needs.clock.now())
  return { processed, known, ignored: events.length - facts.length }
}

async function refused(needs: Needs, { receiverId, provider }: Receiver, why: string): Promise<never> {
  needs.log("inbound_refused", { receiver: receiverId, provider, why })
  await needs.receivers.count(receiverId, { accepted: 0, refused: 1 }, needs.clock.now())
  throw new AppError("unauthorized", REFUSED)
}
