import type { NewWebhookSecret, WebhookSecret } from "../../adapters/store/webhook-secrets.ts"
import type { Deps } from "../../deps.ts"
import { toBase64 } from "../../domain/keys/seal.ts"
import { AppError } from "../../errors.ts"

export type SecretNeeds = Pick<Deps, "clock" | "randomBytes" | "randomToken" | "sealer" | "webhookSecrets">

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32
/** How long the secret before a rotation goes on signing. */
const OVERLAP_MS = 24 * 3_600_000
/** Secrets that may sign along with the one in use; more rotations in a day are nobody's need. */
const MAX_OVERLAPS = 7

export interface ShownSecret {
  readonly secret: string
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** What the account's webhooks are signed with now, the newest first. An account without a secret gets one. */
export async function signingSecrets(needs: SecretNeeds, accountId: string): Promise<string[]> {
  const kept = await listSecrets(needs, accountId)
  const secrets = await openAll(needs, kept)
  if (secrets.length > 0) return secrets
  const unreadable = kept.map(({ secretId }) => secretId)
  return openAll(needs, await addFirst(needs, accountId, unreadable))
}

/** Shows the account's secret the one time it is shown. @throws AppError conflict when it has been */
export async function showSecret(needs: SecretNeeds, accountId: string): Promise<ShownSecret> {
  const kept = await listSecrets(needs, accountId)
  const newest = kept[0] ?? (await addFirst(needs, accountId, []))[0]
  const secret = newest ? await needs.sealer.open(purposeOf(newest.secretId), newest.sealed) : null
  if (!newest || secret === null || !(await needs.webhookSecrets.markShown(newest.secretId, needs.clock.now())))
    throw new AppError("conflict", "the secret has been shown already; rotate it to get another")
  return { secret, createdAt: newest.createdAt }
}

/** A new secret, shown this once. Those before sign along for 24 hours. @throws AppError conflict */
export async function rotateSecret(needs: SecretNeeds, accountId: string): Promise<ShownSecret> {
  const kept = await listSecrets(needs, accountId)
  // Those without an end do not count: however many there are, a rotation ends them.
  const overlaps = kept.filter(({ expiresAt }) => expiresAt !== null)
  if (overlaps.length >= MAX_OVERLAPS) throw new AppError("conflict", "too many rotations within a day")
  const { secret, row } = await mint(needs, accountId)
  await needs.webhookSecrets.rotate(row, row.createdAt + OVERLAP_MS)
  return { secret, createdAt: row.createdAt }
}

/** The account's secrets in use without the secrets themselves, the newest first. */
export async function listSecrets(needs: SecretNeeds, accountId: string): Promise<WebhookSecret[]> {
  return needs.webhookSecrets.list(accountId, needs.clock.now())
}

/** Gives the account a secret unless another call has been faster. @returns the secrets in use now */
async function addFirst(needs: SecretNeeds, accountId: string, unreadable: string[]): Promise<WebhookSecret[]> {
  const { row } = await mint(needs, accountId)
  await needs.webhookSecrets.addFirst(row, unreadable)
  return listSecrets(needs, accountId)
}

async function mint(needs: SecretNeeds, accountId: string): Promise<{ secret: string; row: NewWebhookSecret }> {
  const createdAt = needs.clock.now()
  const secretId = `whk_${needs.randomToken()}`
  const secret = `whsec_${toBase64(needs.randomBytes(SECRET_BYTES))}`
  const sealed = await needs.sealer.seal(purposeOf(secretId), secret)
  return { secret, row: { secretId, accountId, sealed, createdAt } }
}

/** Leaves out what no pepper of ours opens. */
async function openAll({ sealer }: SecretNeeds, kept: readonly WebhookSecret[]): Promise<string[]> {
  const opened = await Promise.all(kept.map(({ secretId, sealed }) => sealer.open(purposeOf(secretId), sealed)))
  return opened.filter((secret) => secret !== null)
}

function purposeOf(secretId: string): string {
  return `webhook-secret ${secretId}`
}
