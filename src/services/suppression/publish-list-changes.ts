import { inParallel } from "../../concurrency/in-parallel.ts"
import type { Context } from "../../context.ts"
import { OPERATOR_LIST } from "../../domain/suppression/suppression.ts"
import { copyFlags } from "./copy-flags.ts"

const PAGE = 500
const AT_A_TIME = 12

/**
 * Publishes to an empty edge (after a restore, or in a new namespace) which lists have entries. Otherwise the edge
 * treats every list as empty and allows mail to suppressed addresses. An account's list is copied on its first request,
 * the operator's list at once, because every request reads it.
 */
export async function publishListChanges(ctx: Context): Promise<void> {
  const { flags } = ctx
  const { suppressions } = ctx.store
  if (!(await flags.isComplete())) {
    for (let [after, isMore] = ["", true]; isMore; ) {
      const lists = await suppressions.lists({ after, limit: PAGE })
      await inParallel(lists, AT_A_TIME, (list) => flags.markNonEmpty(list))
      after = lists.at(-1) ?? after
      isMore = lists.length === PAGE
    }
    await flags.setComplete()
  }
  await copyFlags(ctx, OPERATOR_LIST)
}
