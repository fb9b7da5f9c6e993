import type { Context } from "../../context.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import {
  type AssessedCandidate,
  assessCandidates,
  type Candidate,
  type Finding,
  NOT_PROBED,
  rankCandidates,
} from "../../domain/finder/candidates.ts"
import { spellingsOf } from "../../domain/finder/name-variants.ts"
import type { PersonName } from "../../domain/finder/person-name.ts"
import { expandsUmlauts } from "../../domain/finder/possible-companies.ts"
import { forCurrentSpelling, type MailRoute } from "../../domain/verification/evidence.ts"
import { judge, type Verdict } from "../../domain/verification/judge.ts"
import { readStored } from "../verification/known.ts"
import { type KnownFormats, readFormats } from "./formats.ts"

/** The possible addresses of a person at a domain, and what stored results show about them. */
export interface FoundCandidates {
  readonly formats: KnownFormats
  /** The most likely first, as long as no mailbox is known. */
  readonly ranked: readonly Candidate[]
  readonly addresses: readonly ValidAddress[]
  readonly findings: readonly Finding[]
  /** Assesses the candidates by these findings, one for each. */
  assess(findings: readonly Finding[]): (AssessedCandidate & { readonly email: string })[]
}

/**
 * Returns the possible addresses of a person. No mail server is probed. Empty when the domain has no formats.
 * @param route resolved when it is omitted
 * @param accountId null for a caller without an account
 */
export async function findCandidates(
  ctx: Context,
  {
    name,
    domain,
    accountId,
    ...given
  }: { name: PersonName; domain: string; route?: MailRoute; accountId: string | null },
): Promise<FoundCandidates> {
  const formats = await readFormats(ctx, { domain, ...given })
  const spellings = spellingsOf(name, { spellsUmlautsOut: expandsUmlauts(formats.country) })
  const possible = rankCandidates(spellings, formats).flatMap((candidate) => {
    const address = parseAddress(`${candidate.localPart}@${domain}`)
    return address.ok ? [{ candidate, address }] : []
  })
  const ranked = possible.map(({ candidate }) => candidate)
  const addresses = possible.map(({ address }) => address)
  const people = formats.size?.people ?? 1
  return {
    formats,
    ranked,
    addresses,
    findings: await findStored(ctx, { accountId, addresses }),
    assess: (findings) =>
      assessCandidates(ranked, { findings, domain: formats, people }).map((candidate) => ({
        ...candidate,
        email: `${candidate.localPart}@${domain}`,
      })),
  }
}

/** Returns what fresh stored results show. */
async function findStored(
  ctx: Context,
  { accountId, addresses }: { accountId: string | null; addresses: readonly ValidAddress[] },
): Promise<Finding[]> {
  if (addresses.length === 0) return []
  const stored = await readStored(ctx, { accountId, addresses })
  return addresses.map((address) => {
    const result = stored.get(cacheKey(address))
    if (!result || result.expiresAt <= ctx.clock.now()) return NOT_PROBED
    const finding = findingOf(judge(forCurrentSpelling(result.evidence, address)))
    return finding.isVerified || finding.isMissing ? finding : NOT_PROBED
  })
}

/** Only a mailbox at a domain that refuses others is verified: a catch-all accepts every address. */
export function findingOf({ status, smtpStatus, isCatchAll }: Verdict): Finding {
  const isVerified = status === "valid" && isCatchAll === false
  return { smtpStatus, isVerified, isMissing: status === "invalid", hasGravatar: null }
}
