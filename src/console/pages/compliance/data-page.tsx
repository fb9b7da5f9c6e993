import { useState } from "preact/hooks"
import { call, type Problem, saveFile, useAction, useGet } from "../../api/call.ts"
import type { Erasure, RetentionStatus } from "../../api/shapes.ts"
import { Button, Dialog } from "../../parts/buttons.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { LoadedPanel, Page, Panel } from "../../parts/page.tsx"
import { Ago, Notice, ProblemNotice } from "../../parts/text.tsx"
import { count, days, plain, rows } from "../../words.ts"

export const DataPage = () => (
  <Page
    title="Data protection"
    lead="What your account stores about a person or a domain: export it, erase it, and see when it is deleted automatically."
    access="account"
  >
    <div class="columns">
      <ExportData />
      <EraseData />
    </div>
    <Retention />
  </Page>
)

function ExportData() {
  const [saved, setSaved] = useState("")
  const form = useForm(
    { email: { label: "Address to export", kind: "email", required: true } },
    async ({ email }, labels) => {
      const found = await saveFile(`/gdpr/export?${new URLSearchParams({ email })}`, `${email}.json`, labels)
      setSaved(found ? "" : email)
      return found
    },
  )
  return (
    <Panel title="Export about an address" note="JSON">
      <p class="soft">For a person who requests a copy of their data.</p>
      <Form of={form} submit="Export" busyLabel="Exporting" />
      {saved && (
        <Notice tone="valid" title="Exported">
          <p class="break">Everything that your account stores about {saved} is in the file.</p>
        </Notice>
      )}
    </Panel>
  )
}

type Kind = "email" | "domain"

const SUBJECTS = [
  ["email", "An address"],
  ["domain", "A domain and all its addresses"],
] as const
const PATHS: Readonly<Record<Kind, string>> = { email: "/gdpr/erase", domain: "/gdpr/domain" }
const LABELS: Readonly<Record<Kind, string>> = { email: "Address to erase", domain: "Domain to erase" }

/** Calls needed at most to erase one subject; each erases a bounded number of rows. */
const MAX_CALLS = 50

/** Erases what the account stores about an address or a domain, after a confirmation. */
function EraseData() {
  const [kind, setKind] = useState<Kind>("email")
  const [toErase, setToErase] = useState<string | null>(null)
  const [erased, setErased] = useState<{ subject: string; erasure: Erasure } | null>(null)
  const form = useForm(
    { subject: { label: LABELS[kind], kind: kind === "email" ? "email" : "text", required: true } },
    ({ subject }) => {
      erasing.clearProblem()
      setToErase(subject)
      return null
    },
  )
  const erasing = useAction(async (subject: string) => {
    setErased(null)
    const answer = await erase(kind, subject)
    setToErase(null)
    if ("problem" in answer) return answer.problem
    setErased({ subject, erasure: answer.erasure })
    return null
  })
  return (
    <Panel title="Erase" note="cannot be undone">
      <p class="soft">For a person who requires erasure, or a customer who leaves.</p>
      <Select label="What" value={kind} options={SUBJECTS} onValue={setKind} />
      <Form of={form} submit="Erase" isDanger isBusy={erasing.busy} />
      <ProblemNotice problem={erasing.problem} />
      {erased && <Erased subject={erased.subject} erasure={erased.erasure} />}
      {toErase !== null && (
        <Dialog title={`Erase everything about ${toErase}?`} onClose={() => setToErase(null)}>
          <p>
            Its results, and its rows in lists, are erased from your account. Hard bounces and complaints keep only a
            keyed hash, so that the address stays suppressed. This cannot be undone.
          </p>
          <div class="row">
            <Button label="Cancel" onClick={() => setToErase(null)} />
            <Button
              label={erasing.busy ? "Erasing" : "Erase"}
              class="button danger"
              isBlocked={erasing.busy}
              onClick={() => void erasing.run(toErase)}
            />
          </div>
        </Dialog>
      )}
    </Panel>
  )
}

/** Repeats the call until everything is erased, and adds its counts up. */
async function erase(kind: Kind, subject: string): Promise<{ erasure: Erasure } | { problem: Problem }> {
  const counts = new Map<string, Erasure["tables"][number]>()
  for (let calls = 1; ; calls++) {
    const answer = await call<Erasure>(PATHS[kind], {
      method: "POST",
      json: { [kind]: subject },
      labels: { email: "Address" },
    })
    if (!answer.ok) return answer
    for (const { table, removed, blanked } of answer.body.tables) {
      const before = counts.get(table) ?? { table, removed: 0, blanked: 0 }
      counts.set(table, { table, removed: before.removed + removed, blanked: before.blanked + blanked })
    }
    if (answer.body.complete || calls === MAX_CALLS)
      return { erasure: { ...answer.body, tables: [...counts.values()] } }
  }
}

