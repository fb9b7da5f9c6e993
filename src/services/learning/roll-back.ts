import type { ModelKind } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"

type Needs = Pick<Deps, "clock" | "models">

export interface RolledBack {
  readonly from: number
  readonly to: number
}

/** Takes an older model back into use: the one before the current, or a certain version, 0 for the prior. @throws AppError not_found */
export async function rollBack(
  { clock, models }: Needs,
  { kind, version }: { kind: ModelKind; version?: number | undefined },
): Promise<RolledBack> {
  const from = (await models.activeWithReport(kind))?.model.version ?? 0
  if (from === 0 && version === undefined)
    throw new AppError("not_found", "the prior is in use; there is none before it")
  const to = version ?? (await models.versionBefore(kind, from))
  if (!(await models.activate(kind, to, clock.now()))) throw new AppError("not_found", `there is no version ${to}`)
  return { from, to }
}
