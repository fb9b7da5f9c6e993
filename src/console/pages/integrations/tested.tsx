import type { TestedIntegration } from "../../api/shapes.ts"
import { Notice } from "../../parts/notice.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { milliseconds } from "../../words.ts"

/** The result of a test with the requests that it made. */
export function Tested({ tested: { account, elapsed_ms, requests } }: { tested: TestedIntegration }) {
  return (
    <div class="stack">
      <Notice tone="valid" title="The test succeeded">
        <p class="break">
          {account ? `Account at the provider: ${account}. ` : ""}It took {milliseconds(elapsed_ms)}.
        </p>
      </Notice>
      <Scroll label="Requests of the test">
        <table class="table">
          <thead>
            <tr>
              <th>Request</th>
              <th class="num">Status</th>
              <th class="num">Time</th>
            </tr>
          </thead>
          <tbody>
            {requests.map(({ method, url, http_status, elapsed_ms: ms }) => (
              <tr key={`${method} ${url} ${ms}`}>
                <td class="break">
                  <code>
                    {method} {url}
                  </code>
                </td>
                <td class="num">{http_status ?? "none"}</td>
                <td class="num nowrap">{milliseconds(ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}
