import type { ModelStats } from "../../api/shapes.ts"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { decimal, plain } from "../../words.ts"
import { FEATURE_WORDS } from "./feature-words.ts"

/** The model's feature weights for and against an address, strongest first. */
export function Weights({ weights }: { weights: ModelStats["weights"] }) {
  const sorted = weights.toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
  const maxWeight = Math.max(0.001, Math.abs(sorted[0]?.weight ?? 0))
  return (
    <Panel title="Feature weights" note="log-odds">
      <Scroll label="Weights">
        <table class="table">
          <thead>
            <tr>
              <th>Feature</th>
              <th>
                <span class="unseen">For or against</span>
              </th>
              <th class="num">Weight</th>
              <th class="num">Set by hand</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map(({ feature, weight, prior }) => (
              <tr key={feature}>
                <td>{FEATURE_WORDS[feature] ?? plain(feature)}</td>
                <td>
                  <WeightBar share={weight / maxWeight} />
                </td>
                <td class="num">{decimal(weight, 2)}</td>
                <td class="num soft">{decimal(prior, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  )
}

/** @param share -1 to 1 */
function WeightBar({ share }: { share: number }) {
  const width = Math.abs(share) * 50
  return (
    <svg class={`pull ${share < 0 ? "tone-invalid" : "tone-valid"}`} viewBox="0 0 100 6" preserveAspectRatio="none">
      <title>{share < 0 ? "against" : "for"}</title>
      <rect class="points-room" width="100" height="6" />
      <rect class="points-fill" x={share < 0 ? 50 - width : 50} width={width} height="6" />
    </svg>
  )
}
