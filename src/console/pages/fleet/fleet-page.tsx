import { call } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { Health } from "../../api/shapes.ts"
import { Empty, Notice } from "../../parts/notice.tsx"
import { Loaded, OperatorNeeded, Page } from "../../parts/page.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { useSession } from "../../session.tsx"
import { asSentence, milliseconds } from "../../words.ts"
import { AddNode } from "./add-node.tsx"
import { Answers } from "./answers.tsx"
import { loadNodes } from "./node.ts"
import { NodeList } from "./node-list.tsx"
import { RouteFinder } from "./route-finder.tsx"
import { FleetTabs } from "./tabs.tsx"

export function FleetPage() {
  const { isOperator, wasOperator, account } = useSession()
  const load = useLoad(`nodes ${isOperator}`, loadNodes)
  const health = useLoad("health", (signal) => call<Health>("/health", { signal }))
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
          <button type="button" class="button" onClick={refresh}>
            Refresh
          </button>
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

function NoNodes({ isOperator }: { isOperator: boolean }) {
  return isOperator ? (
    <Empty title="No probe nodes">
      <p>Without a node no mail server can be probed. Add one above.</p>
    </Empty>
  ) : (
    <Empty title="No nodes of your own">
      <p>
        Your account uses the shared nodes, and their state is shown to the operator. You can add nodes of your own.
      </p>
    </Empty>
  )
}

const UNAVAILABLE = 503

function Service({ of: load }: { of: Load<Health> }) {
  if (load.state === "failed" && load.problem.status === UNAVAILABLE)
    return (
      <Notice tone="accept_all" title={asSentence(load.problem.message)}>
        <p>Mailboxes stay unknown meanwhile and cost nothing. Lists try them again later.</p>
      </Notice>
    )
  return (
    <Loaded of={load} lines={2}>
      {({ status, version, release, database, probe_nodes }) => (
        <Tiles
          tiles={[
            {
              name: "Service",
              value: status === "ok" ? "OK" : "Degraded",
              note: `Version ${release}, API version ${version}`,
            },
            {
              name: "Database",
              value: database.reachable ? milliseconds(database.ms) : "No response",
              note: "for a test query",
            },
            { name: "Probe nodes", value: probe_nodes, note: "available" },
          ]}
        />
      )}
    </Loaded>
  )
}
