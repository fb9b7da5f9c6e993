import { fitsWithout } from "./leave-out.ts"
import { type Coefficients, type FitPrior, logOddsAt, sigmoid } from "./logistic.ts"
import { groupRows, type TimeSlice } from "./parts.ts"

/** Tolerated excess log-loss per sample, in nats, in addition to chance: senders differ. */
const TOLERATED = 0.05
/** Standard errors that count as chance. */
const CHANCE = 2

/**
 * Agreement of each group with all others, 1 down to 0: the excess log-loss of its samples under the model fitted without
 * it, over the loss that this model expects. A group that reports inverted outcomes is near 0.
 */
export function agreementOf(
  part: TimeSlice,
  options: { readonly anchor: FitPrior; readonly fitted: Coefficients },
): Map<string, number> {
  const rows = groupRows(part)
  return new Map(
    [...fitsWithout(part, options)].map(([group, others]) => {
      const { surplus, error } = surplusOf(part, others, rows.get(group)!)
      const tolerated = TOLERATED + CHANCE * error
      return [group, surplus <= tolerated ? 1 : (tolerated / surplus) ** 2]
    }),
  )
}

function surplusOf(
  { data }: TimeSlice,
  model: Coefficients,
  rows: readonly number[],
): { surplus: number; error: number } {
  let [sum, squares] = [0, 0]
  for (const row of rows) {
    const logOdds = logOddsAt(model, data.values, row * data.width)
    const probability = sigmoid(logOdds)
    // Log-loss minus entropy is linear in the outcome.
    const surplus = (probability - data.outcomes[row]!) * logOdds
    sum += surplus
    squares += surplus ** 2
  }
  const surplus = sum / rows.length
  return { surplus, error: Math.sqrt(Math.max(0, squares / rows.length - surplus ** 2) / rows.length) }
}
