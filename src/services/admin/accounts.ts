import type { Tier } from "../../../schema/vocabulary.ts"
import type { NewKey } from "../../adapters/store/accounts/keys.ts"
import type { Account } from "../../adapters/store/admin/operator.ts"
import type { Context } from "../../context.ts"
import { hex } from "../../domain/accounts/crypto.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { AppError } from "../../errors.ts"
import { type CreatedKey, invalidateKeys, issueSecret } from "../accounts/keys.ts"
import { grantPlan } from "../accounts/payments.ts"
import { createLink } from "../accounts/sign-in.ts"
import { listUnconfirmedKeys } from "../accounts/unconfirmed-keys.ts"
import { dispatchChunks } from "../lists/start-job.ts"

const ID = /^(acc|kid)_/

/**
 * Finds an account by its id, by the id of one of its keys, or by the mailbox that its owner has proven. The owner address
 * of a key proves nothing: accounts without a proven mailbox are found by id only.
 * @throws AppError bad_request for text in none of these forms, not_found
 */
export async function findAccount(ctx: Context, given: string): Promise<Account> {
  const { operator, users } = ctx.store
  if (ID.test(given)) {
    const accountId = given.startsWith("kid_") ? await users.accountOfKey(given) : given
    const account = accountId === null ? null : await operator.account(accountId)
    if (!account) throw new AppError("not_found", "there is no such account")
    return account
  }
  const address = parseAddress(given)
  if (!address.ok)
    throw new AppError(
      "bad_request",
      `the path needs an account's id (acc_…), a key's id (kid_…) or a mailbox: ${address.message}`,
    )
  const account = await operator.accountOf(cacheKey(address))
  if (!account)
    throw new AppError(
      "not_found",
      "no account has proven this mailbox by signing in; use the account's id or a key's id, which GET /admin/users?search= finds by the owner of a key",
    )
  return account
}

/**
 * Creates the account of a mailbox for which the operator vouches. The reader of the mailbox can sign in to it by a mailed
 * link. @returns its id @throws AppError bad_request for a malformed mailbox, conflict when it has an account
 */
export async function openAccount(ctx: Context, { email, tier }: { email: string; tier: Tier }): Promise<string> {
  const address = parseAddress(email)
  if (!address.ok) throw new AppError("bad_request", `email: ${explainProblem(address)}`)
  const newId = `acc_${hex(ctx.randomBytes(12))}`
  const { accountId } = await ctx.store.sessions.accountOf(cacheKey(address), newId, tier)
  if (accountId !== newId) throw new AppError("conflict", `this mailbox has an account already: ${accountId}`)
  return accountId
}

/** Creates a key of any tier in an account, without a limit on their number. @throws AppError bad_request, not_found */
export async function createKeyFor(
  ctx: Context,
  { account: given, name, tier }: { account: string; name: string; tier: Tier },
): Promise<CreatedKey> {
  const { accountId } = await findAccount(ctx, given)
  const now = ctx.clock.now()
  const user = await ctx.store.users.find(accountId, periodOf(now))
  const issued = await issueSecret(ctx, "secret")
  const key: NewKey = {
    ...issued.key,
    accountId,
    ownerEmail: user?.email ?? user?.keyOwner ?? "",
    name,
    tier,
    createdAt: now,
    network: null,
    createdBy: null,
  }
  if (!(await ctx.store.keys.addAsOperator(key))) throw new AppError("not_found", "there is no such account")
  ctx.knownCredentials.accept(key.digest)
  return { ...key, secret: issued.secret }
}

/**
 * Creates a sign-in link for the operator, as the mailbox would get it by mail.
 * @throws AppError bad_request, not_found, conflict for an account without a mailbox, which has no sessions
 */
export async function issueSignInLink(ctx: Context, given: string) {
  const { accountId, email } = await findAccount(ctx, given)
  if (email === null)
    throw new AppError("conflict", "this account has no proven mailbox, so no sign-in leads to it; use its API key")
  const { url, expiresAt } = await createLink(ctx, { email, keyId: null, browserId: null })
  return { accountId, email, url, expiresAt }
}

/**
 * Sets the operator's plan and the key tiers of an account, from the next request on. The plan of a running subscription
 * stays in force when it is higher. Keys below the plan do not change. Unconfirmed keys in the name of the account's
 * mailbox belong to other accounts, so the plan does not cover them.
 * @param given the account's id, the id of one of its keys, or its proven mailbox
 * @throws AppError bad_request, not_found
 */
export async function setTier(ctx: Context, { given, tier }: { given: string; tier: Tier }) {
  const account = await findAccount(ctx, given)
  const { email, accountId } = account
  const { inForce, updatedKeys, keys } = await grantPlan(ctx, { accountId, tier })
  const unconfirmed =
    email === null ? { keys: [], total: 0 } : await listUnconfirmedKeys(ctx, { email, signInKeyId: null })
  return { account, inForce, updatedKeys, unchangedKeys: keys - updatedKeys, unconfirmed }
}

/**
 * Suspends an account: its keys and sessions are refused from the next request on, and its jobs and syncs wait. No data
 * is removed. @returns false when the account was suspended already
 */
export async function suspendAccount(ctx: Context, accountId: string): Promise<boolean> {
  const now = ctx.clock.now()
  const isChanged = await ctx.store.users.setSuspended(accountId, now)
  await invalidateKeys(ctx, accountId)
  await ctx.store.jobChunks.recall(accountId, now)
  return isChanged
}

/** Resumes a suspended account: its credentials work again, and its jobs continue. @returns false when it was active */
export async function resumeAccount(ctx: Context, accountId: string): Promise<boolean> {
  const isChanged = await ctx.store.users.setSuspended(accountId, null)
  await invalidateKeys(ctx, accountId)
  ctx.background(dispatchChunks(ctx))
  return isChanged
}
