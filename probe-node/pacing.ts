import { type Breaker, isClosed, newBreaker, noteFate, noteStart, type SessionFate } from "./breaker.ts"
import { type BudgetPlan, createBudget } from "./budget.ts"

export interface PacingLimits {
  /** Sessions at a time over everything. */
  readonly concurrency: number
  /** Sessions waiting for their turn; more are refused. */
  readonly queue: number
  /** New sessions per second for each session a host allows at a time; Infinity for no limit. */
  readonly ratePerSlot: number
  readonly budget: BudgetPlan
}

export interface Turn {
  readonly operator: string
  /** Source IPs that may be used, in order of preference. */
  readonly sourceIps: readonly string[]
  /** Sessions at a time that the operator tolerates from one source IP. */
  readonly sessionsPerHost: number
  readonly priority: "interactive" | "bulk"
  readonly recipients: number
  /** When waiting becomes useless, on the pacer's clock. */
  readonly wallAtMs: number
  readonly isCancelled: () => boolean
}

export interface Lease {
  readonly sourceIp: string
  release(fate: SessionFate): void
}

export type Grant = Lease | { readonly throttled: string }

interface Bucket {
  active: number
  tokens: number
  filledAtMs: number
  readonly breaker: Breaker
  blocked: number
}

interface Waiter {
  readonly turn: Turn
  readonly resolve: (grant: Grant) => void
}

/** Waiting sessions of one mail operator; interactive ones go first. */
interface Lane {
  readonly interactive: Waiter[]
  readonly bulk: Waiter[]
}

const TICK_MS = 25
/** Waiters looked at beyond one that must wait for its own source IP. */
const LOOK_AHEAD = 16
/** Part of the concurrency that bulk work may take, so that somebody who waits always gets in. */
const BULK_SHARE = 0.9
/** Operators blocking one source IP at the same time before it is rested, and for how long. */
const QUARANTINE = { operators: 3, restMs: 1_800_000 } as const
const MAX_IDLE_BUCKETS = 20_000

/**
 * Decides when a session may start: concurrency and rate per (source IP, operator), a breaker on block replies,
 * quarantine and a daily budget per source IP, and a bounded queue in front.
 * @param now Unix ms
 */
