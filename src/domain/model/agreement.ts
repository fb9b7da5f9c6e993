import { fitsWithout } from "./leave-out.ts"
import { type Anchor, type Coefficients, logOddsAt, sigmoid } from "./logistic.ts"
import { groupRows, type Part } from "./parts.ts"

/** Nats a sample by which an account may be worse predicted than the others say, besides chance: senders do differ. */
const TOLERATED = 0.05
/** Standard errors that are put down to chance. */
const CHANCE = 2

/**
 * How far each group's reports fit in with what all others say, 1 down to 0: the surplus of its log-loss under the model made
 * without it, over what that model itself expects. Who reports the reverse of the truth comes out near 0.
 */
export function agreementOf(
  part: Part,
  options: { readonly anchor: Anchor; readonly fitted: Coefficients },
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

function surplusOf({ data }: Part, model: Coefficients, rows: readonly number[]): { surplus: number; error: number } {
  let [sum, squares] = [0, 0]
  for (const row of rows) {
    const logOdds = logOddsAt(model, data.values, row * data.width)
    const probability = sigmoid(logOdds)
    // Log-loss less entropy is linear in the outcome.
    const surplus = (probability - data.outcomes[row]!) * logOdds
    sum += surplus
    squares += surplus ** 2
  }
  const surplus = sum / rows.length
  return { surplus, error: Math.sqrt(Math.max(0, squares / rows.length - surplus ** 2) / rows.length) }
}
