import { useState } from "preact/hooks"
import { change, type Load, useGet, useLoad } from "../../api/call.ts"
import type { ExplainedRoute, Health } from "../../api/shapes.ts"
import { Button } from "../../parts/buttons.tsx"
import { type Column, DataTable, TablePanel } from "../../parts/data-table.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, OperatorNeeded, Page, Panel } from "../../parts/page.tsx"
import { Ago, Badge, Empty, Notice, Tiles, withNote } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { asSentence, count, counted, milliseconds, percent, plain } from "../../words.ts"
import { AddNode } from "./add-node.tsx"
import { Answers } from "./answers.tsx"
import {
  answersOf,
  FleetTabs,
  loadNodes,
  type Node,
  nodeLink,
  problemsOf,
  STATE_MEANINGS,
  STATE_TONES,
} from "./fleet-parts.tsx"

export function FleetPage() {
  const { isOperator, wasOperator, account } = useSession()
  const load = useLoad(`nodes ${isOperator}`, loadNodes)
  const health = useGet<Health>("/health")
  function refresh() {
    load.reload()
    health.reload()
  }
  return (
    <Page
      title={isOperator ? "Fleet" : "Probe nodes"}
      lead="The probe nodes that connect to mail servers, with their location and state: your own, or all for the operator."
      actions={
        <>
          <Button label="Refresh" onClick={refresh} />
          {(isOperator || account) && <AddNode onAdded={refresh} />}
        </>
      }
    >
      <FleetTabs current="fleet" />
      {wasOperator && <OperatorNeeded onDone={refresh} />}
      <Service of={health} />
      <Loaded of={load} forOperator>
        {(nodes) => (
          <>
            {nodes.length === 0 ? <NoNodes isOperator={isOperator} /> : <NodeList nodes={nodes} />}
            {isOperator && <Answers />}
            <RouteFinder />
            {!isOperator && !wasOperator && <OperatorNeeded onDone={refresh} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const NoNodes = ({ isOperator }: { isOperator: boolean }) =>
  isOperator ? (
    <Empty title="No probe nodes" text="Without a node no mail server can be probed. Add one above." />
  ) : (
    <Empty
      title="No nodes of your own"
      text="Your account uses the shared nodes, and their state is shown to the operator. You can add nodes of your own."
    />
  )

const UNAVAILABLE = 503

function Service({ of: load }: { of: Load<Health> }) {
  if (load.state === "failed" && load.problem.status === UNAVAILABLE)
    return (
      <Notice
        tone="accept_all"
        title={asSentence(load.problem.message)}
        text="Mailboxes stay unknown meanwhile and cost nothing. Lists try them again later."
      />
    )
  return (
    <Loaded of={load} lines={2}>
      {({ status, version, release, database, probe_nodes }) => (
        <Tiles
          tiles={[
            ["Service", status === "ok" ? "OK" : "Degraded", `Version ${release}, API version ${version}`],
            ["Database", database.reachable ? milliseconds(database.ms) : "No response", "for a test query"],
            ["Probe nodes", probe_nodes, "available"],
          ]}
        />
      )}
    </Loaded>
  )
}

/** The nodes, with a search and a filter by state. */
function NodeList({ nodes }: { nodes: readonly Node[] }) {
  const [search, setSearch] = useChoice("search")
  const [state, setState] = useChoice("state")
  const found = nodes.filter((node) => isMatch(node, search.trim().toLowerCase()))
  const shown = found.filter((node) => state === "" || node.state === state)
  const options = Object.keys(STATE_MEANINGS).flatMap((name): [string, string][] => {
    const amount = found.filter((node) => node.state === name).length
    return amount > 0 || name === state ? [[name, `${plain(name)} (${amount})`]] : []
  })
  function showAll() {
    setSearch("")
    setState("")
  }
  return (
    <TablePanel
      title="Nodes"
      note={summaryOf(nodes)}
      rows={shown}
      rowKey={({ id }) => id}
      columns={NODE_COLUMNS}
      empty={
        <Empty title="No node matches">
          <Button label="Show all nodes" onClick={showAll} />
        </Empty>
      }
    >
      <div class="row end">
        <Field label="Search" placeholder="Name, region, version or IP" value={search} onValue={setSearch} />
        <Select label="State" value={state} options={[["", `All (${found.length})`], ...options]} onValue={setState} />
      </div>
      <p class="unseen" role="status">
        {shown.length < nodes.length ? `${counted(shown.length, "node")} shown` : ""}
      </p>
    </TablePanel>
  )
}

function summaryOf(nodes: readonly Node[]): string {
  const attention = nodes.filter(({ state }) => state !== "healthy" && state !== "draining").length
  const needs = attention === 1 ? "1 needs attention" : `${attention} need attention`
  return attention > 0 ? `${counted(nodes.length, "node")}, ${needs}` : counted(nodes.length, "node")
}

const isMatch = ({ id, region, version, ips }: Node, search: string): boolean =>
  [id, region, version ?? "", ...ips.map(({ ip }) => ip)].some((text) => text.toLowerCase().includes(search))

const NODE_COLUMNS: readonly Column<Node>[] = [
  [
    "Name",
    ({ id, registered }) =>
      withNote(
        <a href={nodeLink(id)}>
          <b>{id}</b>
        </a>,
        registered.owner === "account" && "of an account",
      ),
  ],
  [
    "State",
    (node) =>
      withNote(
        <Badge tone={STATE_TONES[node.state]}>{plain(node.state)}</Badge>,
        problemsOf(node) > 0 && counted(problemsOf(node), "problem"),
      ),
  ],
  ["Region", ({ region }) => region],
  ["IP", (node) => <Addresses of={node} />],
  [
    "Version",
    ({ version, version_differs: differs }) =>
      withNote(version || <span class="soft">unknown</span>, differs && "differs from the service"),
  ],
  ["Last seen", ({ checked_at }) => <Ago at={checked_at} />],
  ["Answers in 24 h", (node) => count(answersOf(node).answers), "num"],
  [
    "Blocked",
    (node) => {
      const { blockRate } = answersOf(node)
      return blockRate === null ? <span class="soft">–</span> : percent(blockRate)
    },
    "num",
  ],
]

const SHOWN = 2

function Addresses({ of: { ips } }: { of: Node }) {
  const named = ips.filter(({ ip }) => ip !== "system")
  if (named.length === 0) return <span class="soft">the machine's choice</span>
  return (
    <>
      {named.slice(0, SHOWN).map(({ ip }) => (
        <div key={ip}>
          <code>{ip}</code>
        </div>
      ))}
      {named.length > SHOWN && <div class="soft small">and {count(named.length - SHOWN)} more</div>}
    </>
  )
}

function RouteFinder() {
  const [route, setRoute] = useState<ExplainedRoute | null>(null)
  const fields = { domain: { label: "Domain", placeholder: "example.com", required: true } }
  const form = useForm(fields, ({ domain }, labels) => {
    setRoute(null)
    const path = `/regions/route?${new URLSearchParams({ domain })}`
    return change<ExplainedRoute>(path, { asOperator: true, labels }, setRoute)
  })
  return (
    <Panel title="Which node probes a domain?" note="resolves DNS only; sends no probe">
      <Form of={form} submit="Explain" layout="row" />
      {route && (
        <div class="stack" role="status">
          <p>{route.explanation}.</p>
          <DataTable
            label="Candidate nodes"
            rows={route.candidates}
            rowKey={({ node_id }) => node_id}
            columns={[
              ["Node", ({ node_id: id }) => (id === route.chosen ? <b>{id}</b> : id)],
              ["Region", ({ region }) => region],
              ["Cost", ({ cost }) => cost, "num"],
              ["Latency", ({ latency_ms }) => milliseconds(latency_ms), "num"],
              ["Acceptance", ({ acceptance }) => percent(acceptance, 0), "num"],
              ["Budget left", ({ budget_left }) => percent(budget_left, 0), "num"],
              ["Load", ({ load }) => percent(load, 0), "num"],
            ]}
          />
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
