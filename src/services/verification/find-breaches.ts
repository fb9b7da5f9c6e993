import type { Breach } from "../../adapters/breach/breach-source.ts"
import type { BreachSet } from "../../adapters/store/breaches.ts"
import type { Deps } from "../../deps.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { breachHash } from "../../domain/keys/breach-digest.ts"
import type { BreachFinding } from "../../domain/verdict/breach.ts"

export type BreachNeeds = Pick<Deps, "clock" | "digests" | "breaches" | "breachService" | "background">

/** What one source says about an address. */
interface SourceAnswer {
  readonly source: string
  readonly kind: "service" | "imported"
  /** Null when it cannot tell now. */
  readonly breaches: readonly Breach[] | null
  /** Answered from what was kept: nobody was asked. */
  readonly isKept: boolean
  /** Unix milliseconds of the answer. */
  readonly answeredAt: number
}

export interface BreachSearch {
  /** One for each configured source. */
  readonly answers: readonly SourceAnswer[]
  readonly imported: readonly BreachSet[]
  /** Null when no source is configured, or none that answered found it and not all answered. */
  readonly finding: BreachFinding | null
}

/** Yes and no hold for a week, as long as a result does. */
const ANSWER_LIFETIME_MS = 7 * 24 * 3_600_000

export async function hasBreachSource({ breaches, breachService }: BreachNeeds): Promise<boolean> {
  return breachService !== null || (await breaches.sets()).length > 0
}

/** Asks every configured source about an address. No source, or not enough of them answering, is "not known", never "none". */
export async function findBreaches(needs: BreachNeeds, address: ValidAddress): Promise<BreachSearch> {
  const digests = await needs.digests.candidates("breach", await breachHash(address.normalized))
  const [service, imported] = await Promise.all([
    needs.breachService ? askService(needs, { address, digests }) : null,
    lookUpImported(needs, digests),
  ])
  const answers = [service, imported.answer].filter((answer) => answer !== null)
  return { answers, imported: imported.sets, finding: conclude(answers) }
}

async function lookUpImported({ breaches, clock }: BreachNeeds, digests: readonly string[]) {
  const [sets, found] = await Promise.all([breaches.sets(), breaches.among(digests)])
  if (sets.length === 0) return { sets, answer: null }
  const answer: SourceAnswer = {
    source: "imported breaches",
    kind: "imported",
    breaches: found,
    isKept: false,
    answeredAt: clock.now(),
  }
  return { sets, answer }
}

async function askService(
  { clock, breaches, breachService, background }: BreachNeeds,
  { address, digests }: { address: ValidAddress; digests: readonly string[] },
): Promise<SourceAnswer> {
  const base = { source: breachService!.name, kind: "service" } as const
  const kept = await breaches.answer(digests, clock.now())
  if (kept) return { ...base, breaches: kept.breaches, isKept: true, answeredAt: kept.answeredAt }
  const found = await breachService!.breachesOf(address.normalized)
  const answeredAt = clock.now()
  if (found) {
    const answer = { breaches: found, answeredAt, expiresAt: answeredAt + ANSWER_LIFETIME_MS }
    background(breaches.saveAnswer(digests[0]!, answer))
  }
  return { ...base, breaches: found, isKept: false, answeredAt }
}

function conclude(answers: readonly SourceAnswer[]): BreachFinding | null {
  const names = new Set(answers.flatMap(({ breaches }) => breaches ?? []).map(({ name }) => name))
  const isKnown = answers.length > 0 && (names.size > 0 || answers.every(({ breaches }) => breaches !== null))
  return isKnown ? { found: names.size > 0, count: names.size } : null
}
