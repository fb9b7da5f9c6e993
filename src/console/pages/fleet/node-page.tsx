import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { change, useGet, useLoad } from "../../api/call.ts"
import type { NodeHealth, Sender } from "../../api/shapes.ts"
import { Button, Command, Confirm, DialogButton, Link } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Ago, Badge, Empty } from "../../parts/text.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { asSentence, count, counted, milliseconds, moment, percent, plain } from "../../words.ts"
import { answersOf, Findings, loadNodes, type Node, STATE_MEANINGS, STATE_TONES, servedBy } from "./fleet-parts.tsx"
import { SourceTable } from "./source-addresses.tsx"

export function NodePage({ id }: { id: string }) {
  const { isOperator } = useSession()
  const load = useLoad(`nodes ${isOperator}`, loadNodes)
  return (
    <Page title={id} lead={<a href="#/fleet">All nodes</a>} actions={<Button label="Refresh" onClick={load.reload} />}>
      <Loaded of={load} forOperator>
        {(nodes) => {
          const node = nodes.find((one) => one.id === id)
          return node ? <Parts node={node} onChange={load.reload} /> : <NoNode id={id} />
        }}
      </Loaded>
    </Page>
  )
}

const NoNode = ({ id }: { id: string }) => (
  <Empty title={`No node ${id}`} text="It was removed, or it is not yours.">
    <Link label="All nodes" to="#/fleet" class="button" />
  </Empty>
)

interface NodeProps {
  readonly node: Node
  readonly onChange: () => void
}

function Parts({ node, onChange }: NodeProps) {
  const senders = useGet<{ senders: readonly Sender[] }>("/senders", { asOperator: true })
  const sender =
    senders.state === "ready" ? senders.value.senders.find(({ node_id }) => node_id === node.id) : undefined
  return (
    <>
      <NodeFacts node={node} sender={sender} />
      <Maintenance node={node} onChange={onChange} />
      <Doctor of={node} />
      <Panel title="Source addresses" note="mail servers see these addresses">
        <SourceTable ips={node.ips} />
      </Panel>
      <NodeKeys node={node} onChange={onChange} />
    </>
  )
}

