import { call, change, together, useLoad } from "../../api/call.ts"
import type { Sender, SenderDomain } from "../../api/shapes.ts"
import { TablePanel } from "../../parts/data-table.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Ago, Empty } from "../../parts/text.tsx"
import { useSession } from "../../session.tsx"
import { FindingBadge, Findings, FleetTabs, nodeLink } from "./fleet-parts.tsx"

/** The domains of MAIL FROM with the checks of their records, and the names that each node uses. */
export function DomainsPage() {
  const { isOperator } = useSession()
  const load = useLoad(`sender domains ${isOperator}`, (signal) =>
    together({
      ofDomains: call<{ domains: readonly SenderDomain[] }>("/sender-domains", { signal, asOperator: true }),
      ofSenders: call<{ senders: readonly Sender[] }>("/senders", { signal, asOperator: true }),
    }),
  )
  return (
    <Page title="Sender domains" lead="The domains in MAIL FROM, with what mail servers check about them.">
      <FleetTabs current="fleet/domains" />
      <Loaded of={load} forOperator>
        {({ ofDomains: { domains }, ofSenders: { senders } }) => (
          <>
            {domains.length === 0 && (
              <Empty
                title="No sender domains"
                text="Register the domain of a node's sender address to check its records."
              />
            )}
            {domains.map(({ domain, status, checked_at, findings }) => (
              <Panel
                key={domain}
                title={domain}
                note={
                  <>
                    <FindingBadge result={status} /> checked <Ago at={checked_at} />
                  </>
                }
              >
                <Findings of={findings} />
              </Panel>
            ))}
            <Senders senders={senders} />
            {isOperator && <Register onRegistered={load.reload} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const UNKNOWN = <span class="soft">unknown</span>

function Senders({ senders }: { senders: readonly Sender[] }) {
  if (senders.length === 0) return null
  return (
    <TablePanel
      title="Names of each node"
      isStacked
      rows={senders}
      rowKey={({ node_id }) => node_id}
      columns={[
        ["Node", ({ node_id }) => <a href={nodeLink(node_id)}>{node_id}</a>],
        ["HELO name", ({ helo }) => helo ?? UNKNOWN],
        ["Sender domain", ({ mail_from_domain }) => mail_from_domain ?? UNKNOWN],
        ["Fit", ({ fit }) => (fit === null ? <span class="soft">not checked</span> : fit ? "Yes" : "No")],
        [
          "Problems",
          ({ findings }) =>
            findings.length === 0 ? <span class="soft">No problems found</span> : <Findings of={findings} />,
          { phone: "" },
        ],
      ]}
    />
  )
}

function Register({ onRegistered }: { onRegistered: () => void }) {
  const form = useForm(
    { domain: { label: "Domain", placeholder: "example.com", required: true } },
    (entered, labels) => {
      const path = `/sender-domains/register?${new URLSearchParams(entered)}`
      return change(path, { method: "POST", asOperator: true, labels }, onRegistered)
    },
    { resets: "texts" },
  )
  return (
    <Panel title="Register a domain">
      <Form of={form} submit="Register" busyLabel="Checking" layout="row" />
    </Panel>
  )
}
