import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { type Answer, call, change, invalid, saveFile, useAction } from "../../api/call.ts"
import type { Imported } from "../../api/shapes.ts"
import { ActionButton, Button } from "../../parts/buttons.tsx"
import { FileRows } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Form, FormFields, useForm } from "../../parts/form.tsx"
import { Panel } from "../../parts/page.tsx"
import { Notice } from "../../parts/text.tsx"
import { asSentence, count, rows } from "../../words.ts"
import { REASONS, readTable, type Subject, subjectsIn, subjectText, type TablePreview } from "./subjects.ts"

const WHOLE = /^[1-9]\d*$/
/** JSON would turn an invalid number into null, which suppresses permanently. */
const NO_DAYS = invalid("Days must be a whole number. Leave it empty to suppress permanently.", "days")

export function AddSuppression({ onChange }: { onChange: () => void }) {
  const [done, setDone] = useState<Done | null>(null)
  const form = useForm(
    {
      email: {
        label: "Addresses or domains, one per line",
        kind: "lines",
        hint: "example.com suppresses every address at that domain.",
        required: true,
      },
      reason: { label: "Reason", options: REASONS },
      days: { label: "Days", kind: "numeric", placeholder: "permanently" },
    },
    async ({ email: text, reason, days: period }) => {
      setDone(null)
      if (period !== "" && !WHOLE.test(period)) return NO_DAYS
      const subjects = subjectsIn(text)
      const [first] = subjects
      if (!first) return null
      const terms = { reason, period }
      const answer = await (subjects.length === 1 ? addOne(first, terms) : addAll(subjects, terms))
      if (!answer.ok) return answer.problem
      const faulty = "rejected" in answer.body ? answer.body.rejected.map(({ row }) => textOfRow(subjects, row)) : []
      setDone({ answer: answer.body, subjects })
      form.set({ email: faulty.join("\n") })
      onChange()
      return null
    },
  )
  return (
    <Panel title="Add">
      <Form of={form} submit="Add" names={["email"]}>
        <div class="row end">
          <FormFields of={form} names={["reason", "days"]} />
        </div>
      </Form>
      {done && <Outcome {...done} />}
    </Panel>
  )
}

type Added = Imported | { readonly message: string }

interface Done {
  readonly answer: Added
  readonly subjects: readonly Subject[]
}

/** What was added. Faulty lines are named by their text, and stay in the form to be corrected. */
function Outcome({ answer, subjects }: Done) {
  if (!("rejected" in answer)) return <Notice tone="valid" title={asSentence(answer.message)} />
  return <ImportOutcome imported={answer} nameOf={(row) => textOfRow(subjects, row)} />
}

/** @param row of the table that `addAll` sends, counted from 1 with its header */
const textOfRow = (subjects: readonly Subject[], row: number): string => subjectText(subjects[row - 2]!)

interface Terms {
  readonly reason: SuppressionReason
  /** Days; empty without an end. */
  readonly period: string
}

function addOne(subject: Subject, { reason, period }: Terms): Promise<Answer<Added>> {
  const expires = period === "" ? {} : { expires_in_days: Number(period) }
  const json = { ...subject, reason, source: "console", ...expires }
  return call<{ message: string }>("/suppression/add", { method: "POST", json, labels: { email: "Address" } })
}

/** Sends a table, because the service reports each of its rows. */
function addAll(subjects: readonly Subject[], { reason, period }: Terms) {
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
  const rows = subjects.map((one) =>
    "email" in one ? [cell(one.email), "", period] : ["", cell(`*@${one.domain}`), period],
  )
  const body = [["email", "domain", "expires_in_days"], ...rows].map((row) => row.join(",")).join("\r\n")
  const query = new URLSearchParams({ reason, source: "console" })
  return call<Imported>(`/suppression/import?${query}`, { method: "POST", body, contentType: "text/csv" })
}

interface Chosen {
  readonly file: File
  readonly preview: TablePreview
}

