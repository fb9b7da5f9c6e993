import type { SessionFate } from "./breaker.ts"
import type { BudgetPlan } from "./budget.ts"
import { type Bucket, type Claim, Standing } from "./standing.ts"

export interface PacingLimits {
  /** Sessions at a time over everything. */
  readonly concurrency: number
  /** Sessions waiting for their turn; more are refused. */
  readonly queue: number
  /** New sessions per second for each session a host tolerates; Infinity for no limit. */
  readonly ratePerSlot: number
  readonly budget: BudgetPlan
}

/** A session that wants to start. */
export interface Turn extends Claim {
  /** Source IPs that may be used, in order of preference. */
  readonly sourceIps: readonly string[]
  readonly priority: "interactive" | "bulk"
  /** Half done: it goes before others of its priority. */
  readonly isBegun: boolean
  /** When waiting becomes useless, on the pacer's clock. */
  readonly wallAtMs: number
  readonly isCancelled: boolean
  /** It may start now; how it went must be noted, and the lease be given back. */
  granted(lease: Lease): void
  /** It will not start, for this reason. */
  denied(why: string): void
}

/** The right to one session. Opaque but for its source IP. */
export type Lease = Pick<Bucket, "sourceIp"> & { readonly bucket: Bucket }

type Decision = { kind: "start"; bucket: Bucket } | { kind: "deny"; why: string } | { kind: "wait" }

/** Waiting sessions of one mail operator; interactive ones go first. */
interface Lane {
  readonly interactive: Turn[]
  readonly bulk: Turn[]
}

const WAIT: Decision = { kind: "wait" }
const TICK_MS = 25
/** Turns looked at beyond one that must wait for its own source IP. */
const LOOK_AHEAD = 16
/** Part of the concurrency that bulk work may take, so that somebody who waits always gets in. */
const BULK_SHARE = 0.9

/** Decides when a session may start, and holds a bounded queue of those that have to wait. */
export class Pacer {
  readonly standing: Standing
  /** Sessions that run, and turns that were denied so far. */
  active = 0
  throttled = 0
  waiting = 0
  readonly #limits: PacingLimits
  readonly #now: () => number
  readonly #lanes = new Map<string, Lane>()
  #timer: NodeJS.Timeout | null = null

  /** @param now Unix ms */
  constructor(limits: PacingLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
    this.standing = new Standing(limits, now)
  }

  /** Grants or denies the turn, at once or when it comes. */
  acquire(turn: Turn): void {
    const lane = this.#lanes.get(turn.operator)
    const decision = lane && turn.priority === "bulk" ? WAIT : this.#decide(turn)
    if (decision.kind !== "wait") this.#carryOut(turn, decision)
    // What is half done gives its place up only afterwards: a full queue has room for it.
    else if (this.waiting >= this.#limits.queue && !turn.isBegun)
      this.#carryOut(turn, { kind: "deny", why: "the node's queue is full" })
    else this.#enqueue(turn, lane)
  }

  /** How it went, as soon as it is known. */
  note({ bucket }: Lease, fate: SessionFate): void {
    this.standing.note(bucket, fate)
  }

  /** The connection is closed. */
  release({ bucket }: Lease): void {
    this.active--
    this.standing.end(bucket)
    if (this.waiting > 0) this.#pump(bucket.operator)
  }

  /** The session waits elsewhere, without a connection: its place among all is another's meanwhile. */
  rest({ bucket }: Lease): void {
    this.active--
    if (this.waiting > 0) this.#pump(bucket.operator)
  }

  /** It goes on. Whoever it waited for has just left, so all together are no more than before. */
  resume(): void {
    this.active++
  }

  /** Drops turns that were cancelled or have waited too long, and starts what may start. */
  sweep(): void {
    for (const [operator, lane] of this.#lanes) {
      this.#dropLapsed(lane.interactive)
      this.#dropLapsed(lane.bulk)
      this.#serveLane(operator, lane)
    }
    if (this.waiting > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #enqueue(turn: Turn, lane: Lane = { interactive: [], bulk: [] }): void {
    const turns = lane[turn.priority]
    if (turn.isBegun) turns.unshift(turn)
    else turns.push(turn)
    this.#lanes.set(turn.operator, lane)
    this.waiting++
    this.#timer ??= setInterval(() => this.sweep(), TICK_MS).unref()
  }

  /** Serves the operator that got a slot back first, then whoever waited for the node itself. */
  #pump(first: string): void {
    const lane = this.#lanes.get(first)
    if (lane) this.#serveLane(first, lane)
    for (const [operator, other] of this.#lanes) {
      if (this.active >= this.#limits.concurrency) return
      if (other !== lane) this.#serveLane(operator, other)
    }
  }

  #serveLane(operator: string, { interactive, bulk }: Lane): void {
    this.#serve(interactive)
    this.#serve(bulk)
    if (interactive.length + bulk.length === 0) this.#lanes.delete(operator)
  }

  #serve(turns: Turn[]): void {
    for (let at = 0; at < Math.min(turns.length, LOOK_AHEAD); ) {
      const turn = turns[at]!
      const decision = this.#decide(turn)
      if (decision.kind === "wait") at++
      else this.#takeOut(turns, at, decision)
    }
  }

