import type { ConfiguredDirectory } from "../../adapters/directory/directory.ts"
import type { Deps } from "../../deps.ts"
import { cacheKey } from "../../domain/address/cache-key.ts"
import { parseAddress, type ValidAddress } from "../../domain/address/parse.ts"
import { CREDITS } from "../../domain/plans/tiers.ts"
import { type DirectoryAnswer, type DirectoryVerdict, judgeDirectory } from "../../domain/verdict/directory.ts"
import { AppError } from "../../errors.ts"
import { charge } from "../accounts/charge.ts"

type Needs = Pick<Deps, "clock" | "neighbours" | "meter" | "directories" | "resultLists">

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
  const costOf = ({ verdict }: DirectoryFinding) => (verdict.status === "unknown" ? 0 : CREDITS.verification)
  return charge(needs, { most: CREDITS.verification, costOf }, async () => {
    const answer = await directory.find(address)
    const isAccepted = answer.kind === "nobody" ? await takesMail(needs, address) : null
    const verdict = judgeDirectory(answer, { confirmed: CONFIRMED[name], isAccepted })
    return { address, answer, verdict, checkedAt: needs.clock.now() }
  })
}

/** Whether SMTP showed that mail to an address, or to any of its domain, is taken. */
async function takesMail({ clock, neighbours, resultLists }: Needs, address: ValidAddress): Promise<boolean> {
  const key = cacheKey(address)
  const known = await resultLists.briefsAmong([key], clock.now())
  return known.get(key)?.status === "valid" || neighbours.acceptsEverything(address.domain)
}

function configured(found: ConfiguredDirectory) {
  if (found.isConfigured) return found.directory
  throw new AppError("unavailable", `this directory is not configured; set ${found.missing.join(", ")}`)
}
