import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { change } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import type { Imported } from "../../api/shapes.ts"
import { ActionButton, Button, FileButton } from "../../parts/buttons.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { count, rows } from "../../words.ts"
import { REASONS } from "./subjects.ts"
import { readTable, type TablePreview } from "./table-preview.ts"

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

interface ImportPreviewProps {
  readonly name: string
  readonly preview: TablePreview
  /** What to do with the file. */
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
      <DataTable
        label="First rows of the file"
        rows={firstRows}
        rowKey={(_, n) => n}
        columns={columns.map((column, n) => ({
          title: column,
          class: read.has(n) ? "picked break" : "soft break",
          cell: (cells: readonly string[]) => cells[n],
        }))}
      />
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
export function ImportOutcome({ imported, nameOf = (row) => `Row ${row}` }: ImportOutcomeProps) {
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
