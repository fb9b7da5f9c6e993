import type { UsageMeter } from "../../adapters/accounts/usage-meter.ts"
import type { Context } from "../../context.ts"
import { CREDITS, creditsFor } from "../../domain/accounts/tiers.ts"
import { readEntries, withoutDuplicates } from "../../domain/lists/list-addresses.ts"
import { accountFlagsAmong } from "../../domain/suppression/flags.ts"
import { type Verification, withAccountFlags } from "../../domain/verification/verification.ts"
import { chargeCredits } from "../accounts/charge.ts"
import { findManyAccountFlags } from "../suppression/find-flags.ts"
import { verifyMany } from "../verification/verify-many.ts"

export interface ListInput {
  readonly emails: readonly string[]
  readonly smtp: boolean
  readonly deduplicate: boolean
  /** Addresses verified at a time, null to let the nodes decide. */
  readonly maxConcurrent: number | null
  readonly checkSuppression: boolean
  /** Null for a caller without an account. */
  readonly accountId: string | null
}

/** Below the client's timeout of 60 s. */
const BUDGET_MS = 55_000

/** Verifies a short list within the call, without stored results. The list is charged or refused as a whole. */
export async function verifyList(ctx: Context, meter: UsageMeter, input: ListInput): Promise<Verification[]> {
  const deadlineAt = ctx.clock.now() + BUDGET_MS
  const given = readEntries(input.emails)
  const entries = input.deduplicate ? withoutDuplicates(given) : given
  const addresses = entries.flatMap(({ address }) => (address.ok ? [address] : []))
  const verifyAll = async () => {
    const { smtp, accountId } = input
    const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses })
    const width = input.maxConcurrent ?? entries.length
    const verified: Verification[] = []
    for (let at = 0; at < entries.length; at += width) {
      const part = entries.slice(at, at + width).map(({ address }) => address)
      verified.push(
        ...(await verifyMany(ctx, {
          addresses: part,
          accountId,
          smtp,
          deadlineAt,
          priority: "interactive",
          serve: "nothing",
        })),
      )
    }
    return { verified, flagsByKey }
  }
  if (addresses.length === 0) await meter.authorize()
  const most = addresses.length * CREDITS.verification
  // The price is that of the verifications. The account's reports change its answers, not what was verified.
  const charged = { most, costOf: ({ verified }: { verified: Verification[] }) => creditsFor(verified) }
  const { verified, flagsByKey } =
    addresses.length === 0 ? await verifyAll() : await chargeCredits(meter, charged, verifyAll)
  return verified.map((one) => {
    const accountFlags = accountFlagsAmong(flagsByKey, one.evidence.address)
    return withAccountFlags(one, input.checkSuppression ? accountFlags : { ...accountFlags, isSuppressed: false })
  })
}
