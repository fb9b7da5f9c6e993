import type { KeyUsage } from "../../adapters/store/accounts/keys.ts"
import type { Context } from "../../context.ts"
import type { Caller } from "../../domain/accounts/caller.ts"
import type { KeyKind } from "../../domain/accounts/credentials.ts"
import { DEFAULT_FORM_POLICY, type RestrictionChange } from "../../domain/accounts/key-restrictions.ts"
import { periodOf } from "../../domain/accounts/tiers.ts"
import { AppError, invalidField } from "../../errors.ts"

/** Active publishable keys of an account. Listing them calls the limiter of each. */
const MAX_ACTIVE = 50

/** A key with the answers of today, UTC. Null for a secret key, and for a revoked one. */
export interface KeyToday extends KeyUsage {
  readonly usedToday: number | null
}

/** Adds what a publishable key used of today's budget. */
export async function withToday({ keyLimiters }: Pick<Context, "keyLimiters">, key: KeyUsage): Promise<KeyToday> {
  const isCounted = key.isActive && key.restrictions?.form
  return { ...key, usedToday: isCounted ? await keyLimiters.ofForm(key.keyId).usedToday() : null }
}

/**
 * Refuses restrictions that do not fit the kind of a key, and completes those of a publishable key.
 * @param isNew false for a change of a key, where a field that is left out stays
 * @throws AppError invalid with the field
 */
export function restrictionsFor(
  kind: KeyKind,
  { form, ...given }: RestrictionChange,
  { isNew }: { isNew: boolean },
): RestrictionChange {
  if (kind === "secret") {
    const isGiven = Object.values(form ?? {}).some((value) => value !== null)
    if (isGiven)
      throw invalidField(["kind"], "only a publishable key has a daily budget, a visitor limit or live results")
    return given
  }
  if (given.scopes) throw invalidField(["scopes"], "must be left out: a publishable key only checks forms")
  if (isNew ? !given.origins : given.origins === null)
    throw invalidField(["allowed_origins"], "a publishable key needs at least one origin")
  if (isNew) return { ...given, scopes: [], form: { ...DEFAULT_FORM_POLICY, ...form } }
  return { ...given, scopes: [], ...(form ? { form } : {}) }
}

/**
 * Refuses a publishable key to a caller without an account, which pays for its live results, and one key too many.
 * @throws AppError unauthorized, conflict
 */
export async function refusePublishableKey(ctx: Context, caller: Caller): Promise<void> {
  if (caller.kind !== "member")
    throw new AppError("unauthorized", "a publishable key is created with a session or with a secret key")
  const keys = await ctx.store.keys.list(caller.accountId, periodOf(ctx.clock.now()))
  if (keys.filter(({ isActive, restrictions }) => isActive && restrictions?.form).length >= MAX_ACTIVE)
    throw new AppError("conflict", `an account has at most ${MAX_ACTIVE} active publishable keys; revoke one first`)
}
