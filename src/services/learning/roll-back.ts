import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { Context } from "../../context.ts"
import { AppError } from "../../errors.ts"

export interface RolledBack {
  readonly from: number
  readonly to: number
}

/** Activates the model before the current one, or the given version, 0 for the prior. @throws AppError not_found */
export async function rollBack(
  ctx: Context,
  { kind, version }: { kind: ModelKind; version?: number | undefined },
): Promise<RolledBack> {
  const from = (await ctx.store.models.activeWithReport(kind))?.model.version ?? 0
  if (from === 0 && version === undefined)
    throw new AppError("not_found", "the prior is in use; no version precedes it")
  const to = version ?? (await ctx.store.models.versionBefore(kind, from))
  if (!(await ctx.store.models.activate(kind, to, ctx.clock.now())))
    throw new AppError("not_found", `there is no version ${to}`)
  await ctx.activeRules.reload()
  return { from, to }
}
