import type { CreateUserInput } from "../../src/client/operations.ts"
import { type OperatorCall, RefusedCall } from "./operator-call.ts"

type Tier = NonNullable<CreateUserInput["tier"]>
/** The owner of the service is the account of this mailbox. */
export interface Owner {
  readonly email: string
  /** The plan of the account. */
  readonly tier: Tier
}

/** A service as its operator calls it. */
interface Service {
  readonly call: OperatorCall
  readonly owner: Owner
}

/** Reserved names (RFC 6761): no mail to them can leave the service. */
const WITHOUT_SETTING = "owner@mailverdict.test"
const OF_SANDBOX = "you@inbox.test"

/**
 * The owner of a service. In the sandbox, the owner is a customer with the free plan.
 * @param email OWNER_EMAIL
 */
export function ownerOf(email: string | undefined, { sandbox }: { sandbox: boolean }): Owner {
  if (sandbox) return { email: email || OF_SANDBOX, tier: "free" }
  return { email: email || WITHOUT_SETTING, tier: "unlimited" }
}

/** Makes sure that a mailbox has an account. `tier` is the plan of a new one. */
export async function ensureAccount({ call }: Pick<Service, "call">, { email, tier }: Owner): Promise<void> {
  try {
    await call("createUser", { email, tier })
  } catch (error) {
    if (!(error instanceof RefusedCall) || error.status !== 409) throw error
  }
}

/**
 * Creates the owner's account and its first key, which has no limits. An account that has or had a key gets none.
 * @returns the key's secret; null without a new key
 */
export async function createOwnerKey(service: Service): Promise<string | null> {
  const { call, owner } = service
  const { email, tier } = owner
  const account = await call("getUser", { account: email }).catch(unlessMissing)
  if (account && account.keys.length > 0) return null
  if (!account) await ensureAccount(service, owner)
  else if (account.plan !== tier) await call("upgradeUser", { email, tier })
  const { api_key: key } = await call("createUserKey", { account: email, name: "owner", tier })
  return key
}

/** Creates a link that signs in to an account once; by default to the owner's, which it creates when it is missing. */
export async function signInLink(service: Service, account?: string): Promise<{ url: string; email: string }> {
  const { call, owner } = service
  if (account !== undefined) return call("createSignInLink", { account })
  const link = await call("createSignInLink", { account: owner.email }).catch(unlessMissing)
  if (link) return link
  await ensureAccount(service, owner)
  return call("createSignInLink", { account: owner.email })
}

/** @returns null when the account does not exist @throws every other error */
function unlessMissing(error: unknown): null {
  if (error instanceof RefusedCall && error.status === 404) return null
  throw error
}