  /** However many stand before them: whoever cannot be answered any more is told so. */
  #dropLapsed(turns: Turn[]): void {
    for (let at = 0; at < turns.length; ) {
      const why = this.#lapse(turns[at]!)
      if (why === null) at++
      else this.#takeOut(turns, at, { kind: "deny", why })
    }
  }

  #takeOut(turns: Turn[], at: number, decision: Decision & { kind: "start" | "deny" }): void {
    const [turn] = turns.splice(at, 1)
    this.waiting--
    this.#carryOut(turn!, decision)
  }

  /** Why it is of no use to wait any longer. */
  #lapse(turn: Turn): string | null {
    if (turn.isCancelled) return "cancelled"
    return this.#now() >= turn.wallAtMs ? "its turn did not come in time" : null
  }

  #decide(turn: Turn): Decision {
    const lapse = this.#lapse(turn)
    if (lapse !== null) return { kind: "deny", why: lapse }
    let why: string | null = "no other source IP"
    let best: Bucket | null = null
    for (const sourceIp of turn.sourceIps) {
      const bucket = this.standing.bucket(sourceIp, turn)
      const obstacle = this.standing.obstacle(bucket, turn)
      if (!obstacle && (!best || bucket.active < best.active)) best = bucket
      if (obstacle && !obstacle.mayWait) why &&= obstacle.why
      else why = null
    }
    if (why !== null) return { kind: "deny", why }
    return best && !this.#isFull(turn) ? { kind: "start", bucket: best } : WAIT
  }

  #carryOut(turn: Turn, decision: Decision & { kind: "start" | "deny" }): void {
    if (decision.kind === "deny") {
      this.throttled++
      turn.denied(decision.why)
    } else {
      const { bucket } = decision
      this.active++
      this.standing.start(bucket, turn)
      turn.granted({ sourceIp: bucket.sourceIp, bucket })
    }
  }

  #isFull({ priority }: Turn): boolean {
    const { concurrency } = this.#limits
    return this.active >= (priority === "bulk" ? Math.max(1, Math.floor(concurrency * BULK_SHARE)) : concurrency)
  }
}

/**
 * A second pacer that sessions pass when they know the address they go to: what one host tolerates, its address tolerates,
 * whatever and however many names lead there.
 */
export function createDoors(
  { queue, ratePerSlot }: Pick<PacingLimits, "queue" | "ratePerSlot">,
  now: () => number,
): Pacer {
  const budget = { perDay: null, warmUpFromMs: null }
  return new Pacer({ queue, ratePerSlot, budget, concurrency: Number.POSITIVE_INFINITY }, now)
}
