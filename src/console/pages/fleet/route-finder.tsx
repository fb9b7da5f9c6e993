import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { ExplainedRoute } from "../../api/shapes.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { milliseconds, percent } from "../../words.ts"

/** Shows which node would probe a domain, and why. */
export function RouteFinder() {
  const [domain, setDomain] = useState("")
  const [route, setRoute] = useState<ExplainedRoute | null>(null)
  const { busy, problem, run } = useAction(async () => {
    const path = `/regions/route?domain=${encodeURIComponent(domain.trim())}`
    const answer = await call<ExplainedRoute>(path, { asOperator: true })
    setRoute(answer.ok ? answer.body : null)
    return answer.ok ? null : answer.problem
  })
  return (
    <Panel title="Which node probes a domain?" note="resolves DNS only; sends no probe">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Domain" placeholder="example.com" value={domain} onValue={setDomain} required />
        <SubmitButton label="Explain" busy={busy} />
      </form>
      <ProblemNotice problem={problem} />
      {route && (
        <div class="stack" role="status">
          <p>{route.explanation}.</p>
          {route.candidates.length > 0 && <Candidates route={route} />}
          {route.passed_over.map(({ node_id, why }) => (
            <p key={node_id} class="soft small">
              {node_id} is skipped: {why}
            </p>
          ))}
        </div>
      )}
    </Panel>
  )
}

function Candidates({ route: { candidates, chosen } }: { route: ExplainedRoute }) {
  return (
    <Scroll label="Candidate nodes">
      <table class="table">
        <thead>
          <tr>
            <th>Node</th>
            <th>Region</th>
            <th class="num">Cost</th>
            <th class="num">Latency</th>
            <th class="num">Acceptance</th>
            <th class="num">Budget left</th>
            <th class="num">Load</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map((node) => (
            <tr key={node.node_id}>
              <td>{node.node_id === chosen ? <b>{node.node_id}</b> : node.node_id}</td>
              <td>{node.region}</td>
              <td class="num">{node.cost}</td>
              <td class="num">{milliseconds(node.latency_ms)}</td>
              <td class="num">{percent(node.acceptance, 0)}</td>
              <td class="num">{percent(node.budget_left, 0)}</td>
              <td class="num">{percent(node.load, 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
