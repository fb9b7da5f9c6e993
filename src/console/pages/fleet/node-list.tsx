import { Field, Select } from "../../parts/field.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { useChoice } from "../../route.ts"
import { counted, plain } from "../../words.ts"
import type { Node } from "./node.ts"
import { NodeTable } from "./node-table.tsx"
import { STATE_MEANINGS } from "./states.ts"

/** The nodes, with a search and a filter by state. */
export function NodeList({ nodes }: { nodes: readonly Node[] }) {
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
    <Panel title="Nodes" note={summaryOf(nodes)}>
      <div class="row end">
        <Field label="Search" placeholder="Name, region, version or IP" value={search} onValue={setSearch} />
        <Select label="State" value={state} options={[["", `All (${found.length})`], ...options]} onValue={setState} />
      </div>
      <p class="unseen" role="status">
        {shown.length < nodes.length ? `${counted(shown.length, "node")} shown` : ""}
      </p>
      {shown.length > 0 ? (
        <NodeTable nodes={shown} />
      ) : (
        <Empty title="No node matches">
          <button type="button" class="button" onClick={showAll}>
            Show all nodes
          </button>
        </Empty>
      )}
    </Panel>
  )
}

function summaryOf(nodes: readonly Node[]): string {
  const attention = nodes.filter(({ state }) => state !== "healthy" && state !== "draining").length
  const needs = attention === 1 ? "1 needs attention" : `${attention} need attention`
  return attention > 0 ? `${counted(nodes.length, "node")}, ${needs}` : counted(nodes.length, "node")
}

function isMatch({ id, region, version, ips }: Node, search: string): boolean {
  return [id, region, version ?? "", ...ips.map(({ ip }) => ip)].some((text) => text.toLowerCase().includes(search))
}
