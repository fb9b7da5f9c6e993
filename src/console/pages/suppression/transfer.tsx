import { useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import type { Imported } from "../../api/shapes.ts"
import { FileButton } from "../../parts/buttons.tsx"
import { Select } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { ImportOutcome } from "./import-outcome.tsx"
import { ImportPreview } from "./import-preview.tsx"
import { REASONS } from "./reasons.ts"
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
  const add = useAction(async ({ file }: Chosen) => {
    const query = new URLSearchParams({ reason, source: "import" })
    const init = { method: "POST", body: file, contentType: "text/csv" } as const
    const answer = await call<Imported>(`/suppression/import?${query}`, init)
    if (!answer.ok) return answer.problem
    setChosen(null)
    setImported(answer.body)
    onChange()
    return null
  })
  const save = useAction(() => saveFile("/suppression/export", "suppressions.csv"))
  return (
    <Panel title="Import and export" note="CSV; the export can be imported again">
      <div class="row end">
        <FileButton label="Import CSV" accept=".csv,.txt" busy={read.busy} onFile={(file) => void read.run(file)} />
        <button type="button" class="button" aria-disabled={save.busy} onClick={() => void save.run()}>
          Export CSV
        </button>
      </div>
      {chosen && (
        <ImportPreview name={chosen.file.name} preview={chosen.preview}>
          <Select label="Reason for rows without a known one" value={reason} options={REASONS} onValue={setReason} />
          <button
            type="button"
            class="button primary"
            aria-disabled={add.busy}
            onClick={() => !add.busy && void add.run(chosen)}
          >
            Import
          </button>
          <button type="button" class="button quiet" onClick={() => setChosen(null)}>
            Cancel
          </button>
        </ImportPreview>
      )}
      <ProblemNotice problem={add.problem ?? save.problem} />
      {imported && <ImportOutcome imported={imported} />}
    </Panel>
  )
}
