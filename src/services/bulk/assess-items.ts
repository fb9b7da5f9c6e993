import type { DoneItem } from "../../adapters/store/lists/jobs.ts"
import type { Context } from "../../context.ts"
import { accountFlagsAmong } from "../../domain/suppression/flags.ts"
import { assess, type Verification, withAccountFlags } from "../../domain/verification/verification.ts"
import { findManyAccountFlags } from "../suppression/find-flags.ts"

/** Judges stored items of an account's job, in order, with its current flags: a suppression can follow the job. */
export async function assessItems(
  ctx: Context,
  accountId: string | null,
  items: readonly Pick<DoneItem, "evidence" | "cached" | "verifiedAt">[],
): Promise<Verification[]> {
  const addresses = items.flatMap(({ evidence: { address } }) => (address.ok ? [address] : []))
  const flagsByKey = await findManyAccountFlags(ctx, { accountId, addresses })
  return items.map(({ evidence, cached, verifiedAt }) =>
    withAccountFlags(assess(evidence, { cached, verifiedAt }), accountFlagsAmong(flagsByKey, evidence.address)),
  )
}
