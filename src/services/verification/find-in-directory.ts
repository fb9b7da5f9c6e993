import type { ConfiguredDirectory } from "../../adapters/directory/directory.ts"
import type { Deps } from "../../deps.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { type DirectoryAnswer, type DirectoryVerdict, judgeDirectory } from "../../domain/verdict/directory.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "clock" | "neighbours" | "meter" | "directories">

export interface DirectoryFinding {
  readonly address: ValidAddress
  readonly answer: DirectoryAnswer
  readonly verdict: DirectoryVerdict
  /** Unix milliseconds. */
  readonly checkedAt: number
}

const CONFIRMED = { google: "google_workspace_confirmed", microsoft: "m365_confirmed" } as const
export type DirectoryName = keyof typeof CONFIRMED

/** Asks a company's own directory whether a mailbox exists. @throws AppError bad_request, unavailable when it is not configured */
export async function findInDirectory(
  needs: Needs,
  { email, name }: { email: string; name: DirectoryName },
): Promise<DirectoryFinding> {
  const directory = configured(needs.directories[name])
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", address.message)
  const charge = await needs.meter.reserve(CREDITS.verification)
  let credits = 0
  try {
    const answer = await directory.find(address)
    const isCatchAll = answer.kind === "nobody" ? await needs.neighbours.acceptsEverything(address.domain) : null
    const verdict = judgeDirectory(answer, { confirmed: CONFIRMED[name], isCatchAll })
    if (verdict.status !== "unknown") credits = CREDITS.verification
    return { address, answer, verdict, checkedAt: needs.clock.now() }
  } finally {
    await charge.settle(credits)
  }
}

function configured(found: ConfiguredDirectory) {
  if (found.isConfigured) return found.directory
  throw new AppError("unavailable", `this directory is not configured; set ${found.missing.join(", ")}`)
}
