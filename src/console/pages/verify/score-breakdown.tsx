import type { Status } from "../../../../schema/vocabulary.ts"
import type { Breakdown } from "../../api/shapes.ts"
import { Fold } from "../../parts/fold.tsx"
import { signed } from "../../words.ts"

/** [part, label, maximum] */
const PARTS: readonly (readonly [keyof Breakdown, string, number])[] = [
  ["base", "Start", 50],
  ["smtp_bonus", "Mail server reply", 30],
  ["catch_all_bonus", "Catch-all classifier", 20],
  ["mx_bonus", "Mail hosts", 10],
  ["rbl_penalty", "Blocklists", 30],
  ["disposable_penalty", "Disposable", 40],
  ["role_penalty", "Role address", 10],
  ["ml_adjustment", "Model", 20],
  ["received_bonus", "Received mail", 25],
]

interface BreakdownProps {
  readonly breakdown: Breakdown
  readonly total: number
  readonly status: Status
  /** Why there is no grade; null with one. */
  readonly noGrade: string | null
}

/** A table of the points of each part. */
export function ScoreBreakdown({ breakdown, total, status, noGrade }: BreakdownProps) {
  const sum = PARTS.reduce((points, [part]) => points + breakdown[part], 0)
  return (
    <Fold title="Score" summary={[`${total} of 100`, ...(noGrade === null ? [] : [`no grade: ${noGrade}`])].join("; ")}>
      <table class="table points">
        <thead class="unseen">
          <tr>
            <th>Part</th>
            <th>Share of the maximum</th>
            <th>Points</th>
          </tr>
        </thead>
        <tbody>
          {PARTS.map(([part, words, most]) => (
            <tr key={part} class={breakdown[part] === 0 ? "soft" : ""}>
              <th scope="row">{words}</th>
              <td>
                <Bar points={breakdown[part]} most={most} />
              </td>
              <td class="num">{signed(breakdown[part])}</td>
            </tr>
          ))}
          {sum !== total && (
            <tr>
              <th scope="row">{sum > 100 || sum < 0 ? "Limited to 0–100" : CAPS[status]}</th>
              <td />
              <td class="num">{signed(total - sum)}</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Score</th>
            <td />
            <td class="num">{total}</td>
          </tr>
        </tfoot>
      </table>
    </Fold>
  )
}

const CAPS: Readonly<Record<Status, string>> = {
  valid: "Capped",
  accept_all: "Capped",
  unknown: "Capped",
  invalid: "Capped: invalid",
  invalid_syntax: "Capped: malformed",
}

/** A bar of the points. All parts share one scale: 50 points fill it. */
function Bar({ points, most }: { points: number; most: number }) {
  return (
    <svg
      class={`points-bar ${points < 0 ? "tone-invalid" : "tone-valid"}`}
      viewBox="0 0 50 6"
      preserveAspectRatio="none"
    >
      <title>{`${points} of ${most}`}</title>
      <rect class="points-room" width={most} height="6" />
      <rect class="points-fill" width={Math.abs(points)} height="6" />
    </svg>
  )
}
