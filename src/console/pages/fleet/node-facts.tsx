import type { ComponentChildren } from "preact"
import type { Sender } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"
import { asSentence, count, milliseconds, moment, percent, plain } from "../../words.ts"
import { answersOf, type Node, servedBy } from "./node.ts"
import { STATE_MEANINGS, STATE_TONES } from "./states.ts"

/** State of a node: since when, why and what it means; and its figures. @param sender once it is loaded */
export function NodeFacts({ node, sender }: { node: Node; sender: Sender | undefined }) {
  const { state, since, reason, blocked_by: blockedBy } = node
  return (
    <Panel title="State">
      <div class="stack">
        <p>
          <Badge tone={STATE_TONES[state]}>{plain(state)}</Badge>{" "}
          {since && (
            <span class="soft">
              since {moment(since)} (<Ago at={since} />)
            </span>
          )}
        </p>
        <p>{STATE_MEANINGS[state]}</p>
        {reason && state !== "draining" && (
          <p>
            <b>Why:</b> {asSentence(reason)}
          </p>
        )}
        {blockedBy.length > 0 && <p>Blocked now by {blockedBy.join(", ")}.</p>}
      </div>
      <dl class="node-facts">
        {factsOf(node, sender).map(([name, words]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

const UNKNOWN = "unknown"

function factsOf(node: Node, sender: Sender | undefined): (readonly [string, ComponentChildren])[] {
  const { registered, load, active_sessions: sessions, rtt_ms: rttMs, clock_skew_ms: skewMs } = node
  const { answers, blockRate } = answersOf(node)
  const inUse = `${percent(load, 0)} of ${count(registered.capacity)}`
  return [
    ["Last seen", <Ago key="seen" at={node.checked_at} />],
    ["Answers in 24 h", count(answers)],
    ["Blocked in 24 h", blockRate === null ? "no answers" : percent(blockRate)],
    ["SMTP sessions", sessions === null ? UNKNOWN : `${count(sessions)} (${inUse})`],
    ["Response time", rttMs === null ? UNKNOWN : milliseconds(rttMs)],
    ["Clock, against the edge", skewMs === null ? UNKNOWN : milliseconds(Math.abs(skewMs))],
    ["Region", node.region],
    ["Version", node.version_differs ? `${node.version}, differs from the service` : node.version || UNKNOWN],
    ["Serves", servedBy(node)],
    ["URL", registered.url ?? UNKNOWN],
    ["Host name (HELO)", sender?.helo ?? UNKNOWN],
    ["Sender domain", sender?.mail_from_domain ?? UNKNOWN],
  ]
}
