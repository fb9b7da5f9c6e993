import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { IpPools, SourceIp } from "../../api/shapes.ts"
import { Bars } from "../../parts/bars.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { useSession } from "../../session.tsx"
import { count } from "../../words.ts"
import { SourceTable } from "./source-table.tsx"
import { FleetTabs } from "./tabs.tsx"

/** The addresses that nodes connect from: how mail operators answer them, blocklists and pools. */
export function AddressesPage() {
  const { isOperator } = useSession()
  const load = useLoad(`ips ${isOperator}`, (signal) =>
    call<{ ips: readonly SourceIp[] }>("/ips", { signal, asOperator: true }),
  )
  return (
    <Page title="Source addresses" lead="The addresses that nodes connect from, and how mail operators treat them.">
      <FleetTabs current="fleet/addresses" />
      <Loaded of={load} forOperator>
        {({ ips }) => (
          <>
            {ips.length === 0 ? (
              <Empty title="No source addresses">
                <p>A node's addresses appear here after its first report.</p>
              </Empty>
            ) : (
              <>
                <Answers ips={ips} />
                <Addresses ips={ips} />
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

function Addresses({ ips }: { ips: readonly SourceIp[] }) {
  return (
    <Panel title="By address">
      <SourceTable ips={ips} withNode />
    </Panel>
  )
}

const LABELS = { ip: "Address", pool: "Pool" }

function Pools({ onChange }: { onChange: () => void }) {
  const [ip, setIp] = useState("")
  const [pool, setPool] = useState("general")
  const load = useLoad("pools", (signal) => call<IpPools>("/ip-pool/status", { signal, asOperator: true }))
  const { busy, problem, run } = useAction(async () => {
    const query = new URLSearchParams({ ip: ip.trim(), pool: pool.trim() })
    const init = { method: "POST", asOperator: true, labels: LABELS } as const
    const answer = await call(`/ip-pool/register?${query}`, init)
    if (!answer.ok) return answer.problem
    setIp("")
    load.reload()
    onChange()
    return null
  })
  async function remove(): Promise<Problem | null> {
    const answer = await call(`/ip-pool/${encodeURIComponent(ip.trim())}`, { method: "DELETE", asOperator: true })
    if (!answer.ok) return answer.problem
    load.reload()
    onChange()
    return null
  }
  return (
    <Panel title="Pools" note="labels for your reports; routing does not read them">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Address" placeholder="192.0.2.7" value={ip} onValue={setIp} required />
        <Field label="Pool" value={pool} onValue={setPool} required />
        <SubmitButton label="Register" busy={busy} />
        {ip.trim() !== "" && (
          <Confirm label="Remove from its pool" title={`Remove ${ip.trim()} from its pool?`} onConfirm={remove}>
            <p>A node that sends from it is then in the pool general.</p>
          </Confirm>
        )}
      </form>
      <ProblemNotice problem={problem} />
      <Loaded of={load}>
        {({ pools }) => (
          <Scroll label="Pools">
            <table class="table">
              <thead>
                <tr>
                  <th>Pool</th>
                  <th class="num">Addresses</th>
                  <th class="num">Usable</th>
                  <th class="num">Paused</th>
                  <th class="num">On blocklists</th>
                  <th class="num">Without a node</th>
                </tr>
              </thead>
              <tbody>
                {pools.map((one) => (
                  <tr key={one.pool}>
                    <td>{one.pool}</td>
                    <td class="num">{count(one.ips)}</td>
                    <td class="num">{count(one.usable)}</td>
                    <td class="num">{count(one.resting)}</td>
                    <td class="num">{count(one.blacklisted)}</td>
                    <td class="num">{count(one.registered_without_node)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
      </Loaded>
    </Panel>
  )
}
