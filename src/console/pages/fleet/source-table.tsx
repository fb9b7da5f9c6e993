import type { SourceIp } from "../../api/shapes.ts"
import { operatorName } from "../../operator-names.ts"
import { Badge, type Tone } from "../../parts/badge.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { count, moment, percent } from "../../words.ts"
import { nodeLink } from "./node.ts"
import { STATE_TONES } from "./states.ts"

/** Source addresses with their use, blocks and blocklists. @param withNode shows the node of each */
export function SourceTable({ ips, withNode = false }: { ips: readonly SourceIp[]; withNode?: boolean }) {
  return (
    <Scroll label="Source addresses">
      <table class="table">
        <thead>
          <tr>
            <th>Address</th>
            {withNode && <th>Node</th>}
            <th>State</th>
            <th class="num">Probed today</th>
            <th class="num">Blocked in 24 h</th>
            <th>Not used at</th>
            <th>Blocklists</th>
            <th>Pool</th>
          </tr>
        </thead>
        <tbody>
          {ips.map((one) => (
            <tr key={`${one.node_id} ${one.ip}`}>
              <td>{one.ip === "system" ? <span class="soft">the machine's choice</span> : <code>{one.ip}</code>}</td>
              {withNode && (
                <td>
                  <a href={nodeLink(one.node_id)}>{one.node_id}</a> <span class="soft small">{one.region}</span>
                </td>
              )}
              <td>
                <UseBadge of={one} />
              </td>
              <td class="num">{count(one.spent_today)}</td>
              <td class="num">
                {one.block_rate === null ? <span class="soft">no probes</span> : percent(one.block_rate)}
              </td>
              <td>
                {one.held.length === 0 ? (
                  <span class="soft">none</span>
                ) : (
                  one.held.map(({ operator, until, why }) => (
                    <div key={operator}>
                      {operatorName(operator)}{" "}
                      <span class="soft small">{until ? `${why}, until ${moment(until)}` : why}</span>
                    </div>
                  ))
                )}
              </td>
              <td>
                {one.blacklists.length === 0 ? (
                  <span class="soft">none</span>
                ) : (
                  <Badge tone="invalid">{one.blacklists.join(", ")}</Badge>
                )}
              </td>
              <td class="soft">{one.pool}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** An address is as usable as its node: an unfit or draining node gets no probes. */
function UseBadge({ of: one }: { of: SourceIp }) {
  const [tone, words] = usability(one)
  return <Badge tone={tone}>{words}</Badge>
}

function usability({ node_state: state, resting }: SourceIp): readonly [Tone, string] {
  if (state !== "healthy" && state !== "degraded") return [STATE_TONES[state], `Node ${state}`]
  return resting ? ["accept_all", "Paused"] : ["valid", "In use"]
}
