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
type Obstacle = { mayWait: true } | { mayWait: false; why: string }

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
    if (bucket.breaker.strikes > 0) bucket.breaker.trial = true
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
    return { quarantined: this.#isQuarantined(sourceIp), spentToday: this.#budget.spent(sourceIp, this.#now()) }
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

export type SessionOutcome = "answered" | "blocked" | "failed"

export const BREAKER = { blocksToOpen: 8, firstPauseMs: 60_000, longestPauseMs: 3_600_000 } as const

/** Circuit breaker for one source IP at one mail operator. It counts refusals before RCPT. */
function newBreaker() {
  return {
    /** Blocks in a row. */
    blocks: 0,
    /** Times the breaker has opened since the last answer. */
    strikes: 0,
    openUntilMs: 0,
    /** A trial session runs, to test whether the operator still blocks. */
    trial: false,
  }
}
type Breaker = ReturnType<typeof newBreaker>

/** Whether a session may start. After the pause the breaker allows one trial session at a time. */
function isClosed(breaker: Breaker, nowMs: number): boolean {
  return breaker.strikes === 0 || (nowMs >= breaker.openUntilMs && !breaker.trial)
}

/** @returns true when this block opened the breaker */
function recordOutcome(breaker: Breaker, outcome: SessionOutcome, nowMs: number): boolean {
  const wasTrial = breaker.trial
  breaker.trial = false
  if (outcome === "answered") {
    breaker.blocks = 0
    breaker.strikes = 0
  }
  if (outcome !== "blocked") return false
  breaker.blocks++
  if (!wasTrial && (breaker.strikes > 0 || breaker.blocks < BREAKER.blocksToOpen)) return false
  breaker.openUntilMs = nowMs + Math.min(BREAKER.longestPauseMs, BREAKER.firstPauseMs * 2 ** breaker.strikes)
  breaker.strikes++
  return true
}

const DAY_MS = 86_400_000

/** Daily limit of probed recipients per source IP. */
export interface BudgetPlan {
  /** Recipients per source IP and UTC day after the warm-up. Null: no limit. */
  readonly perDay: number | null
  /** First day of a new IP (UTC midnight, Unix ms). Null: the IP is warm. */
  readonly warmUpFromMs: number | null
}

const WARM_UP_FIRST_DAY = 200
const WARM_UP_GROWTH = 1.35
/** The IP counts as warm from this day: the curve then exceeds a million recipients a day. */
const WARM_UP_DAYS = 30

/** Recipients allowed today. A new IP starts at 200 and grows by 35 % a day, as senders warm up an IP. */
export function allowance({ perDay, warmUpFromMs }: BudgetPlan, nowMs: number): number {
  const warm = perDay ?? Number.POSITIVE_INFINITY
  if (warmUpFromMs === null) return warm
  const age = Math.max(0, Math.floor((nowMs - warmUpFromMs) / DAY_MS))
  return age >= WARM_UP_DAYS ? warm : Math.min(warm, Math.floor(WARM_UP_FIRST_DAY * WARM_UP_GROWTH ** age))
}

/** Counts probed recipients per source IP and UTC day. */
function createBudget(plan: BudgetPlan) {
  let day = 0
  const spent = new Map<string, number>()

  function today(nowMs: number): Map<string, number> {
    const now = Math.floor(nowMs / DAY_MS)
    if (now !== day) spent.clear()
    day = now
    return spent
  }

  return {
    left(sourceIp: string, nowMs: number): number {
      return allowance(plan, nowMs) - (today(nowMs).get(sourceIp) ?? 0)
    },
    spend(sourceIp: string, recipients: number, nowMs: number): void {
      today(nowMs).set(sourceIp, (spent.get(sourceIp) ?? 0) + recipients)
    },
    spent(sourceIp: string, nowMs: number): number {
      return today(nowMs).get(sourceIp) ?? 0
    },
  }
}
