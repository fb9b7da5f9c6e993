import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { CanaryStatus, ExplainedRoute } from "../../api/shapes.ts"
import { operatorName } from "../../operator-names.ts"
import { Badge, type Tone } from "../../parts/badge.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { FleetTabs } from "./tabs.tsx"

type Finding = CanaryStatus["results"][number]["finding"]

const FINDINGS: Readonly<Record<Finding, readonly [Tone, string]>> = {
  as_expected: ["valid", "As expected"],
  blanket_accept: ["invalid", "Accepts everything"],
  blanket_refuse: ["invalid", "Refuses everything"],
  unclear: ["unknown", "Unclear"],
}

const PATH = "/fleet/canaries"
const LABELS = { domain: "Existing address", existing: "Existing address", missing: "Missing address" }

export function CanariesPage() {
  return (
    <Page
      title="Canaries"
      lead="Two of your addresses at a mail operator, one that exists and one that does not. Each source address probes them every hour, and is not used where the answers are alike."
    >
      <FleetTabs current="fleet/canaries" />
      <ForOperator>
        <Canaries />
      </ForOperator>
    </Page>
  )
}

function Canaries() {
  const load = useLoad("canaries", (signal) =>
    call<{ canaries: readonly CanaryStatus[] }>(PATH, { signal, asOperator: true }),
  )
  return (
    <>
      <Loaded of={load}>
        {({ canaries }) =>
          canaries.length === 0 ? (
            <Empty title="No canaries yet">
              <p>Without canaries, a source address that an operator answers falsely is found by its results only.</p>
            </Empty>
          ) : (
            canaries.map((one) => <CanaryPanel key={one.operator} canary={one} onChange={load.reload} />)
          )
        }
      </Loaded>
      <SetCanary onSet={load.reload} />
    </>
  )
}

function CanaryPanel({ canary, onChange }: { canary: CanaryStatus; onChange: () => void }) {
  const { operator, existing, missing, results } = canary
  const name = operatorName(operator)
  async function remove(): Promise<Problem | null> {
    const answer = await call(`${PATH}/${encodeURIComponent(operator)}`, { method: "DELETE", asOperator: true })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return (
    <Panel
      title={name}
      note={
        <>
          exists: <span class="break">{existing}</span>; missing: <span class="break">{missing}</span>
        </>
      }
    >
      {results.length === 0 ? (
        <p class="soft">The first result follows within a minute.</p>
      ) : (
        <Scroll label={`Canary results at ${name}`}>
          <table class="table">
            <thead>
              <tr>
                <th>Node</th>
                <th>Source address</th>
                <th>Result</th>
                <th>Replies</th>
                <th>Checked</th>
              </tr>
            </thead>
            <tbody>
              {results.map(({ node_id, source_ip, finding, detail, checked_at }) => (
                <tr key={`${node_id} ${source_ip}`}>
                  <td>{node_id}</td>
                  <td>{source_ip === "system" ? "the machine's choice" : source_ip}</td>
                  <td>
                    <Badge tone={FINDINGS[finding][0]}>{FINDINGS[finding][1]}</Badge>
                  </td>
                  <td class="soft">{detail}</td>
                  <td>
                    <Ago at={checked_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <div>
        <Confirm label="Remove" title={`Remove the canary at ${name}?`} danger onConfirm={remove}>
          <p>Source addresses that it excluded are used again.</p>
        </Confirm>
      </div>
    </Panel>
  )
}

function SetCanary({ onSet }: { onSet: () => void }) {
  const [existing, setExisting] = useState("")
  const [missing, setMissing] = useState("")
  const { busy, problem, run } = useAction(async () => {
    const addresses = { existing: existing.trim(), missing: missing.trim() }
    const domain = addresses.existing.split("@").at(-1) ?? ""
    const init = { asOperator: true, labels: LABELS } as const
    const route = await call<ExplainedRoute>(`/regions/route?${new URLSearchParams({ domain })}`, init)
    if (!route.ok) return route.problem
    const { operator, explanation } = route.body
    if (operator === null) return { status: 422, message: `Existing address: ${explanation}.`, requestId: null }
    const answer = await call(PATH, { ...init, method: "POST", json: { operator, ...addresses } })
    if (!answer.ok) return answer.problem
    setExisting("")
    setMissing("")
    onSet()
    return null
  })
  return (
    <Panel title="Add a canary" note="an operator's earlier canary is replaced">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <p class="soft">Both addresses belong to one domain. Its mail hosts decide the operator.</p>
        <div class="row end">
          <Field label="Existing address" kind="email" value={existing} onValue={setExisting} required />
          <Field label="Missing address" kind="email" value={missing} onValue={setMissing} required />
          <SubmitButton label="Add" busy={busy} />
        </div>
      </form>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
