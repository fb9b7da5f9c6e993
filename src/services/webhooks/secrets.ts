import type { NewWebhookSecret, WebhookSecret } from "../../adapters/store/webhooks/webhook-endpoints.ts"
import type { Context } from "../../context.ts"
import { toBase64 } from "../../domain/accounts/crypto.ts"
import { AppError } from "../../errors.ts"

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32
/** How long the former secret signs after a rotation. */
const OVERLAP_MS = 24 * 3_600_000
/** Former secrets that may sign beside the current one. */
const MAX_OVERLAPS = 7

export interface ShownSecret {
  readonly secret: string
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** Returns the account's signing secrets, the newest first. An account without a secret gets a new one. */
export async function signingSecrets(ctx: Context, accountId: string): Promise<string[]> {
  const stored = await listSecrets(ctx, accountId)
  const secrets = await openAll(ctx, stored)
  if (secrets.length > 0) return secrets
  const unreadable = stored.map(({ secretId }) => secretId)
  return openAll(ctx, await addFirst(ctx, accountId, unreadable))
}

/** Shows the account's secret once. @throws AppError conflict when it was shown before */
export async function showSecret(ctx: Context, accountId: string): Promise<ShownSecret> {
  const stored = await listSecrets(ctx, accountId)
  const newest = stored[0] ?? (await addFirst(ctx, accountId, []))[0]
  const secret = newest ? await ctx.sealer.open(purposeOf(newest.secretId), newest.sealed) : null
  if (!newest || secret === null || !(await ctx.store.webhookSecrets.markShown(newest.secretId, ctx.clock.now())))
    throw new AppError("conflict", "the secret was already shown; rotate it to get a new one")
  return { secret, createdAt: newest.createdAt }
}

/** Creates a new secret and shows it once. Former secrets sign for 24 more hours. @throws AppError conflict */
export async function rotateSecret(ctx: Context, accountId: string): Promise<ShownSecret> {
  const stored = await listSecrets(ctx, accountId)
  // Secrets without an end do not count, because a rotation gives each an end.
  const overlaps = stored.filter(({ expiresAt }) => expiresAt !== null)
  if (overlaps.length >= MAX_OVERLAPS) throw new AppError("conflict", "too many rotations within a day")
  const { secret, row } = await mint(ctx, accountId)
  await ctx.store.webhookSecrets.rotate(row, row.createdAt + OVERLAP_MS)
  return { secret, createdAt: row.createdAt }
}

/** Lists the account's active secrets without their text, the newest first. */
export async function listSecrets(ctx: Context, accountId: string): Promise<WebhookSecret[]> {
  return ctx.store.webhookSecrets.list(accountId, ctx.clock.now())
}

/** Adds a secret unless another call was faster. @returns the active secrets */
async function addFirst(ctx: Context, accountId: string, unreadable: string[]): Promise<WebhookSecret[]> {
  const { row } = await mint(ctx, accountId)
  await ctx.store.webhookSecrets.addFirst(row, unreadable)
  return listSecrets(ctx, accountId)
}

async function mint(ctx: Context, accountId: string): Promise<{ secret: string; row: NewWebhookSecret }> {
  const createdAt = ctx.clock.now()
  const secretId = `whk_${ctx.randomToken()}`
  const secret = `whsec_${toBase64(ctx.randomBytes(SECRET_BYTES))}`
  const sealed = await ctx.sealer.seal(purposeOf(secretId), secret)
  return { secret, row: { secretId, accountId, sealed, createdAt } }
}

/** Opens the secrets and skips those that no accepted pepper opens. */
async function openAll({ sealer }: Pick<Context, "sealer">, stored: readonly WebhookSecret[]): Promise<string[]> {
  const opened = await Promise.all(stored.map(({ secretId, sealed }) => sealer.open(purposeOf(secretId), sealed)))
  return opened.filter((secret) => secret !== null)
}

function purposeOf(secretId: string): string {
  return `webhook-secret ${secretId}`
}
