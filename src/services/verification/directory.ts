import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { ConfiguredDirectory, Directory } from "../../adapters/verification/directory-api.ts"
import type { Context } from "../../context.ts"
import { accountOf, type Caller } from "../../domain/accounts/caller.ts"
import { CREDITS } from "../../domain/accounts/tiers.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { type DirectoryAnswer, type DirectoryVerdict, judgeDirectory } from "../../domain/verification/directory.ts"
import { AppError } from "../../errors.ts"
import { chargeCredits, pricesFor } from "../accounts/charge.ts"
import { readSummaries } from "./known.ts"

export interface DirectoryFinding {
  readonly address: ValidAddress
  readonly answer: DirectoryAnswer
  readonly verdict: DirectoryVerdict
  /** Unix milliseconds. */
  readonly checkedAt: number
}

const CONFIRMED = { google: "google_workspace_confirmed", microsoft: "m365_confirmed" } as const
export type DirectoryName = keyof typeof CONFIRMED

/**
 * Queries the operator's directory for a mailbox.
 * @throws AppError bad_request, unavailable if not configured, forbidden if not shared
 */
export async function findInDirectory(
  ctx: Context,
  meter: UsageMeter,
  { email, name, caller }: { email: string; name: DirectoryName; caller: Caller },
): Promise<DirectoryFinding> {
  const found = ctx.directories[name]
  if (!found.isConfigured)
    throw new AppError("not_configured", `this directory is not configured; set ${found.missing.join(", ")}`)
  const directory = directoryFor(found, caller)
  if (!directory)
    throw new AppError("forbidden", "the operator does not share this directory with accounts (DIRECTORY_SHARE)")
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", explainProblem(address))
  const costOf = ({ verdict }: DirectoryFinding) => (verdict.status === "unknown" ? 0 : CREDITS.verification)
  return chargeCredits(meter, { most: pricesFor(ctx, accountOf(caller)).most([address]), costOf }, async () => {
    const answer = await directory.find(address)
    const isAccepted =
      answer.kind === "nobody" ? await acceptsMail(ctx, { address, accountId: accountOf(caller) }) : null
    const verdict = judgeDirectory(answer, { confirmed: CONFIRMED[name], isAccepted })
    return { address, answer, verdict, checkedAt: ctx.clock.now() }
  })
}

/** Returns whether SMTP showed that mail is accepted for the address, or for every address of its domain. */
async function acceptsMail(
  ctx: Context,
  { address, accountId }: { address: ValidAddress; accountId: string | null },
): Promise<boolean> {
  const known = await readSummaries(ctx, { accountId, addresses: [address] })
  return known.get(cacheKey(address))?.status === "valid" || ctx.store.neighbors.acceptsEverything(address.domain)
}

/** The directory as the caller may see it: whole for the operator, the shared part for an account, else null. */
export function directoryFor(found: ConfiguredDirectory, caller: Caller): Directory | null {
  if (!found.isConfigured || caller.kind === "anonymous") return null
  return caller.kind === "admin" ? found.directory : found.shared
}
