import { change } from "../../api/call.ts"
import { useGet } from "../../api/load.ts"
import type { IpPools, SourceIp } from "../../api/shapes.ts"
import { Bars } from "../../parts/bars.tsx"
import { type Column, DataTable, LoadedTable } from "../../parts/data-table.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Badge, type Tone } from "../../parts/text.tsx"
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
export function SourceTable({ ips, withNode = false }: { ips: readonly SourceIp[]; withNode?: boolean }) {
  return (
    <DataTable
      label="Source addresses"
      rows={ips}
      rowKey={({ node_id, ip }) => `${node_id} ${ip}`}
      columns={[
        {
          title: "Address",
          cell: ({ ip }) => (ip === "system" ? <span class="soft">the machine's choice</span> : <code>{ip}</code>),
        },
        withNode && NODE_COLUMN,
        {
          title: "State",
          cell: (one) => {
            const [tone, words] = usability(one)
            return <Badge tone={tone}>{words}</Badge>
          },
        },
        { title: "Probed today", class: "num", cell: ({ spent_today }) => count(spent_today) },
        {
          title: "Blocked in 24 h",
          class: "num",
          cell: ({ block_rate: rate }) => (rate === null ? <span class="soft">no probes</span> : percent(rate)),
        },
        { title: "Not used at", cell: ({ held }) => (held.length === 0 ? NONE : <Held of={held} />) },
        {
          title: "Blocklists",
          cell: ({ blacklists }) =>
            blacklists.length === 0 ? NONE : <Badge tone="invalid">{blacklists.join(", ")}</Badge>,
        },
        { title: "Pool", class: "soft", cell: ({ pool }) => pool },
      ]}
    />
  )
}

const NONE = <span class="soft">none</span>

const NODE_COLUMN: Column<SourceIp> = {
  title: "Node",
  cell: ({ node_id, region }) => (
    <>
      <a href={nodeLink(node_id)}>{node_id}</a> <span class="soft small">{region}</span>
    </>
  ),
}

function Held({ of: held }: { of: SourceIp["held"] }) {
  return (
    <>
      {held.map(({ operator, until, why }) => (
        <div key={operator}>
          {operatorName(operator)} <span class="soft small">{until ? `${why}, until ${moment(until)}` : why}</span>
        </div>
      ))}
    </>
  )
}

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
    <Panel title="Pools" note="labels for your reports; routing does not read them">
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
      <LoadedTable
        of={load}
        label="Pools"
        rows={({ pools }) => pools}
        rowKey={({ pool }) => pool}
        columns={[
          { title: "Pool", cell: ({ pool }) => pool },
          { title: "Addresses", class: "num", cell: ({ ips }) => count(ips) },
          { title: "Usable", class: "num", cell: ({ usable }) => count(usable) },
          { title: "Paused", class: "num", cell: ({ resting }) => count(resting) },
          { title: "On blocklists", class: "num", cell: ({ blacklisted }) => count(blacklisted) },
          { title: "Without a node", class: "num", cell: (one) => count(one.registered_without_node) },
        ]}
      />
    </Panel>
  )
}