export function createPacer(limits: PacingLimits, now: () => number) {
  const buckets = new Map<string, Bucket>()
  const lanes = new Map<string, Lane>()
  const quarantinedUntil = new Map<string, number>()
  const budget = createBudget(limits.budget)
  let active = 0
  let waiting = 0
  let throttled = 0
  let timer: NodeJS.Timeout | null = null

  function bucketOf(sourceIp: string, turn: Turn, nowMs: number): Bucket {
    const key = `${sourceIp} ${turn.operator}`
    const found = buckets.get(key)
    if (found) return found
    if (buckets.size >= MAX_IDLE_BUCKETS) dropIdle()
    const tokens = turn.sessionsPerHost * limits.ratePerSlot
    const bucket = { active: 0, tokens, filledAtMs: nowMs, breaker: newBreaker(), blocked: 0 }
    buckets.set(key, bucket)
    return bucket
  }

  function dropIdle(): void {
    for (const [key, bucket] of buckets) if (bucket.active === 0 && bucket.breaker.strikes === 0) buckets.delete(key)
  }

  /** null: now; a text: why it must wait; a thrown-away turn has `never`. */
  function obstacle(sourceIp: string, bucket: Bucket, turn: Turn): { never: boolean; why: string } | null {
    const nowMs = now()
    if ((quarantinedUntil.get(sourceIp) ?? 0) > nowMs) return { never: true, why: "source IP is quarantined" }
    if (!isClosed(bucket.breaker, nowMs)) return { never: true, why: "the operator blocks this source IP" }
    if (budget.left(sourceIp, nowMs) < turn.recipients) return { never: true, why: "daily budget is used up" }
    if (bucket.active >= turn.sessionsPerHost) return { never: false, why: "sessions per host" }
    const rate = turn.sessionsPerHost * limits.ratePerSlot
    if (rate === Number.POSITIVE_INFINITY) return null
    bucket.tokens = Math.min(rate, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1_000) * rate)
    bucket.filledAtMs = nowMs
    return bucket.tokens < 1 ? { never: false, why: "session rate" } : null
  }

  function isFull({ priority }: Turn): boolean {
    return (
      active >= (priority === "bulk" ? Math.max(1, Math.floor(limits.concurrency * BULK_SHARE)) : limits.concurrency)
    )
  }

  function grant(sourceIp: string, bucket: Bucket, turn: Turn): Lease {
    active++
    bucket.active++
    bucket.tokens--
    noteStart(bucket.breaker)
    budget.spend(sourceIp, turn.recipients, now())
    let released = false
    return {
      sourceIp,
      release(fate) {
        if (released) return
        released = true
        active--
        bucket.active--
        if (fate === "blocked") bucket.blocked++
        if (noteFate(bucket.breaker, fate, now())) considerQuarantine(sourceIp)
        if (waiting > 0) pump(turn.operator)
      },
    }
  }

  function considerQuarantine(sourceIp: string): void {
    let open = 0
    for (const [key, { breaker }] of buckets) if (key.startsWith(`${sourceIp} `) && breaker.openUntilMs > now()) open++
    if (open >= QUARANTINE.operators) quarantinedUntil.set(sourceIp, now() + QUARANTINE.restMs)
  }

  /** A lease when one of the source IPs is free, null when waiting helps, else why it does not. */
  function start(turn: Turn): Grant | null {
    const reasons: string[] = []
    let best: { sourceIp: string; bucket: Bucket } | null = null
    let mayWait = false
    for (const sourceIp of turn.sourceIps) {
      const bucket = bucketOf(sourceIp, turn, now())
      const found = obstacle(sourceIp, bucket, turn)
      if (found?.never) reasons.push(found.why)
      else mayWait = true
      if (!found && (!best || bucket.active < best.bucket.active)) best = { sourceIp, bucket }
    }
    if (best && !isFull(turn)) return grant(best.sourceIp, best.bucket, turn)
    return mayWait ? null : { throttled: reasons[0] ?? "no other source IP" }
  }

  function pump(first: string): void {
    const lane = lanes.get(first)
    if (lane) pumpLane(first, lane)
    if (active >= limits.concurrency) return
    for (const [operator, other] of lanes) {
      if (other !== lane) pumpLane(operator, other)
      if (active >= limits.concurrency) return
    }
  }

  function pumpLane(operator: string, lane: Lane): void {
    serve(lane.interactive)
    serve(lane.bulk)
    if (lane.interactive.length + lane.bulk.length === 0) lanes.delete(operator)
  }

  function serve(waiters: Waiter[]): void {
    for (let at = 0; at < Math.min(waiters.length, LOOK_AHEAD); ) {
      const { turn, resolve } = waiters[at]!
      const outcome = turn.isCancelled() ? { throttled: "cancelled" } : (start(turn) ?? expired(turn))
      if (outcome === null) at++
      else {
        waiters.splice(at, 1)
        waiting--
        resolve(count(outcome))
      }
    }
  }

  function expired({ wallAtMs }: Turn): Grant | null {
    return now() >= wallAtMs ? { throttled: "its turn did not come in time" } : null
  }

  function count(outcome: Grant): Grant {
    if ("throttled" in outcome) throttled++
    return outcome
  }

  function tick(): void {
    for (const [operator, lane] of lanes) pumpLane(operator, lane)
    if (waiting > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }

  return {
    /** Resolves with a lease when it is this session's turn, or with the reason why it will not come. */
    acquire(turn: Turn): Promise<Grant> {
      const lane = lanes.get(turn.operator)
      const immediate = lane ? null : start(turn)
      if (immediate) return Promise.resolve(count(immediate))
      if (waiting >= limits.queue) return Promise.resolve(count({ throttled: "the node's queue is full" }))
      return new Promise((resolve) => {
        const joined = lane ?? { interactive: [], bulk: [] }
        joined[turn.priority].push({ turn, resolve })
        lanes.set(turn.operator, joined)
        waiting++
        timer ??= setInterval(tick, TICK_MS).unref()
        if (turn.priority === "interactive") pumpLane(turn.operator, joined)
      })
    },

    /** Figures for health and metrics. */
    state() {
      const nowMs = now()
      const operators = [...buckets].flatMap(([key, { active, blocked, breaker }]) => {
        const [sourceIp = "", operator = ""] = key.split(" ")
        const isOpen = breaker.openUntilMs > nowMs
        return active > 0 || blocked > 0 ? [{ sourceIp, operator, active, blocked, isOpen }] : []
      })
      return {
        active,
        waiting,
        throttled,
        operators,
        quarantined: [...quarantinedUntil].flatMap(([sourceIp, until]) => (until > nowMs ? [sourceIp] : [])),
        spentToday: (sourceIp: string) => budget.spent(sourceIp, nowMs),
      }
    },

    /** Gives up every waiting turn whose request was cancelled. */
    sweep: tick,
  }
}

export type Pacer = ReturnType<typeof createPacer>
