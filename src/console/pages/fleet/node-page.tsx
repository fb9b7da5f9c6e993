import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Sender } from "../../api/shapes.ts"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { Doctor } from "./doctor.tsx"
import { loadNodes, type Node } from "./node.ts"
import { NodeActions } from "./node-actions.tsx"
import { NodeFacts } from "./node-facts.tsx"
import { NodeKeys } from "./node-keys.tsx"
import { SourceTable } from "./source-table.tsx"

/** State, findings, source addresses, maintenance and keys of one node. */
export function NodePage({ id }: { id: string }) {
  const { isOperator } = useSession()
  const load = useLoad(`nodes ${isOperator}`, loadNodes)
  return (
    <Page
      title={id}
      lead={<a href="#/fleet">All nodes</a>}
      actions={
        <button type="button" class="button" onClick={load.reload}>
          Refresh
        </button>
      }
    >
      <Loaded of={load} forOperator>
        {(nodes) => {
          const node = nodes.find((one) => one.id === id)
          return node ? <Parts node={node} onChange={load.reload} /> : <NoNode id={id} />
        }}
      </Loaded>
    </Page>
  )
}

function NoNode({ id }: { id: string }) {
  return (
    <Empty title={`No node ${id}`}>
      <p>It was removed, or it is not yours.</p>
      <a class="button" href="#/fleet">
        All nodes
      </a>
    </Empty>
  )
}

function Parts({ node, onChange }: { node: Node; onChange: () => void }) {
  const senders = useLoad("senders", (signal) =>
    call<{ senders: readonly Sender[] }>("/senders", { signal, asOperator: true }),
  )
  const sender =
    senders.state === "ready" ? senders.value.senders.find(({ node_id }) => node_id === node.id) : undefined
  return (
    <>
      <NodeFacts node={node} sender={sender} />
      <NodeActions node={node} onChange={onChange} onRemove={() => go("#/fleet")} />
      <Doctor of={node} />
      <Panel title="Source addresses" note="mail servers see these addresses">
        <SourceTable ips={node.ips} />
      </Panel>
      <NodeKeys node={node} onChange={onChange} />
    </>
  )
}
