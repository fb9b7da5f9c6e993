import type { Status } from "../../../schema/vocabulary.ts"
import type { Deps } from "../../deps.ts"
import { dayOf } from "../../domain/time.ts"

/** What a count needs to know of an answer. */
interface Answer {
  readonly status: Status
  readonly cached: boolean
}

/** Counts answers an account got in long lists, by day; those of single calls are kept one by one. */
export async function countAnswers(
  { history, clock }: Pick<Deps, "history" | "clock">,
  accountId: string,
  answers: readonly Answer[],
): Promise<void> {
  const day = dayOf(clock.now())
  const groups = Map.groupBy(answers, ({ status, cached }) => `${status} ${cached}`)
  await history.count(
    accountId,
    [...groups.values()].map((group) => {
      const { status, cached } = group[0]!
      return { day, status, cached, count: group.length }
    }),
  )
}
