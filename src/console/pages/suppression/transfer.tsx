import { useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import type { Imported } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { FileButton } from "../../parts/file-button.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { count } from "../../words.ts"
import { REASONS } from "./reasons.ts"

/** Rejected rows shown in detail. */
const MAX_SHOWN = 5

export function Transfer({ onChange }: { onChange: () => void }) {
  const [reason, setReason] = useState<SuppressionReason>("manual")
  const [imported, setImported] = useState<Imported | null>(null)
  const add = useAction(async (file: File) => {
    setImported(null)
    const query = new URLSearchParams({ reason, source: "import" })
    const answer = await call<Imported>(`/suppression/import?${query}`, {
      method: "POST",
      body: file,
      contentType: "text/csv",
    })
    if (!answer.ok) return answer.problem
    setImported(answer.body)
    onChange()
    return null
  })
  const save = useAction(() => saveFile("/suppression/export", "suppressions.csv"))
  return (
    <Panel
      title="Import and export"
      note="CSV with an email column; a header can add domain (*@example.com), reason, source, and expires_in_days or expires_at"
    >
      <div class="row end">
        <Select label="Reason for rows without one" value={reason} options={REASONS} onValue={setReason} />
        <FileButton label="Import CSV" accept=".csv,.txt" busy={add.busy} onFile={(file) => void add.run(file)} />
        <button type="button" class="button" aria-disabled={save.busy} onClick={() => void save.run()}>
          Export CSV
        </button>
      </div>
      <ProblemNotice problem={add.problem ?? save.problem} />
      {imported && (
        <Notice tone={imported.rejected.length > 0 ? "accept_all" : "valid"} title={titleOf(imported)}>
          {imported.rejected.length > 0 && (
            <ul class="small">
              {imported.rejected.slice(0, MAX_SHOWN).map(({ row, reason }) => (
                <li key={row}>
                  Row {row}: {reason}
                </li>
              ))}
            </ul>
          )}
        </Notice>
      )}
    </Panel>
  )
}

function titleOf({ added, updated, kept, duplicates, rejected }: Imported): string {
  const known = kept + duplicates
  return `${count(added)} added, ${count(updated)} updated, ${count(known)} known, ${count(rejected.length)} rejected`
}
