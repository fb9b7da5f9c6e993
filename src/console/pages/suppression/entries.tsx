import { useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { call, type Problem } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { SuppressionPage as Entries } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { DateField, Field, Select, SubmitButton } from "../../parts/field.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Pager, type Pages, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Address, Ago } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { day, moment } from "../../words.ts"
import { REASON_WORDS, REASONS } from "./reasons.ts"

type Entry = Entries["suppressions"][number]

const LABELS = { search: "Address or domain", from: "Added from", to: "Added until" }
const DAY_MS = 86_400_000

/** The list itself, newest first, with filters. @param version changes when another part changed the list */
export function SuppressedEntries({ version, onChange }: { version: number; onChange: () => void }) {
  const [subject, setSubject] = useChoice("find")
  const [reason, setReason] = useChoice("reason")
  const [from, setFrom] = useChoice("from")
  const [to, setTo] = useChoice("to")
  const pages = usePages()
  const { cursor } = pages
  const filters = { ...searchOf(subject), ...(reason ? { reason } : {}), ...(from ? { from } : {}), ...untilOf(to) }
  const query = new URLSearchParams({ limit: "25", ...filters, ...(cursor ? { cursor } : {}) })
  const load = useLoad(
    `suppressed ${version} ${query}`,
    (signal) => call<Entries>(`/suppression?${query}`, { signal, labels: LABELS }),
    { keepPrevious: true },
  )
  const restartWith = (set: (value: string) => void) => (value: string) => {
    set(value)
    pages.restart()
  }
  const isFiltered = Object.keys(filters).length > 0
  const isEmpty = load.state === "ready" && load.value.suppressions.length === 0
  return (
    <Panel title="Suppressed addresses and domains">
      {(isFiltered || !isEmpty) && (
        <div class="row top">
          <Find key={subject} subject={subject} busy={load.isStale} onFind={restartWith(setSubject)} />
          <Select
            label="Reason"
            value={reason}
            options={[["", "All"] as const, ...REASONS]}
            onValue={restartWith(setReason)}
          />
          <DateField label="Added from" value={from} onValue={restartWith(setFrom)} />
          <DateField label="Added until" value={to} onValue={restartWith(setTo)} />
        </div>
      )}
      <Table load={load} pages={pages} isFiltered={isFiltered} onChange={onChange} />
    </Panel>
  )
}

interface FindProps {
  readonly subject: string
  readonly busy: boolean
  readonly onFind: (subject: string) => void
}

/** An exact search: the service stores hashes of the addresses to search by. */
function Find({ subject, busy, onFind }: FindProps) {
  const [entered, setEntered] = useState(subject)
  const [isPart, setPart] = useState(false)
  return (
    <form
      class="row end grow"
      onSubmit={(event) => {
        event.preventDefault()
        const text = entered.trim()
        const isWhole = text === "" || /[@.]/.test(text)
        setPart(!isWhole)
        if (isWhole) onFind(text)
      }}
    >
      <Field
        label="Address or domain"
        placeholder="the whole address, or example.com"
        value={entered}
        onValue={setEntered}
      />
      <SubmitButton label="Search" busy={busy} />
      <p role="alert" class="small fault">
        {isPart ? "Enter the whole address or the whole domain, such as example.com. A part of it finds nothing." : ""}
      </p>
    </form>
  )
}

interface TableProps {
  readonly load: Load<Entries>
  readonly pages: Pages
  readonly isFiltered: boolean
  readonly onChange: () => void
}

function Table({ load, pages, isFiltered, onChange }: TableProps) {
  return (
    <Loaded of={load}>
      {({ suppressions, next_cursor: next }) => (
        <>
          {suppressions.length === 0 ? (
            <Empty title={isFiltered ? "No entry matches" : "The list is empty"}>
              <p>
                {isFiltered
                  ? "The search needs the whole address, or the whole domain: a part of it finds nothing."
                  : "Add addresses above, import a file, or connect your sending provider."}
              </p>
            </Empty>
          ) : (
            <Scroll label="Suppressed addresses and domains">
              <table class="table stacked">
                <thead>
                  <tr>
                    <th>Address or domain</th>
                    <th>Reason</th>
                    <th>Source</th>
                    <th>Added</th>
                    <th>Until</th>
                    <th>
                      <span class="unseen">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {suppressions.map((entry, n) => (
                    <Row key={`${entry.domain ?? entry.email ?? n}`} entry={entry} onChange={onChange} />
                  ))}
                </tbody>
              </table>
            </Scroll>
          )}
          <Pager pages={pages} next={next} busy={load.isStale} />
        </>
      )}
    </Loaded>
  )
}

const NOTE_SHOWN = 100

function Row({ entry: { email, domain, reason, source, note, suppressed_at, expires_at }, onChange }: RowProps) {
  const path =
    domain === null
      ? `/suppression/${encodeURIComponent(email ?? "")}`
      : `/suppression/domains/${encodeURIComponent(domain)}`
  async function remove(): Promise<Problem | null> {
    const answer = await call(path, { method: "DELETE" })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  const name = domain === null ? email : `Every address at ${domain}`
  return (
    <tr>
      <td class="break">{name === null ? <span class="soft">erased address</span> : <Address email={name} />}</td>
      <td data-name="Reason">{REASON_WORDS.get(reason)}</td>
      <td class="soft break" data-name="Source">
        {source}
        {note && (
          <div class="small" title={note}>
            {note.slice(0, NOTE_SHOWN)}
          </div>
        )}
      </td>
      <td data-name="Added">
        <Ago at={suppressed_at} />
      </td>
      <td data-name="Until">
        {expires_at === null ? (
          <span class="soft">permanently</span>
        ) : (
          <span title={moment(expires_at)}>{day(expires_at)}</span>
        )}
      </td>
      <td>
        {name !== null && (
          <div class="actions">
            <Confirm
              label="Remove"
              title={`Remove ${domain === null ? name : `the domain ${domain}`}?`}
              danger
              onConfirm={remove}
            >
              <p>
                {domain === null
                  ? consequence(reason)
                  : "You can send to its addresses again, unless they are on the list themselves."}
              </p>
            </Confirm>
          </div>
        )}
      </td>
    </tr>
  )
}

interface RowProps {
  readonly entry: Entry
  readonly onChange: () => void
}

function consequence(reason: SuppressionReason): string {
  const isReport = reason === "hard_bounce" || reason === "spam_complaint"
  return isReport
    ? "You can send to it again. What you reported about it is withdrawn, too."
    : "You can send to it again."
}

/** The API's exact search: an address, or "@" and a domain. */
function searchOf(subject: string): { search?: string } {
  if (subject === "") return {}
  return {
    search: subject.lastIndexOf("@") > 0 && !subject.startsWith("*@") ? subject : `@${subject.replace(/^\*?@/, "")}`,
  }
}

/** The API's end is exclusive: the day after the last one. */
function untilOf(lastDay: string): { to?: string } {
  const at = Date.parse(lastDay)
  return Number.isNaN(at) ? {} : { to: new Date(at + DAY_MS).toISOString().slice(0, 10) }
}
