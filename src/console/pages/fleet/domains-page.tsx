import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { Sender, SenderDomain } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { useSession } from "../../session.tsx"
import { FindingItem } from "./finding-item.tsx"
import { nodeLink } from "./node.ts"
import { FINDING_TONES, FINDING_WORDS } from "./states.ts"
import { FleetTabs } from "./tabs.tsx"

/** The domains of MAIL FROM with the checks of their records, and the names that each node uses. */
export function DomainsPage() {
  const { isOperator } = useSession()
  const load = useLoad(`sender domains ${isOperator}`, async (signal) => {
    const init = { signal, asOperator: true } as const
    const [domains, senders] = await Promise.all([
      call<{ domains: readonly SenderDomain[] }>("/sender-domains", init),
      call<{ senders: readonly Sender[] }>("/senders", init),
    ])
    if (!domains.ok) return domains
    return senders.ok ? { ok: true, body: { ...domains.body, ...senders.body } } : senders
  })
  return (
    <Page title="Sender domains" lead="The domains in MAIL FROM, with what mail servers check about them.">
      <FleetTabs current="fleet/domains" />
      <Loaded of={load} forOperator>
        {({ domains, senders }) => (
          <>
            {domains.length === 0 ? (
              <Empty title="No sender domains">
                <p>Register the domain of a node's sender address to check its records.</p>
              </Empty>
            ) : (
              domains.map((one) => <DomainPanel key={one.domain} domain={one} />)
            )}
            <Senders senders={senders} />
            {isOperator && <Register onRegistered={load.reload} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function DomainPanel({ domain: { domain, status, checked_at, findings } }: { domain: SenderDomain }) {
  return (
    <Panel
      title={domain}
      note={
        <>
          <Badge tone={FINDING_TONES[status]}>{FINDING_WORDS[status]}</Badge> checked <Ago at={checked_at} />
        </>
      }
    >
      <ul class="findings">
        {findings.map((finding) => (
          <FindingItem key={`${finding.check} ${finding.subject}`} of={finding} />
        ))}
      </ul>
    </Panel>
  )
}

function Senders({ senders }: { senders: readonly Sender[] }) {
  if (senders.length === 0) return null
  return (
    <Panel title="Names of each node">
      <Scroll label="Names of each node">
        <table class="table stacked">
          <thead>
            <tr>
              <th>Node</th>
              <th>HELO name</th>
              <th>Sender domain</th>
              <th>Fit</th>
              <th>Problems</th>
            </tr>
          </thead>
          <tbody>
            {senders.map(({ node_id, helo, mail_from_domain, fit, findings }) => (
              <tr key={node_id}>
                <td>
                  <a href={nodeLink(node_id)}>{node_id}</a>
                </td>
                <td data-name="HELO name">{helo ?? <span class="soft">unknown</span>}</td>
                <td data-name="Sender domain">{mail_from_domain ?? <span class="soft">unknown</span>}</td>
                <td data-name="Fit">{fit === null ? <span class="soft">not checked</span> : fit ? "Yes" : "No"}</td>
                <td>
                  {findings.length === 0 ? (
                    <span class="soft">No problems found</span>
                  ) : (
                    <ul class="findings">
                      {findings.map((finding) => (
                        <FindingItem key={`${finding.check} ${finding.subject}`} of={finding} />
                      ))}
                    </ul>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  )
}

function Register({ onRegistered }: { onRegistered: () => void }) {
  const [domain, setDomain] = useState("")
  const { busy, problem, run } = useAction(async () => {
    const query = new URLSearchParams({ domain: domain.trim() })
    const answer = await call(`/sender-domains/register?${query}`, { method: "POST", asOperator: true })
    if (!answer.ok) return answer.problem
    setDomain("")
    onRegistered()
    return null
  })
  return (
    <Panel title="Register a domain">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Domain" placeholder="example.com" value={domain} onValue={setDomain} required />
        <SubmitButton label="Register" busy={busy} busyLabel="Checking" />
      </form>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
