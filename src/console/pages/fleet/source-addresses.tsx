import { change, useGet } from "../../api/call.ts"
import type { IpPools, SourceIp } from "../../api/shapes.ts"
import { Bars } from "../../parts/bars.tsx"
import { Confirm } from "../../parts/buttons.tsx"
import { type Column, DataTable, LoadedTablePanel } from "../../parts/data-table.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Badge, Empty, type Tone } from "../../parts/text.tsx"
import { useSession } from "../../session.tsx"
import { count, moment, operatorName, percent } from "../../words.ts"
import { FleetTabs, nodeLink, STATE_TONES } from "./fleet-parts.tsx"

/** The addresses that nodes connect from: how mail operators answer them, blocklists and pools. */
export function AddressesPage() {
  const { isOperator } = useSession()
  const load = useGet<{ ips: readonly SourceIp[] }>("/ips", { asOperator: true, version: isOperator })
  return (
    <Page title="Source addresses" lead="The addresses that nodes connect from, and how mail operators treat them.">
      <FleetTabs current="fleet/addresses" />
      <Loaded of={load} forOperator>
        {({ ips }) => (
          <>
            {ips.length === 0 ? (
              <Empty title="No source addresses" text="A node's addresses appear here after its first report." />
            ) : (
              <>
                <Answers ips={ips} />
                <Panel title="By address">
                  <SourceTable ips={ips} withNode />
                </Panel>
              </>
            )}
            {isOperator && <Pools onChange={load.reload} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Answers({ ips }: { ips: readonly SourceIp[] }) {
  const probed = ips.filter(({ block_rate }) => block_rate !== null)
  if (probed.length < 2) return null
  return (
    <Panel title="Blocked in the last 24 hours" note="of the probes that a mail server answered">
      <Bars
        label="Share of probes blocked in the last 24 hours by source address, in percent"
        nameTitle="Source address"
        valueTitle="Percent blocked"
        bars={probed.map(({ ip, node_id, block_rate }) => ({
          name: ip === "system" ? node_id : ip,
          value: Math.round((block_rate ?? 0) * 100),
          color: (block_rate ?? 0) >= 0.1 ? "invalid" : "valid",
        }))}
      />
    </Panel>
  )
}

/** Source addresses with their use, blocks and blocklists. @param withNode shows the node of each */
export const SourceTable = ({ ips, withNode = false }: { ips: readonly SourceIp[]; withNode?: boolean }) => (
  <DataTable
    label="Source addresses"
    rows={ips}
    rowKey={({ node_id, ip }) => `${node_id} ${ip}`}
    columns={[
      ["Address", ({ ip }) => (ip === "system" ? <span class="soft">the machine's choice</span> : <code>{ip}</code>)],
      withNode && NODE_COLUMN,
      [
        "State",
        (one) => {
          const [tone, words] = usability(one)
          return <Badge tone={tone}>{words}</Badge>
        },
      ],
      ["Probed today", ({ spent_today }) => count(spent_today), "num"],
      [
        "Blocked in 24 h",
        ({ block_rate: rate }) => (rate === null ? <span class="soft">no probes</span> : percent(rate)),
        "num",
      ],
      ["Not used at", ({ held }) => (held.length === 0 ? NONE : <PausedAt of={held} />)],
      [
        "Blocklists",
        ({ blacklists }) => (blacklists.length === 0 ? NONE : <Badge tone="invalid">{blacklists.join(", ")}</Badge>),
      ],
      ["Pool", ({ pool }) => pool, "soft"],
    ]}
  />
)

const NONE = <span class="soft">none</span>

const NODE_COLUMN: Column<SourceIp> = [
  "Node",
  ({ node_id, region }) => (
    <>
      <a href={nodeLink(node_id)}>{node_id}</a> <span class="soft small">{region}</span>
    </>
  ),
]

const PausedAt = ({ of: pauses }: { of: SourceIp["held"] }) => (
  <>
    {pauses.map(({ operator, until, why }) => (
      <div key={operator}>
        {operatorName(operator)} <span class="soft small">{until ? `${why}, until ${moment(until)}` : why}</span>
      </div>
    ))}
  </>
)

/** An address is as usable as its node: an unfit or draining node gets no probes. */
function usability({ node_state: state, resting }: SourceIp): readonly [Tone, string] {
  if (state !== "healthy" && state !== "degraded") return [STATE_TONES[state], `Node ${state}`]
  return resting ? ["accept_all", "Paused"] : ["valid", "In use"]
}

function Pools({ onChange }: { onChange: () => void }) {
  const load = useGet<IpPools>("/ip-pool/status", { asOperator: true })
  function changed() {
    load.reload()
    onChange()
  }
  const form = useForm(
    {
      ip: { label: "Address", placeholder: "192.0.2.7", required: true },
      pool: { label: "Pool", required: true, initial: "general" },
    },
    (entered, labels) =>
      change(
        `/ip-pool/register?${new URLSearchParams(entered)}`,
        { method: "POST", asOperator: true, labels },
        changed,
      ),
    { resets: "texts" },
  )
  const ip = form.values.ip.trim()
  const remove = () => change(`/ip-pool/${encodeURIComponent(ip)}`, { method: "DELETE", asOperator: true }, changed)
  return (
    <LoadedTablePanel
      title="Pools"
      note="labels for your reports; routing does not read them"
      of={load}
      rows={({ pools }) => pools}
      rowKey={({ pool }) => pool}
      columns={[
        ["Pool", ({ pool }) => pool],
        ["Addresses", ({ ips }) => count(ips), "num"],
        ["Usable", ({ usable }) => count(usable), "num"],
        ["Paused", ({ resting }) => count(resting), "num"],
        ["On blocklists", ({ blacklisted }) => count(blacklisted), "num"],
        ["Without a node", (one) => count(one.registered_without_node), "num"],
      ]}
    >
      <Form
        of={form}
        submit="Register"
        layout="row"
        beside={
          ip !== "" && (
            <Confirm label="Remove from its pool" title={`Remove ${ip} from its pool?`} onConfirm={remove}>
              <p>A node that sends from it is then in the pool general.</p>
            </Confirm>
          )
        }
      />
    </LoadedTablePanel>
  )
}
