import type { Context } from "../../context.ts"
import { openConnection } from "./connection.ts"

const AT_ONCE = 20

/** Seals credentials under a former key again. */
export async function resealFormer(ctx: Context): Promise<void> {
  const former = await ctx.store.integrations.sealedOtherwise(ctx.sealer.keyId, AT_ONCE)
  for (const integration of former) await openConnection(ctx, integration)
}