export function Transfer({ onChange }: { onChange: () => void }) {
  const [reason, setReason] = useState<SuppressionReason>("manual")
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [imported, setImported] = useState<Imported | null>(null)
  const read = useAction(async (file: File) => {
    setImported(null)
    setChosen({ file, preview: await readTable(await file.text()) })
    return null
  })
  function add({ file }: Chosen) {
    const query = new URLSearchParams({ reason, source: "import" })
    const init = { method: "POST", body: file, contentType: "text/csv" } as const
    return change<Imported>(`/suppression/import?${query}`, init, (answer) => {
      setChosen(null)
      setImported(answer)
      onChange()
    })
  }
  return (
    <Panel title="Import and export" note="CSV; the export can be imported again">
      <div class="row end">
        <FileButton label="Import CSV" accept=".csv,.txt" busy={read.busy} onFile={(file) => void read.run(file)} />
        <ActionButton label="Export CSV" onAct={() => saveFile("/suppression/export", "suppressions.csv")} />
      </div>
      {chosen && (
        <ImportPreview name={chosen.file.name} preview={chosen.preview}>
          <Select label="Reason for rows without a known one" value={reason} options={REASONS} onValue={setReason} />
          <ActionButton label="Import" class="button primary" onAct={() => add(chosen)} />
          <Button label="Cancel" class="button quiet" onClick={() => setChosen(null)} />
        </ImportPreview>
      )}
      {imported && <ImportOutcome imported={imported} />}
    </Panel>
  )
}

interface FileButtonProps {
  readonly label: string
  readonly accept: string
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

function FileButton({ label, accept, busy, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="button" aria-disabled={busy} onClick={() => busy || input.current?.click()}>
        {busy ? "Reading" : label}
      </button>
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          if (file) onFile(file)
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}

interface ImportPreviewProps {
  readonly name: string
  readonly preview: TablePreview
  readonly children: ComponentChildren
}

/** The first rows of a file before it is imported. The columns that count are marked. */
function ImportPreview({ name, preview: { columns, firstRows, rows: total, read }, children }: ImportPreviewProps) {
  const used = columns.filter((_, n) => read.has(n))
  return (
    <section class="stack" aria-label="Preview">
      <p>
        <b class="break">{name}</b>: {rows(total)}.{" "}
        {used.length > 0 ? `Read from it: ${used.join(", ")}.` : "No column with addresses or domains was found."}
      </p>
      <FileRows columns={columns} rows={firstRows} isPicked={(n) => read.has(n)} />
      <div class="row end">{children}</div>
    </section>
  )
}

/** Rejected rows and unknown reasons shown in detail. */
const MAX_SHOWN = 20

interface ImportOutcomeProps {
  readonly imported: Imported
  /** Names a rejected row. @param row counted from 1, with the header */
  readonly nameOf?: (row: number) => string
}

/** What an import did, the reasons that it does not know, and the rows it rejected. */
function ImportOutcome({ imported, nameOf = (row) => `Row ${row}` }: ImportOutcomeProps) {
  const { rejected, unknown_reasons: unknown } = imported
  const more = rejected.length - MAX_SHOWN
  return (
    <Notice tone={rejected.length + unknown.length > 0 ? "accept_all" : "valid"} title={titleOf(imported)}>
      {unknown.length > 0 && (
        <>
          <p class="small">Reasons without a known meaning. Their entries have these words as a note.</p>
          <ul class="small">
            {unknown.slice(0, MAX_SHOWN).map(({ reason, rows: times }) => (
              <li key={reason} class="break">
                {reason}: {rows(times)}
              </li>
            ))}
            {unknown.length > MAX_SHOWN && <li>and {count(unknown.length - MAX_SHOWN)} more</li>}
          </ul>
        </>
      )}
      {rejected.length > 0 && (
        <ul class="small">
          {rejected.slice(0, MAX_SHOWN).map(({ row, reason }) => (
            <li key={row} class="break">
              {nameOf(row)}: {reason}
            </li>
          ))}
          {more > 0 && <li>and {count(more)} more</li>}
        </ul>
      )}
    </Notice>
  )
}

function titleOf({ added, updated, kept, duplicates, rejected }: Imported): string {
  const known = kept + duplicates
  return `${count(added)} added, ${count(updated)} updated, ${count(known)} known, ${count(rejected.length)} rejected`
}
