import { HOUR_MS } from "../time.ts"
import { type Breaker, newBreaker, noteAnswer, noteBlock } from "./breaker.ts"
import { paceLeft } from "./pace.ts"

/** What became of one recipient at a mail operator, as far as it concerns how it was asked. */
export type Fate = "answered" | "missing" | "deferred" | "blocked" | "failed"

export interface Counts {
  answered: number
  /** Of the answered: no such mailbox. */
  missing: number
  deferred: number
  blocked: number
  failed: number
  totalMs: number
}

export const NO_COUNTS: Readonly<Counts> = { answered: 0, missing: 0, deferred: 0, blocked: 0, failed: 0, totalMs: 0 }

export interface PairName {
  readonly nodeId: string
  readonly sourceIp: string
  readonly operator: string
}

/** What a pair is called in a map. */
export function pairKey({ nodeId, sourceIp, operator }: PairName): string {
  return `${nodeId}\n${sourceIp}\n${operator}`
}

/** One of our source IPs at one mail operator. Counts fade, so that what was is forgiven. */
export interface Pair {
  readonly seen: Counts
  /** What everybody has seen, as last read; our own part of it counts twice. */
  others: Readonly<Counts>
  fadedAt: number
  readonly breaker: Breaker
  /** The pace the operator seems to stand; null: it has never objected. */
  bearable: number | null
  bearableAt: number
  /** Recipients asked about lately, older ones counting less. */
  pace: number
  pacedAt: number
  /** Control addresses showed that its answers say nothing. */
  drifted: boolean
}

const HALF_LIFE_MS = 30 * 60_000
/** After a block this much of the pace that led to it; from there up by this share with each hour of answers. */
const BACK_OFF = 0.6
const GROWTH_PER_HOUR = 0.1
const MIN_PACE = 1

export function newPair(now: number): Pair {
  return {
    seen: { ...NO_COUNTS },
    others: NO_COUNTS,
    fadedAt: now,
    breaker: newBreaker(),
    bearable: null,
    bearableAt: now,
    pace: 0,
    pacedAt: now,
    drifted: false,
  }
}

/** Adds to the counts of a pair, after what was there has faded. */
function count(pair: Pair, counts: Partial<Counts>, now: number): void {
  const share = 0.5 ** (Math.max(0, now - pair.fadedAt) / HALF_LIFE_MS)
  const { seen } = pair
  for (const name of Object.keys(seen) as (keyof Counts)[]) seen[name] = seen[name] * share + (counts[name] ?? 0)
  pair.fadedAt = now
}

/** So many recipients are about to be asked about. */
export function notePace(pair: Pair, recipients: number, now: number): void {
  pair.pace = paceAt(pair, now) + recipients
  pair.pacedAt = now
}

export function paceAt({ pace, pacedAt }: Pair, now: number): number {
  return pace * paceLeft(now - pacedAt)
}

/**
 * What the operator said. Additive increase, multiplicative decrease of what it is asked, as TCP finds the bandwidth of
 * a path. @returns whether this opened the breaker
 */
export function noteFate(pair: Pair, { fate, recipients, ms, now }: Said): boolean {
  count(pair, countsOf(fate, recipients, ms), now)
  if (fate === "blocked") {
    const before = pair.bearable ?? Number.POSITIVE_INFINITY
    // The second block of a row of them says nothing about the pace that led to the first.
    if (pair.breaker.blocks === 0) pair.bearable = Math.max(MIN_PACE, Math.min(before, paceAt(pair, now)) * BACK_OFF)
    pair.bearableAt = now
    return noteBlock(pair.breaker, now)
  }
  if (fate === "answered" || fate === "missing") {
    noteAnswer(pair.breaker, now)
    if (pair.bearable !== null) pair.bearable *= (1 + GROWTH_PER_HOUR) ** ((now - pair.bearableAt) / HOUR_MS)
    pair.bearableAt = now
  }
  return false
}

export interface Said {
  readonly fate: Fate
  readonly recipients: number
  readonly ms: number
  readonly now: number
}

export function countsOf(fate: Fate, recipients: number, ms: number): Partial<Counts> {
  const isAnswer = fate === "answered" || fate === "missing"
  return {
    [isAnswer ? "answered" : fate]: recipients,
    ...(fate === "missing" ? { missing: recipients } : {}),
    ...(isAnswer ? { totalMs: ms * recipients } : {}),
  }
}

/** Share of recipients that were not turned away, with a little trust in advance. */
export function acceptance({ seen, others }: Pair): number {
  const heard = seen.answered + seen.deferred + others.answered + others.deferred + 4
  return heard / (heard + 2 * (seen.blocked + others.blocked))
}

/** How much of what the operator stands is left, 0..1. */
export function budgetLeft(pair: Pair, now: number): number {
  return pair.bearable === null ? 1 : Math.max(0, 1 - paceAt(pair, now) / pair.bearable)
}

const SUSPECT = { answers: 20, missingShare: 0.97, restShare: 0.8 } as const

/**
 * Nearly everybody is missing, says an operator to this IP, and not so to others, or nobody else has asked much: perhaps
 * it says so to whoever asks from there. @param all what the operator said to everybody, this IP included
 */
export function isSuspect({ seen, others, drifted }: Pair, all: Pick<Counts, "answered" | "missing">): boolean {
  if (drifted) return true
  const answers = seen.answered + others.answered
  if (answers < SUSPECT.answers || seen.missing + others.missing < SUSPECT.missingShare * answers) return false
  const rest = all.answered - seen.answered
  return rest < SUSPECT.answers || all.missing - seen.missing < SUSPECT.restShare * rest
}

/** Counts that fade as those of a pair do. */
export class Fading {
  answered = 0
  missing = 0
  #at = 0

  add(counts: Partial<Counts>, now: number): void {
    const share = 0.5 ** (Math.max(0, now - this.#at) / HALF_LIFE_MS)
    this.answered = this.answered * share + (counts.answered ?? 0)
    this.missing = this.missing * share + (counts.missing ?? 0)
    this.#at = now
  }
}
