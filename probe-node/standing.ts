import { type Breaker, isClosed, newBreaker, noteFate, noteStart, type SessionFate } from "./breaker.ts"
import { type BudgetPlan, createBudget } from "./budget.ts"

/** What one of our source IPs has going with one mail operator. */
export interface Bucket {
  readonly sourceIp: string
  readonly operator: string
  readonly isNamed: boolean
  readonly breaker: Breaker
  active: number
  tokens: number
  filledAtMs: number
  /** Refusals before RCPT since the start. */
  blocked: number
}

/** The part of a turn that decides whether it may start from a source IP. */
export interface Claim {
  readonly operator: string
  /** False: the operator is known by the name of its mail host, of which anybody may have many. */
  readonly isNamed: boolean
  /** Sessions at a time that the operator tolerates from one source IP. */
  readonly sessionsPerHost: number
  readonly recipients: number
}

/** Why a session cannot start: waiting helps, or it does not and this is the reason. */
export type Obstacle = { mayWait: true } | { mayWait: false; why: string }

const WAIT: Obstacle = { mayWait: true }
/** Operators with a name blocking one source IP at the same time before it is rested, and for how long. */
const QUARANTINE = { operators: 3, restMs: 1_800_000 } as const
const MAX_BUCKETS = 20_000

/** How our source IPs stand with the mail operators: sessions, rate, breakers, quarantine and daily budget. */
export class Standing {
  readonly #ratePerSlot: number
  readonly #now: () => number
  readonly #budget: ReturnType<typeof createBudget>
  readonly #buckets = new Map<string, Bucket>()
  readonly #quarantinedUntil = new Map<string, number>()

  /** @param ratePerSlot new sessions per second for each session a host tolerates; @param now Unix ms */
  constructor({ ratePerSlot, budget }: { ratePerSlot: number; budget: BudgetPlan }, now: () => number) {
    this.#ratePerSlot = ratePerSlot
    this.#budget = createBudget(budget)
    this.#now = now
  }

  bucket(sourceIp: string, { operator, isNamed, sessionsPerHost }: Claim): Bucket {
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

  /** Null when a session may start now. */
  obstacle(bucket: Bucket, { sessionsPerHost, recipients }: Claim): Obstacle | null {
    const nowMs = this.#now()
    if (this.#isQuarantined(bucket.sourceIp)) return { mayWait: false, why: "source IP is quarantined" }
    if (!isClosed(bucket.breaker, nowMs)) return { mayWait: false, why: "the operator blocks this source IP" }
    if (this.#budget.left(bucket.sourceIp, nowMs) < recipients)
      return { mayWait: false, why: "daily budget is used up" }
    if (bucket.active >= sessionsPerHost) return WAIT
    return this.#refill(bucket, sessionsPerHost * this.#ratePerSlot) < 1 ? WAIT : null
  }

  start(bucket: Bucket, { recipients }: Claim): void {
    bucket.active++
    bucket.tokens--
    noteStart(bucket.breaker)
    this.#budget.spend(bucket.sourceIp, recipients, this.#now())
  }

  end(bucket: Bucket): void {
    bucket.active--
  }

  note(bucket: Bucket, fate: SessionFate): void {
    if (fate === "blocked") bucket.blocked++
    if (noteFate(bucket.breaker, fate, this.#now())) this.#considerQuarantine(bucket.sourceIp)
  }

  /** Buckets with something to tell, for health and metrics. */
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
    // A clock that is set back takes nothing away.
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
    if (open >= QUARANTINE.operators) this.#quarantinedUntil.set(sourceIp, this.#now() + QUARANTINE.restMs)
  }

  /** Of names without end none is worth keeping, whatever it said. */
  #dropIdle(): void {
    for (const [key, bucket] of this.#buckets)
      if (bucket.active === 0 && (bucket.breaker.strikes === 0 || !bucket.isNamed)) this.#buckets.delete(key)
  }
}
