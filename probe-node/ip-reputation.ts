import { type Breaker, isClosed, newBreaker, recordOutcome, recordStart, type SessionOutcome } from "./breaker.ts"
import { type BudgetPlan, createBudget } from "./budget.ts"

/** State of one source IP at one mail operator. */
export interface Bucket {
  readonly sourceIp: string
  readonly operator: string
  readonly isNamed: boolean
  readonly breaker: Breaker
  active: number
  tokens: number
  filledAtMs: number
  /** Refusals before RCPT since the node started. */
  blocked: number
}

/** What a session needs from an operator, to decide whether it may start from a source IP. */
export interface SessionDemand {
  readonly operator: string
  /** False when the operator is only a mail host's name. Host names are unlimited, so they count less. */
  readonly isNamed: boolean
  /** Concurrent sessions that the operator tolerates from one source IP. */
  readonly sessionsPerHost: number
  readonly recipients: number
}

/** Why a session cannot start now: it may wait, or it is denied for this reason. */
export type Obstacle = { mayWait: true } | { mayWait: false; why: string }

const WAIT: Obstacle = { mayWait: true }
/** Named operators that must block a source IP at the same time to quarantine it, and the quarantine in ms. */
const QUARANTINE = { operators: 3, pauseMs: 1_800_000 } as const
const MAX_BUCKETS = 20_000

/** IP reputation: sessions, rate, breakers, quarantine and daily budget per source IP and mail operator. */
export class IpReputation {
  readonly #ratePerSlot: number
  readonly #now: () => number
  readonly #budget: ReturnType<typeof createBudget>
  readonly #buckets = new Map<string, Bucket>()
  readonly #quarantinedUntil = new Map<string, number>()

  /** @param ratePerSlot new sessions per second, per session that a host tolerates; @param now Unix ms */
  constructor({ ratePerSlot, budget }: { ratePerSlot: number; budget: BudgetPlan }, now: () => number) {
    this.#ratePerSlot = ratePerSlot
    this.#budget = createBudget(budget)
    this.#now = now
  }

  bucket(sourceIp: string, { operator, isNamed, sessionsPerHost }: SessionDemand): Bucket {
    const key = `${sourceIp} ${operator}`
    const found = this.#buckets.get(key)
    if (found) return found
    if (this.#buckets.size >= MAX_BUCKETS) this.#dropIdle()
    const tokens = sessionsPerHost * this.#ratePerSlot
    const filledAtMs = this.#now()
    const bucket = { sourceIp, operator, isNamed, breaker: newBreaker(), active: 0, tokens, filledAtMs, blocked: 0 }
    this.#buckets.set(key, bucket)
    return bucket
  }

  /** What stops a session from starting now, or null. */
  obstacle(bucket: Bucket, { sessionsPerHost, recipients }: SessionDemand): Obstacle | null {
    const nowMs = this.#now()
    if (this.#isQuarantined(bucket.sourceIp)) return { mayWait: false, why: "source IP is quarantined" }
    if (!isClosed(bucket.breaker, nowMs)) return { mayWait: false, why: "the operator blocks this source IP" }
    if (this.#budget.left(bucket.sourceIp, nowMs) < recipients)
      return { mayWait: false, why: "daily budget is used up" }
    if (bucket.active >= sessionsPerHost) return WAIT
    return this.#refill(bucket, sessionsPerHost * this.#ratePerSlot) < 1 ? WAIT : null
  }

  start(bucket: Bucket, { recipients }: SessionDemand): void {
    bucket.active++
    bucket.tokens--
    recordStart(bucket.breaker)
    this.#budget.spend(bucket.sourceIp, recipients, this.#now())
  }

  end(bucket: Bucket): void {
    bucket.active--
  }

  record(bucket: Bucket, outcome: SessionOutcome): void {
    if (outcome === "blocked") bucket.blocked++
    if (recordOutcome(bucket.breaker, outcome, this.#now())) this.#considerQuarantine(bucket.sourceIp)
  }

  /** Buckets with running sessions or blocks, for health and metrics. */
  operators() {
    return [...this.#buckets.values()]
      .filter(({ active, blocked }) => active > 0 || blocked > 0)
      .map(({ sourceIp, operator, isNamed, active, blocked, breaker }) => ({
        sourceIp,
        operator,
        isNamed,
        active,
        blocked,
        isOpen: breaker.openUntilMs > this.#now(),
      }))
  }

  ofSource(sourceIp: string): { quarantined: boolean; spentToday: number } {
    return {
      quarantined: this.#isQuarantined(sourceIp),
      spentToday: this.#budget.spent(sourceIp, this.#now()),
    }
  }

  #refill(bucket: Bucket, rate: number): number {
    if (rate === Number.POSITIVE_INFINITY) return rate
    const nowMs = this.#now()
    // A clock that is set back removes no tokens.
    bucket.tokens = Math.min(rate, bucket.tokens + (Math.max(0, nowMs - bucket.filledAtMs) / 1_000) * rate)
    bucket.filledAtMs = nowMs
    return bucket.tokens
  }

  #isQuarantined(sourceIp: string): boolean {
    return (this.#quarantinedUntil.get(sourceIp) ?? 0) > this.#now()
  }

  #considerQuarantine(sourceIp: string): void {
    let open = 0
    for (const bucket of this.#buckets.values())
      if (bucket.isNamed && bucket.sourceIp === sourceIp && bucket.breaker.openUntilMs > this.#now()) open++
    if (open >= QUARANTINE.operators) this.#quarantinedUntil.set(sourceIp, this.#now() + QUARANTINE.pauseMs)
  }

  /** Frees memory: idle buckets without strikes, and all idle buckets of unnamed hosts. */
  #dropIdle(): void {
    for (const [key, bucket] of this.#buckets)
      if (bucket.active === 0 && (bucket.breaker.strikes === 0 || !bucket.isNamed)) this.#buckets.delete(key)
  }
}
