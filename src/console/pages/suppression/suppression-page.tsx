import { useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { change, invalid, useGet, usePaged } from "../../api/call.ts"
import type { SuppressionPage as Entries, Suppressed, SuppressionStats } from "../../api/shapes.ts"
import { Confirm } from "../../parts/buttons.tsx"
import { type Column, LoadedTablePanel } from "../../parts/data-table.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { Address, Ago, Notice, type TileEntry, Tiles } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count, day, moment } from "../../words.ts"
import { AddSuppression, Transfer } from "./add.tsx"
import { REASON_WORDS, REASONS } from "./subjects.ts"

export const SuppressionPage = page(Lists, {
  title: "Suppression",
  lead: "Addresses and domains to which you must not send: bounces, complaints and unsubscribes. Verifications check this list.",
  access: "account",
})

function Lists() {
  const [version, setVersion] = useState(0)
  const load = useGet<SuppressionStats>("/suppression/stats")
  function handleChange() {
    load.reload()
    setVersion(version + 1)
  }
  return (
    <>
      <Loaded of={load} lines={2}>
        {(stats) => <Tiles tiles={tilesOf(stats)} />}
      </Loaded>
      <div class="columns">
        <AddSuppression onChange={handleChange} />
        <CheckSuppression onChange={handleChange} />
      </div>
      <SuppressedEntries version={version} onChange={handleChange} />
      <Transfer onChange={handleChange} />
    </>
  )
}

function tilesOf({ total, temporary, added_last_30_days, by_reason }: SuppressionStats): readonly TileEntry[] {
  const reasons = REASONS.filter(([reason]) => by_reason[reason] > 0)
  return [
    ["On the list", count(total), temporary > 0 ? `${count(temporary)} temporary` : ""],
    ["Added in 30 days", count(added_last_30_days)],
    ...reasons.map(([reason, words]) => [words, count(by_reason[reason])] as const),
  ]
}

function CheckSuppression({ onChange }: { onChange: () => void }) {
  const [found, setFound] = useState<Suppressed | null>(null)
  const form = useForm({ email: { label: "Address to check", kind: "email", required: true } }, (typed, labels) => {
    setFound(null)
    return change<Suppressed>(`/suppression/check?${new URLSearchParams(typed)}`, { labels }, setFound)
  })
  const remove = (path: string) =>
    change(path, { method: "DELETE" }, () => {
      onChange()
      form.submit()
    })
  return (
    <Panel title="Check an address">
      <Form of={form} submit="Check" layout="row" />
      {found && !found.is_suppressed && (
        <Notice tone="valid" title="Not on the list">
          <p class="break">You can send to {found.email}.</p>
        </Notice>
      )}
      {found?.is_suppressed && (
        <Notice
          tone="accept_all"
          title={`On the list: ${(REASON_WORDS.get(found.reason ?? "manual") ?? "").toLowerCase()}`}
        >
          <p class="break">{detailsOf(found)}</p>
          {found.list === "account" && found.domain === null && (
            <Confirm
              label="Remove"
              title={`Remove ${found.email} from the list?`}
              danger
              onConfirm={() => remove(`/suppression/${encodeURIComponent(found.email)}`)}
              text={found.entries.length > 1 ? "Another entry still suppresses it." : "You can send to it again."}
            />
          )}
          {found.list === "account" && found.domain !== null && (
            <Confirm
              label="Remove the domain"
              title={`Remove ${found.domain} from the list?`}
              danger
              onConfirm={() => remove(`/suppression/domains/${encodeURIComponent(found.domain ?? "")}`)}
              text="You can send to its addresses again, unless they are on the list themselves."
            />
          )}
        </Notice>
      )}
    </Panel>
  )
}

function detailsOf({ email, suppressed_at, expires_at, source, list, domain }: Suppressed): string {
  const since = suppressed_at ? ` since ${moment(suppressed_at)}` : ""
  const until = expires_at ? `, until ${moment(expires_at)}` : ", permanently"
  const by = source ? `, by ${source}` : ""
  return `${email}${since}${until}${by}${list === "operator" ? " (list of the whole service)" : ""}${domain === null ? "" : `, with every address at ${domain}`}.`
}

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
    <LoadedTablePanel
      title="Suppressed addresses and domains"
      of={load}
      isStacked
      rows={({ suppressions }) => suppressions}
      rowKey={({ domain, email }, n) => domain ?? email ?? n}
      columns={columnsOf(onChange)}
      empty={
        isFiltered
          ? ["No entry matches", "The search needs the whole address, or the whole domain: a part of it finds nothing."]
          : ["The list is empty", "Add addresses above, import a file, or connect your sending provider."]
      }
    >
      {(isFiltered || !isEmpty) && (
        <div class="row top">
          <Find subject={subject} busy={load.isStale} onFind={setSubject} />
          <Select label="Reason" value={reason} options={[["", "All"], ...REASONS]} onValue={setReason} />
          <Field kind="date" label="Added from" value={from} onValue={setFrom} />
          <Field kind="date" label="Added until" value={to} onValue={setTo} />
        </div>
      )}
    </LoadedTablePanel>
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

const IS_PART = invalid(
  "Enter the whole address or the whole domain, such as example.com. A part of it finds nothing.",
  "subject",
)

const NOTE_SHOWN = 100

/** What an entry suppresses; null for an erased address. */
const nameOf = ({ email, domain }: Entry): string | null => (domain === null ? email : `Every address at ${domain}`)

const columnsOf = (onChange: () => void): readonly Column<Entry>[] => [
  [
    "Address or domain",
    (entry) => {
      const name = nameOf(entry)
      return name === null ? <span class="soft">erased address</span> : <Address email={name} />
    },
    "break",
  ],
  ["Reason", ({ reason }) => REASON_WORDS.get(reason)],
  [
    "Source",
    ({ source, note }) => (
      <>
        {source}
        {note && (
          <div class="small" title={note}>
            {note.slice(0, NOTE_SHOWN)}
          </div>
        )}
      </>
    ),
    "soft break",
  ],
  ["Added", ({ suppressed_at }) => <Ago at={suppressed_at} />],
  [
    "Until",
    ({ expires_at: at }) =>
      at === null ? <span class="soft">permanently</span> : <span title={moment(at)}>{day(at)}</span>,
  ],
  ["", (entry) => nameOf(entry) !== null && <Remove of={entry} onChange={onChange} />],
]

function Remove({ of: { email, domain, reason }, onChange }: { of: Entry; onChange: () => void }) {
  const path = domain === null ? `/suppression/${encodeURIComponent(email ?? "")}` : domainPath(domain)
  return (
    <Confirm
      label="Remove"
      title={`Remove ${domain === null ? email : `the domain ${domain}`}?`}
      danger
      onConfirm={() => change(path, { method: "DELETE" }, onChange)}
      text={
        domain === null
          ? consequence(reason)
          : "You can send to its addresses again, unless they are on the list themselves."
      }
    />
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
