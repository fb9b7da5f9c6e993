import type { WebhookSecret } from "../../adapters/store/webhook-secrets.ts"
import type { Deps } from "../../deps.ts"
import { toBase64 } from "../../domain/keys/seal.ts"
import { AppError } from "../../errors.ts"

export type SecretNeeds = Pick<Deps, "clock" | "randomBytes" | "randomToken" | "sealer" | "webhookSecrets">

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32
/** How long the secret before a rotation goes on signing. */
const OVERLAP_MS = 24 * 3_600_000
/** Secrets an account may have at a time; more rotations in a day are nobody's need. */
const MAX_SECRETS = 8

export interface ShownSecret {
  readonly secret: string
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** What the account's webhooks are signed with now, the newest first. An account without a secret gets one. */
export async function signingSecrets(needs: SecretNeeds, accountId: string): Promise<string[]> {
  const kept = await needs.webhookSecrets.list(accountId, needs.clock.now())
  const opened = await Promise.all(kept.map((one) => needs.sealer.open(purposeOf(one.secretId), one.sealed)))
  const secrets = opened.filter((secret) => secret !== null)
  return secrets.length > 0 ? secrets : [(await create(needs, accountId, { isShown: false })).secret]
}

/** Shows the account's secret the one time it is shown. @throws AppError conflict when it has been */
export async function showSecret(needs: SecretNeeds, accountId: string): Promise<ShownSecret> {
  const now = needs.clock.now()
  const [newest] = await needs.webhookSecrets.list(accountId, now)
  if (!newest) return create(needs, accountId, { isShown: true })
  const secret = await needs.sealer.open(purposeOf(newest.secretId), newest.sealed)
  if (secret === null || !(await needs.webhookSecrets.markShown(newest.secretId, now)))
    throw new AppError("conflict", "the secret has been shown already; rotate it to get another")
  return { secret, createdAt: newest.createdAt }
}

/** A new secret, shown this once. The one before signs along for 24 hours. @throws AppError conflict */
export async function rotateSecret(needs: SecretNeeds, accountId: string): Promise<ShownSecret> {
  const now = needs.clock.now()
  const kept = await needs.webhookSecrets.list(accountId, now)
  if (kept.length >= MAX_SECRETS) throw new AppError("conflict", "too many rotations within a day")
  // First the new one: whatever happens in between, there is always one that signs.
  const created = await create(needs, accountId, { isShown: true })
  await needs.webhookSecrets.expire(accountId, { at: now + OVERLAP_MS, except: created.secretId })
  return created
}

/** The account's secrets in use without the secrets themselves, the newest first. */
export async function listSecrets(needs: SecretNeeds, accountId: string): Promise<WebhookSecret[]> {
  return needs.webhookSecrets.list(accountId, needs.clock.now())
}

async function create(needs: SecretNeeds, accountId: string, { isShown }: { isShown: boolean }) {
  const createdAt = needs.clock.now()
  const secretId = `whk_${needs.randomToken()}`
  const secret = `whsec_${toBase64(needs.randomBytes(SECRET_BYTES))}`
  const sealed = await needs.sealer.seal(purposeOf(secretId), secret)
  await needs.webhookSecrets.add({ secretId, accountId, sealed, createdAt, shownAt: isShown ? createdAt : null })
  return { secretId, secret, createdAt }
}

function purposeOf(secretId: string): string {
  return `webhook-secret ${secretId}`
}