function Erased({ subject, erasure: { complete, tables } }: { subject: string; erasure: Erasure }) {
  const changed = tables.filter(({ removed, blanked }) => removed + blanked > 0)
  if (!complete)
    return (
      <Notice
        tone="accept_all"
        title="Not complete yet"
        text="There is too much for now. Erase it again to continue."
      />
    )
  return (
    <Notice tone="valid" title={changed.length === 0 ? "Nothing was stored" : "Erased"}>
      <p class="break">
        {changed.length === 0
          ? `Your account stores nothing about ${subject}.`
          : `Your account stores nothing about ${subject} any more:`}
      </p>
      {changed.length > 0 && (
        <ul class="bullets small">
          {changed.map(({ table, removed, blanked }) => (
            <li key={table}>
              {kindOf(table)}:{" "}
              {[
                removed > 0 && `${count(removed)} deleted`,
                blanked > 0 && `${count(blanked)} without personal data now`,
              ]
                .filter(Boolean)
                .join(", ")}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}

function Retention() {
  const load = useGet<RetentionStatus>("/gdpr/status")
  return (
    <LoadedPanel title="Retention" of={load} lines={5}>
      {({ retention_days, policy, last_purge, last_purge_rows }) => (
        <>
          <p>
            Results are deleted after {days(retention_days)}.{" "}
            {last_purge === null ? (
              "The deletion runs every night; it has not run yet."
            ) : (
              <>
                The last run was <Ago at={last_purge} />
                {last_purge_rows !== null && `: ${rows(last_purge_rows)} deleted`}.
              </>
            )}
          </p>
          <DataTable
            label="Retention by kind of data"
            rows={byDays(policy)}
            rowKey={([amount]) => amount}
            columns={[
              ["Deleted after", ([amount]) => days(amount), "nowrap"],
              ["Data", ([, kinds]) => <Bullets words={kinds} />],
            ]}
          />
        </>
      )}
    </LoadedPanel>
  )
}

const Bullets = ({ words }: { words: readonly string[] }) => (
  <ul class="bullets">
    {words.map((one) => (
      <li key={one}>{one}</li>
    ))}
  </ul>
)

/** The kinds of data by their retention, the longest first. */
function byDays(policy: RetentionStatus["policy"]): (readonly [days: number, kinds: readonly string[]])[] {
  const groups = Map.groupBy(policy, ({ days }) => days)
  return [...groups]
    .toSorted(([a], [b]) => b - a)
    .map(([days, rules]) => [days, [...new Set(rules.map(({ table }) => kindOf(table)))]] as const)
}

/** Kinds of stored data in the words of an account, by the API's names. Several names may be one kind. */
const KINDS: Readonly<Record<string, string>> = {
  results: "Results of verifications",
  verified_addresses: "Which addresses you verified",
  account_erasures: "Records that keep erased data hidden",
  verifications: "History of single verifications",
  pending_verifications: "Verifications in the background",
  job_rows: "Lists, with their rows and results",
  job_files: "Lists, with their rows and results",
  job_chunks: "Lists, with their rows and results",
  job_items: "Lists, with their rows and results",
  jobs: "Lists, with their rows and results",
  webhook_attempts: "Attempts to deliver webhooks",
  outbound_events: "Events for your webhooks",
  webhook_endpoints: "Counts about webhook URLs that keep failing (your webhooks stay)",
  integration_events: "Events of integrations",
  integration_syncs: "Runs of integration syncs",
  benchmarks: "Accuracy tests",
  rechecks: "Planned new checks",
  domains: "DNS facts of domains",
  site_scrapes: "Addresses on company pages",
  feedback: "Reports about mail, without addresses",
  feedback_domains: "Reports about mail, without addresses",
  address_feedback: "Reports about an address",
  format_samples: "Address formats of companies",
  suppressions: "Suppression list",
  payment_offers: "Payments in the name of your mailbox",
  sign_in_links: "Sign-in links, once expired",
  sessions: "Sessions, once expired",
  breach_answers: "Results of breach searches",
  ledger: "Single credit charges (the totals of each month stay)",
  usage: "Counts of callers without an account",
  idempotency: "Answers for repeated requests",
}

const kindOf = (table: string): string => KINDS[table] ?? plain(table)
