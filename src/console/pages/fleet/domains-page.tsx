import { call, change, together } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Sender, SenderDomain } from "../../api/shapes.ts"
import { DataTable } from "../../parts/data-table.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"
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
    <Panel title="Names of each node">
      <DataTable
        label="Names of each node"
        isStacked
        rows={senders}
        rowKey={({ node_id }) => node_id}
        columns={[
          { title: "Node", cell: ({ node_id }) => <a href={nodeLink(node_id)}>{node_id}</a> },
          { title: "HELO name", cell: ({ helo }) => helo ?? UNKNOWN },
          { title: "Sender domain", cell: ({ mail_from_domain }) => mail_from_domain ?? UNKNOWN },
          {
            title: "Fit",
            cell: ({ fit }) => (fit === null ? <span class="soft">not checked</span> : fit ? "Yes" : "No"),
          },
          {
            title: "Problems",
            phone: "",
            cell: ({ findings }) =>
              findings.length === 0 ? <span class="soft">No problems found</span> : <Findings of={findings} />,
          },
        ]}
      />
    </Panel>
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
