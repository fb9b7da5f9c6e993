import type { Deps } from "../../deps.ts"
import { hex } from "../../domain/keys/digest.ts"
import { isSecretForm } from "../../domain/keys/secret.ts"
import { AppError } from "../../errors.ts"
import { type FillNeeds, fillMarks } from "../suppression/fill-marks.ts"

type Needs = FillNeeds &
  Pick<Deps, "background" | "digests" | "gates" | "keys" | "randomBytes" | "randomToken" | "sessions">

export interface SignedIn {
  readonly token: string
  readonly accountId: string
  readonly email: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  /** Keys that came under the account with this sign-in. */
  readonly adoptedKeys: number
}

/**
 * Uses a sign-in link up and begins a session. Who shows a key as well has proven both the mailbox and the key: the key's
 * lineage joins the account. Knowing the mailbox alone adopts nothing, or whoever makes a key in a victim's name could
 * plant it on the victim. @throws AppError unauthorized
 */
export async function signIn(
  needs: Needs,
  { linkToken, apiKey }: { linkToken: string; apiKey: string | undefined },
): Promise<SignedIn> {
  const email = await needs.sessions.useLink(linkToken)
  if (email === null) throw new AppError("unauthorized", "the sign-in link is invalid, used or expired")
  return beginSession(needs, { email, apiKey })
}

/** Begins a session for a proven address. */
export async function beginSession(
  needs: Needs,
  { email, apiKey }: { email: string; apiKey: string | undefined },
): Promise<SignedIn> {
  const { accountId } = await needs.sessions.accountOf(email, `acc_${hex(needs.randomBytes(12))}`)
  const adoptedKeys = apiKey && isSecretForm(apiKey) ? await adopt(needs, { apiKey, accountId }) : 0
  const token = `${needs.randomToken()}${needs.randomToken()}`
  const expiresAt = await needs.sessions.create(token, accountId)
  return { token, accountId, email, expiresAt, adoptedKeys }
}

async function adopt(needs: Needs, { apiKey, accountId }: { apiKey: string; accountId: string }) {
  const { clock, digests, gates, keys, marks, suppressions } = needs
  for (const digest of await digests.candidates("key", apiKey)) {
    const key = await keys.byDigest(digest)
    if (!key?.isActive) continue
    if (key.accountId === accountId) return 0
    // What the lineage suppresses holds for the account at once: the edge asks the database until it has been told all.
    if (await suppressions.haveMarks([key.accountId])) await marks.setFilled(accountId, "")
    const moved = await keys.adopt({ from: key.accountId, to: accountId, now: clock.now() })
    needs.background(fillMarks(needs, accountId, key.accountId))
    if (moved === 0) return 0
    const digestsOfBoth = await keys.digestsOf(accountId)
    await Promise.all(digestsOfBoth.map((each) => gates.ofKey(each).forget()))
    return moved
  }
  return 0
}
