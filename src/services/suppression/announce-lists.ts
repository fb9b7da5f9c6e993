import { inParallel } from "../../adapters/in-parallel.ts"
import { OPERATOR_LIST } from "../../domain/suppression/suppression.ts"
import { type FillNeeds, fillMarks } from "./fill-marks.ts"

const PAGE = 500
const AT_A_TIME = 12

/**
 * Tells an empty edge, as after a restore or in a new namespace, which lists have entries: it would take every list for
 * empty and let suppressed addresses be sent to. An account's list is filled when its owner asks; the operator's, which
 * everybody asks, at once.
 */
export async function announceLists(needs: FillNeeds): Promise<void> {
  const { marks, suppressions } = needs
  if (!(await marks.knowsAll())) {
    for (let [after, isMore] = ["", true]; isMore; ) {
      const lists = await suppressions.lists({ after, limit: PAGE })
      await inParallel(lists, AT_A_TIME, (list) => marks.announce(list))
      after = lists.at(-1) ?? after
      isMore = lists.length === PAGE
    }
    await marks.setKnowsAll()
  }
  await fillMarks(needs, OPERATOR_LIST)
}
