import { Badge } from "../../parts/badge.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { count, counted, percent, plain } from "../../words.ts"
import { answersOf, type Node, nodeLink, problemsOf } from "./node.ts"
import { STATE_TONES } from "./states.ts"

/** A row for each node, with a link to its page. */
export function NodeTable({ nodes }: { nodes: readonly Node[] }) {
  return (
    <Scroll label="Nodes">
      <table class="table">
        <thead>
          <tr>
            <th>Name</th>
            <th>State</th>
            <th>Region</th>
            <th>IP</th>
            <th>Version</th>
            <th>Last seen</th>
            <th class="num">Answers in 24 h</th>
            <th class="num">Blocked</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <NodeRow key={node.id} node={node} />
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function NodeRow({ node }: { node: Node }) {
  const { id, state, region, version, version_differs: differs, checked_at: checkedAt, registered } = node
  const problems = problemsOf(node)
  const { answers, blockRate } = answersOf(node)
  return (
    <tr>
      <td>
        <a href={nodeLink(id)}>
          <b>{id}</b>
        </a>
        {registered.owner === "account" && <div class="soft small">of an account</div>}
      </td>
      <td>
        <Badge tone={STATE_TONES[state]}>{plain(state)}</Badge>
        {problems > 0 && <div class="soft small">{counted(problems, "problem")}</div>}
      </td>
      <td>{region}</td>
      <td>
        <Addresses of={node} />
      </td>
      <td>
        {version || <span class="soft">unknown</span>}
        {differs && <div class="soft small">differs from the service</div>}
      </td>
      <td>
        <Ago at={checkedAt} />
      </td>
      <td class="num">{count(answers)}</td>
      <td class="num">{blockRate === null ? <span class="soft">–</span> : percent(blockRate)}</td>
    </tr>
  )
}

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
