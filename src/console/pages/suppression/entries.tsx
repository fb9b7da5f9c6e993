import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { change, type Problem } from "../../api/call.ts"
import { usePaged } from "../../api/load.ts"
import type { SuppressionPage as Entries } from "../../api/shapes.ts"
import { type Column, LoadedTable } from "../../parts/data-table.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { Address, Ago } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { day, moment } from "../../words.ts"
import { REASON_WORDS, REASONS } from "./subjects.ts"

type Entry = Entries["suppressions"][number]

const LABELS = { search: "Address or domain", from: "Added from", to: "Added until" }
const DAY_MS = 86_400_000

/** The list itself, newest first, with filters. @param version changes when another part changed the list */
export function SuppressedEntries({ version, onChange }: { version: number; onChange: () => void }) {
  const [subject, setSubject] = useChoice("find")
  const [reason, setReason] = useChoice("reason")
  const [from, setFrom] = useChoice("from")
  const [to, setTo] = useChoice("to")
  const filters = { search: searchOf(subject), reason, from, to: untilOf(to) }
  const load = usePaged<Entries>("/suppression", { limit: "25", ...filters }, { labels: LABELS, version })
  const isFiltered = Object.values(filters).some((value) => value !== "")
  const isEmpty = load.state === "ready" && load.value.suppressions.length === 0
  return (
    <Panel title="Suppressed addresses and domains">
      {(isFiltered || !isEmpty) && (
        <div class="row top">
          <Find subject={subject} busy={load.isStale} onFind={setSubject} />
          <Select label="Reason" value={reason} options={[["", "All"], ...REASONS]} onValue={setReason} />
          <Field kind="date" label="Added from" value={from} onValue={setFrom} />
          <Field kind="date" label="Added until" value={to} onValue={setTo} />
        </div>
      )}
      <LoadedTable
        of={load}
        label="Suppressed addresses and domains"
        isStacked
        rows={({ suppressions }) => suppressions}
        rowKey={({ domain, email }, n) => domain ?? email ?? n}
        columns={columnsOf(onChange)}
        empty={
          isFiltered ? (
            <Empty
              title="No entry matches"
              text="The search needs the whole address, or the whole domain: a part of it finds nothing."
            />
          ) : (
            <Empty
              title="The list is empty"
              text="Add addresses above, import a file, or connect your sending provider."
            />
          )
        }
      />
    </Panel>
  )
}

/** An exact search: the service stores hashes of the addresses to search by. */
function Find({ subject, busy, onFind }: { subject: string; busy: boolean; onFind: (subject: string) => void }) {
  const label = "Address or domain"
  const placeholder = "the whole address, or example.com"
  const form = useForm({ subject: { label, placeholder, initial: subject } }, async (entered) => {
    if (entered.subject !== "" && !/[@.]/.test(entered.subject)) return IS_PART
    onFind(entered.subject)
    return null
  })
  return <Form of={form} submit="Search" layout="row" isBusy={busy} />
}

const PART = "Enter the whole address or the whole domain, such as example.com. A part of it finds nothing."
const IS_PART: Problem = { status: 422, message: PART, requestId: null, faults: { subject: PART } }

const NOTE_SHOWN = 100

/** What an entry suppresses; null for an erased address. */
const nameOf = ({ email, domain }: Entry): string | null => (domain === null ? email : `Every address at ${domain}`)

const columnsOf = (onChange: () => void): readonly Column<Entry>[] => [
  {
    title: "Address or domain",
    class: "break",
    cell: (entry) => {
      const name = nameOf(entry)
      return name === null ? <span class="soft">erased address</span> : <Address email={name} />
    },
  },
  { title: "Reason", cell: ({ reason }) => REASON_WORDS.get(reason) },
  {
    title: "Source",
    class: "soft break",
    cell: ({ source, note }) => (
      <>
        {source}
        {note && (
          <div class="small" title={note}>
            {note.slice(0, NOTE_SHOWN)}
          </div>
        )}
      </>
    ),
  },
  { title: "Added", cell: ({ suppressed_at }) => <Ago at={suppressed_at} /> },
  {
    title: "Until",
    cell: ({ expires_at: at }) =>
      at === null ? <span class="soft">permanently</span> : <span title={moment(at)}>{day(at)}</span>,
  },
  { title: "", cell: (entry) => nameOf(entry) !== null && <Remove of={entry} onChange={onChange} /> },
]

function Remove({ of: { email, domain, reason }, onChange }: { of: Entry; onChange: () => void }) {
  const path = domain === null ? `/suppression/${encodeURIComponent(email ?? "")}` : domainPath(domain)
  return (
    <Confirm
      label="Remove"
      title={`Remove ${domain === null ? email : `the domain ${domain}`}?`}
      danger
      onConfirm={() => change(path, { method: "DELETE" }, onChange)}
    >
      <p>
        {domain === null
          ? consequence(reason)
          : "You can send to its addresses again, unless they are on the list themselves."}
      </p>
    </Confirm>
  )
}

const domainPath = (domain: string): string => `/suppression/domains/${encodeURIComponent(domain)}`

function consequence(reason: SuppressionReason): string {
  const isReport = reason === "hard_bounce" || reason === "spam_complaint"
  return isReport
    ? "You can send to it again. What you reported about it is withdrawn, too."
    : "You can send to it again."
}

/** The API's exact search: an address, or "@" and a domain. */
function searchOf(subject: string): string {
  if (subject === "" || (subject.lastIndexOf("@") > 0 && !subject.startsWith("*@"))) return subject
  return `@${subject.replace(/^\*?@/, "")}`
}

/** The API's end is exclusive: the day after the last one. */
function untilOf(lastDay: string): string {
  const at = Date.parse(lastDay)
  return Number.isNaN(at) ? "" : new Date(at + DAY_MS).toISOString().slice(0, 10)
}
