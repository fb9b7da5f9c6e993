import type { ModelStats } from "../../api/shapes.ts"
import { operatorName } from "../../operator-names.ts"
import { Badge } from "../../parts/badge.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count, decimal, moment, percent } from "../../words.ts"

/** Bounce rate per score band, over all operators. */
export function BounceByScore({ bands }: { bands: ModelStats["bounce_by_score"] }) {
  const all = bands.filter(({ operator }) => operator === null)
  return (
    <Panel title="Bounces by score" note="of mail that was sent">
      {all.length === 0 ? (
        <p class="soft">Too few reports yet.</p>
      ) : (
        <Scroll label="Bounces by score">
          <table class="table">
            <thead>
              <tr>
                <th>Score</th>
                <th class="num">Sent</th>
                <th class="num">Bounced</th>
                <th class="num">95% interval</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ score_from, score_to, samples, bounce_rate, low, high }) => (
                <tr key={score_from}>
                  <td>
                    {score_from}–{score_to === 100 ? 100 : score_to - 1}
                  </td>
                  <td class="num">{count(samples)}</td>
                  <td class="num">{percent(bounce_rate)}</td>
                  <td class="num soft">
                    {percent(low)} to {percent(high)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Panel>
  )
}

type Metrics = ModelStats["by_operator"][number]["metrics"]

/** A dash without measurements. */
const shown = (metrics: Metrics, words: (metrics: NonNullable<Metrics>) => string) => (metrics ? words(metrics) : "–")
const aucOf = ({ auc }: NonNullable<Metrics>) => (auc === null ? "–" : percent(auc))
const calibrationErrorOf = ({ calibration_error }: NonNullable<Metrics>) => percent(calibration_error)

export function ByOperator({ operators }: { operators: ModelStats["by_operator"] }) {
  if (operators.length === 0) return null
  return (
    <Panel title="By mail operator">
      <Scroll label="By mail operator">
        <table class="table">
          <thead>
            <tr>
              <th>Operator</th>
              <th class="num">Samples</th>
              <th class="num">Delivered</th>
              <th class="num">AUC</th>
              <th class="num">Calibration error</th>
              <th class="num">Brier score</th>
            </tr>
          </thead>
          <tbody>
            {operators.map(({ operator, metrics }) => (
              <tr key={operator}>
                <td>{operatorName(operator)}</td>
                <td class="num">{shown(metrics, ({ samples }) => count(samples))}</td>
                <td class="num">{shown(metrics, ({ base_rate }) => percent(base_rate))}</td>
                <td class="num">{shown(metrics, aucOf)}</td>
                <td class="num">{shown(metrics, calibrationErrorOf)}</td>
                <td class="num">{shown(metrics, ({ brier }) => decimal(brier, 3))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  )
}

export function Versions({ versions }: { versions: ModelStats["versions"] }) {
  if (versions.length === 0) return null
  return (
    <Panel title="Versions">
      <Scroll label="Versions">
        <table class="table">
          <thead>
            <tr>
              <th>Version</th>
              <th>Trained</th>
              <th class="num">Samples</th>
              <th class="num">AUC</th>
              <th class="num">Calibration error</th>
            </tr>
          </thead>
          <tbody>
            {versions.map(({ version, trained_at, samples, metrics, in_use }) => (
              <tr key={version}>
                <td>
                  {version} {in_use && <Badge tone="accent">In use</Badge>}
                </td>
                <td>{trained_at ? moment(trained_at) : "–"}</td>
                <td class="num">{count(samples)}</td>
                <td class="num">{shown(metrics, aucOf)}</td>
                <td class="num">{shown(metrics, calibrationErrorOf)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  )
}
