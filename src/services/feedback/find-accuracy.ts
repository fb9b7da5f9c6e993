import type { Context } from "../../context.ts"
import { type Accuracy, accuracyOf, type KindCount } from "../../domain/suppression/feedback.ts"

export interface FoundAccuracy {
  readonly accuracy: Accuracy
  /** All reports by kind, several about one verdict too. */
  readonly counts: readonly KindCount[]
}

/** Finds how often reports confirmed verdicts. @param accountId null for the sums of all accounts */
export async function findAccuracy(ctx: Context, accountId: string | null): Promise<FoundAccuracy> {
  const { feedback } = ctx.store
  const [outcomes, counts] = await Promise.all([feedback.outcomes(accountId), feedback.counts(accountId)])
  return { accuracy: accuracyOf(outcomes), counts }
}
