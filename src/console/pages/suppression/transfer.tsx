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

/** Rows left out that are named; the answer counts them all. */
const NAMED = 5

export function Transfer({ onChange }: { onChange: () => void }) {
  const [reason, setReason] = useState<SuppressionReason>("manual")
  const [imported, setImported] = useState<Imported | null>(null)
  const take = useAction(async (file: File) => {
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
  const give = useAction(() => saveFile("/suppression/export", "suppressions.csv"))
  return (
    <Panel
      title="In and out"
      note="CSV with a column of addresses; with a header also reason, source and expires_in_days or expires_at"
    >
      <div class="row end">
        <Select label="Reason of rows without one" value={reason} options={REASONS} onValue={setReason} />
        <FileButton label="Import CSV" accept=".csv,.txt" busy={take.busy} onFile={(file) => void take.run(file)} />
        <button type="button" class="button" aria-disabled={give.busy} onClick={() => void give.run()}>
          Export CSV
        </button>
      </div>
      <ProblemNotice problem={take.problem ?? give.problem} />
      {imported && (
        <Notice
          tone={imported.rejected.length > 0 ? "accept_all" : "valid"}
          title={`Suppressed: ${count(imported.added)}; left out: ${count(imported.rejected.length)}`}
        >
          {imported.rejected.length > 0 && (
            <ul class="small">
              {imported.rejected.slice(0, NAMED).map(({ row, reason }) => (
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
