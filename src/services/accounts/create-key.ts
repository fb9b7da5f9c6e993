import type { Tier } from "../../../schema/vocabulary.ts"
import { countOrRefuse } from "../../adapters/keygate/gates.ts"
import type { NewKey } from "../../adapters/store/keys.ts"
import type { Deps } from "../../deps.ts"
import type { Admin, Caller } from "../../domain/accounts/caller.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { hex } from "../../domain/keys/digest.ts"
import { covers } from "../../domain/plans/tiers.ts"
import { AppError } from "../../errors.ts"
import { countSecret } from "./count-secret.ts"
import { emailOf } from "./email-of.ts"
import { KEY_REFUSED } from "./identify.ts"
import { issueSecret } from "./issue-secret.ts"

type Needs = Pick<Deps, "clock" | "randomBytes" | "digests" | "gates" | "keys" | "operator">

export interface CreatedKey extends NewKey {
  /** Shown once; only its keyed hash is kept. */
  readonly secret: string
}

const PER_NETWORK = { limit: 5, windowMs: 60 * 60_000 } as const

/**
 * Makes a key. An account's caller gets it on the own account, whatever `ownerEmail` says; a stranger gets a lineage of
 * its own that joins no account, or a victim's keys could be listed by whoever knows the victim's address.
 * @throws AppError bad_request for a malformed owner, payment_required for a tier beyond the plan, rate_limited,
 * unauthorized when the account was closed meanwhile
 */
export async function createKey(
  needs: Needs,
  { caller, name, ownerEmail, tier }: { caller: Caller; name: string; ownerEmail: string; tier: Tier },
): Promise<CreatedKey> {
  const owner = parseAddress(ownerEmail)
  if (!owner.ok) throw new AppError("bad_request", `owner_email is not an address: ${owner.message}`)
  if (caller.kind !== "admin" && tier !== "free") await refuseBeyondPlan(needs, caller, tier)
  if (caller.kind === "anonymous") await countOrRefuse(needs.gates.ofAction(`keys:${caller.subject}`), PER_NETWORK)

  const isOwn = caller.kind === "member"
  if (isOwn) await countSecret(needs, caller.accountId)
  const issued = await issueSecret(needs)
  const key: NewKey = {
    keyId: issued.keyId,
    digest: issued.digest,
    pepperId: needs.digests.pepperId,
    accountId: isOwn ? caller.accountId : `acc_${hex(needs.randomBytes(12))}`,
    ownerEmail: isOwn ? emailOf(caller) : owner.normalized,
    name,
    tier,
    createdAt: needs.clock.now(),
  }
  // A body may take minutes to arrive, and the account be erased meanwhile.
  if (!isOwn) await needs.keys.create(key)
  else if (!(await needs.keys.add(key))) throw new AppError("unauthorized", KEY_REFUSED)
  return { ...key, secret: issued.secret }
}

/** A key may be less than its account's plan, or more where the operator gave it: the better one counts. */
async function refuseBeyondPlan({ operator }: Needs, caller: Exclude<Caller, Admin>, tier: Tier): Promise<void> {
  const own = caller.kind === "member" ? caller.tier : "free"
  if (covers(own, tier)) return
  const account = caller.kind === "member" ? await operator.account(caller.accountId) : null
  const plan = account && covers(account.tier, own) ? account.tier : own
  if (!covers(plan, tier))
    throw new AppError("payment_required", `a key of this tier needs the ${tier} plan; this account's plan is ${plan}`)
}
