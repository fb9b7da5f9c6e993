import type { SampledList } from "../../api/shapes.ts"
import { Scroll } from "../../parts/scroll.tsx"
import { addresses, count, percent, STATUS_WORDS } from "../../words.ts"

/** What a verified sample says about the whole list. */
export function SampleResult({ sample: { sampled, total, projection } }: { sample: SampledList }) {
  return (
    <section class="stack" aria-label="Sample" role="status">
      <h3>Sample of {addresses(sampled)}</h3>
      <p>The whole list of {addresses(total)} is expected to be:</p>
      <Scroll label="Expected results">
        <table class="table">
          <thead>
            <tr>
              <th>Status</th>
              <th class="num">Addresses</th>
              <th class="num">Share</th>
              <th class="num">Likely range</th>
            </tr>
          </thead>
          <tbody>
            {projection
              .filter(({ high }) => high > 0)
              .map(({ status, expected, share, low, high }) => (
                <tr key={status}>
                  <td>{STATUS_WORDS[status]}</td>
                  <td class="num">{count(expected)}</td>
                  <td class="num">{percent(share, 0)}</td>
                  <td class="num">
                    {percent(low, 0)} to {percent(high, 0)}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}