/** State of a node: since when, why and what it means; and its figures. @param sender once it is loaded */
function NodeFacts({ node, sender }: { node: Node; sender: Sender | undefined }) {
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

/** Drain or resume, and remove, each with what it means. */
function Maintenance({ node: { id, registered, active_sessions: sessions, ...node }, onChange }: NodeProps) {
  const path = `/fleet/nodes/${encodeURIComponent(id)}`
  const post = (verb: string) => change(`${path}/${verb}`, { method: "POST", asOperator: true }, onChange)
  const remove = () => change(path, { method: "DELETE", asOperator: true }, () => go("#/fleet"))
  return (
    <Panel title="Maintenance">
      <ul class="stack">
        <li class="node-action">
          {node.draining_since === null ? (
            <>
              <p>Before maintenance, drain it: no new probes, and running ones end.</p>
              <Confirm label="Drain" title={`Drain ${id}?`} onConfirm={() => post("drain")}>
                <p>
                  It gets no new probes, and running ones end
                  {sessions ? ` (${counted(sessions, "SMTP session")} at its last report)` : ""}. Other nodes take over.
                  Without another node, mailboxes stay unknown and cost nothing, and lists try them again later.
                </p>
                <p>It stays drained until you resume it, also after a restart.</p>
              </Confirm>
            </>
          ) : (
            <>
              <p>It gets no new probes. Resume it when the maintenance is done.</p>
              <Confirm label="Resume" title={`Resume ${id}?`} onConfirm={() => post("resume")}>
                <p>It gets probes again when it is healthy.</p>
              </Confirm>
            </>
          )}
        </li>
        <li class="node-action">
          {registered.bootstrap ? (
            <p>The setting PROBE_NODES lists this node. To remove it, remove it there.</p>
          ) : (
            <>
              <p>To take it out of the fleet for good, remove it.</p>
              <Confirm label="Remove" title={`Remove ${id}?`} danger onConfirm={remove}>
                <p>It gets no probes any more, and its key is refused. Stop it on its machine afterwards.</p>
                <p>To use it again, enroll it with a new token.</p>
              </Confirm>
            </>
          )}
        </li>
      </ul>
    </Panel>
  )
}

const SEVERITIES = ["fail", "warn", "unknown"] as const

/** What to do about a finding of a node's doctor, by its check. */
const REPAIRS: Readonly<Record<string, string>> = {
  resolver: "Run a resolver on the machine, such as unbound, and set PROBE_DNS=127.0.0.1:53.",
  clock: "Synchronize the clock: timedatectl set-ntp true.",
  proxy: "Check the proxy of PROBE_SOCKS5, and that it allows port 25.",
  egress: "Ask the provider to open outgoing port 25, or use another address.",
  helo: "Add an A record of the host name for every source address.",
  ptr: "Set the reverse name (PTR) of the address at its provider.",
  sender: "Give the sender's domain an MX record, or use another domain.",
  spf: "Add the term that the finding names to the domain's SPF record.",
  blocklists: "Fix the cause, then request the removal from the list.",
}

/** The findings of a node's last self-check by severity, each with its repair. The API reports only problems. */
function Doctor({ of: { doctor } }: { of: Pick<NodeHealth, "doctor"> }) {
  if (!doctor)
    return (
      <Panel title="Self-check">
        <p class="soft">No self-check yet. The first one runs when the node starts.</p>
      </Panel>
    )
  const { fit, ran_at: ranAt, findings } = doctor
  const worstFirst = SEVERITIES.flatMap((severity) => findings.filter(({ result }) => result === severity))
  return (
    <Panel title="Self-check" note="at its start and every hour; every 5 minutes while it is unfit">
      <p>
        <Badge tone={fit ? "valid" : "invalid"}>{fit ? "Fit" : "Unfit"}</Badge>{" "}
        <span class="soft">
          checked <Ago at={ranAt} />
          {findings.length === 0 && ", no problems found"}
        </span>
      </p>
      {findings.length > 0 && (
        <Findings
          of={worstFirst}
          below={({ check, result }) =>
            result !== "unknown" && REPAIRS[check] && <p class="soft">What to do: {REPAIRS[check]}</p>
          }
        />
      )}
    </Panel>
  )
}

export function NodeKeys({ node, onChange }: { node: Node; onChange: () => void }) {
  const { bootstrap, key_ids: keyIds } = node.registered
  return (
    <Panel title="Signing keys" note="the node signs each answer with one of these">
      <ul class="stack">
        {keyIds.map((id) => (
          <li key={id}>
            <code class="break">{id}</code>
          </li>
        ))}
      </ul>
      {bootstrap ? (
        <p class="soft small">The setting PROBE_NODES holds its keys. Rotate them there.</p>
      ) : (
        <div>
          <DialogButton
            label="Rotate the key"
            title={`Rotate the key of ${node.id}`}
            class="button"
            onClosed={onChange}
          >
            {(close) => <Rotation id={node.id} onClose={close} />}
          </DialogButton>
        </div>
      )}
    </Panel>
  )
}

/** The steps of a rotation. The last one appears when the new key is registered. */
function Rotation({ id, onClose }: { id: string; onClose: () => void }) {
  const [until, setUntil] = useState<string | null>(null)
  const fields = { public_key: { label: "Public key", placeholder: `${id}.2027:…`, required: true } }
  const form = useForm(fields, (json, labels) => {
    const init = { method: "POST", json, asOperator: true, labels } as const
    const path = `/fleet/nodes/${encodeURIComponent(id)}/keys`
    return change<{ old_keys_until: string }>(path, init, ({ old_keys_until }) => setUntil(old_keys_until))
  })
  const command = `node dist/probe-node.mjs keygen ${id}.${new Date().toISOString().slice(0, 10)}`
  return (
    <>
      <ol class="steps">
        <li>
          On the node's machine, generate a key pair:
          <Command text={command} />
        </li>
        <li>
          {until === null ? (
            <>
              <span>Register its public half here. The secret half stays on the machine.</span>
              <Form of={form} submit="Register the key" onCancel={onClose} />
            </>
          ) : (
            <b>The new key is registered.</b>
          )}
        </li>
        <li>
          Put the secret half into <code>PROBE_SIGNING_KEY</code> of the node's <code>probe.env</code>, and restart the
          node.{" "}
          {until === null ? "The old key works for another 24 hours." : `The old key works until ${moment(until)}.`}
        </li>
      </ol>
      {until !== null && (
        <div>
          <Button label="Done" class="button primary" onClick={onClose} />
        </div>
      )}
    </>
  )
}
