import { call, change, invalid, useGet } from "../../api/call.ts"
import type { CanaryStatus, ExplainedRoute } from "../../api/shapes.ts"
import { Confirm } from "../../parts/buttons.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Ago, Badge, Empty, type Tone } from "../../parts/text.tsx"
import { operatorName } from "../../words.ts"
import { FleetTabs } from "./fleet-parts.tsx"

type Finding = CanaryStatus["results"][number]["finding"]

const FINDINGS: Readonly<Record<Finding, readonly [Tone, string]>> = {
  as_expected: ["valid", "As expected"],
  blanket_accept: ["invalid", "Accepts everything"],
  blanket_refuse: ["invalid", "Refuses everything"],
  unclear: ["unknown", "Unclear"],
}

const PATH = "/fleet/canaries"

export const CanariesPage = () => (
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

function Canaries() {
  const load = useGet<{ canaries: readonly CanaryStatus[] }>(PATH, { asOperator: true })
  return (
    <>
      <Loaded of={load}>
        {({ canaries }) =>
          canaries.length === 0 ? (
            <Empty
              title="No canaries yet"
              text="Without canaries, a source address that an operator answers falsely is found by its results only."
            />
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
  const remove = () =>
    change(`${PATH}/${encodeURIComponent(operator)}`, { method: "DELETE", asOperator: true }, onChange)
  return (
    <Panel
      title={name}
      note={
        <>
          exists: <span class="break">{existing}</span>; missing: <span class="break">{missing}</span>
        </>
      }
    >
      <DataTable
        label={`Canary results at ${name}`}
        rows={results}
        rowKey={({ node_id, source_ip }) => `${node_id} ${source_ip}`}
        columns={[
          ["Node", ({ node_id }) => node_id],
          ["Source address", ({ source_ip }) => (source_ip === "system" ? "the machine's choice" : source_ip)],
          ["Result", ({ finding }) => <Badge tone={FINDINGS[finding][0]}>{FINDINGS[finding][1]}</Badge>],
          ["Replies", ({ detail }) => detail, "soft"],
          ["Checked", ({ checked_at }) => <Ago at={checked_at} />],
        ]}
        empty={<p class="soft">The first result follows within a minute.</p>}
      />
      <div>
        <Confirm label="Remove" title={`Remove the canary at ${name}?`} danger onConfirm={remove}>
          <p>Source addresses that it excluded are used again.</p>
        </Confirm>
      </div>
    </Panel>
  )
}

function SetCanary({ onSet }: { onSet: () => void }) {
  const form = useForm(
    {
      existing: { label: "Existing address", kind: "email", required: true },
      missing: { label: "Missing address", kind: "email", required: true },
    },
    async (addresses, labels) => {
      const domain = addresses.existing.split("@").at(-1) ?? ""
      const init = { asOperator: true, labels: { ...labels, domain: labels.existing! } } as const
      const route = await call<ExplainedRoute>(`/regions/route?${new URLSearchParams({ domain })}`, init)
      if (!route.ok) return route.problem
      const { operator, explanation } = route.body
      if (operator === null) return invalid(`Existing address: ${explanation}.`)
      return change(PATH, { ...init, method: "POST", json: { operator, ...addresses } }, onSet)
    },
    { resets: "texts" },
  )
  return (
    <Panel title="Add a canary" note="an operator's earlier canary is replaced">
      <p class="soft">Both addresses belong to one domain. Its mail hosts decide the operator.</p>
      <Form of={form} submit="Add" layout="row" />
    </Panel>
  )
}
