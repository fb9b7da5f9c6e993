import type { Tier } from "../../../schema/vocabulary.ts"
import type { NewKey } from "../../adapters/store/accounts/keys.ts"
import type { Context } from "../../context.ts"
import { hex } from "../../domain/accounts/crypto.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { cacheKey } from "../../domain/address/address-forms.ts"
import { parseAddress } from "../../domain/address/parse.ts"
import { explainProblem } from "../../domain/address/typo-suggestion.ts"
import { AppError } from "../../errors.ts"
import { type CreatedKey, issueSecret } from "../accounts/keys.ts"
import { createLink } from "../accounts/request-sign-in.ts"
import { findAccount } from "./find-account.ts"

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

/** A link that signs in once. */
interface IssuedLink {
  readonly accountId: string
  readonly email: string
  readonly url: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

/**
 * Creates a sign-in link for the operator, as the mailbox would get it by mail.
 * @throws AppError bad_request, not_found, conflict for an account without a mailbox, which has no sessions
 */
export async function issueSignInLink(ctx: Context, given: string): Promise<IssuedLink> {
  const { accountId, email } = await findAccount(ctx, given)
  if (email === null)
    throw new AppError("conflict", "this account has no proven mailbox, so no sign-in leads to it; use its API key")
  const { url, expiresAt } = await createLink(ctx, { email, keyId: null, browserId: null })
  return { accountId, email, url, expiresAt }
}
