import type { Context } from "../../context.ts"
import { copyFlags } from "../suppression/copy-flags.ts"

/**
 * Moves an account without a proven owner, with its keys and data, to another account.
 * @returns the number of moved keys; 0 for the same account and for one with an owner
 */
export async function joinAccount(ctx: Context, { from, to }: { from: string; to: string }): Promise<number> {
  if (from === to) return 0
  const { clock, keyLimiters, flags } = ctx
  const { keys, suppressions } = ctx.store
  // The moved suppressions apply at once: until the edge has all flags, it reads the database.
  if (await suppressions.haveFlags([from])) await flags.setFilled(to, "")
  const moved = await keys.adopt({ from, to, now: clock.now() })
  ctx.background(copyFlags(ctx, to, from))
  if (moved === 0) return 0
  const digests = await keys.digestsOf(to)
  await Promise.all(digests.map((digest) => keyLimiters.ofKey(digest).invalidate()))
  return moved
}
