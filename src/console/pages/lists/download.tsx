import { useState } from "preact/hooks"
import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import type { Job } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"

/** The filters of the API. */
const FILTERS = [
  ["all", "All rows"],
  ["valid", "Valid only"],
  ["invalid", "Invalid only"],
  ["accept_all", "Accept-all only"],
  ["disposable", "Disposable only"],
] as const
type Filter = (typeof FILTERS)[number][0]

/** Downloads the rows as a file that is named after the uploaded file. */
export function Download({ job: { job_id: jobId, file_name: fileName } }: { job: Job }) {
  const [filter, setFilter] = useState<Filter>("all")
  const { busy, problem, run } = useAction(() =>
    saveFile(
      `/bulk/download/${encodeURIComponent(jobId)}?filter=${filter}`,
      `${fileName?.replace(/\.[^.]*$/, "") || jobId}-${filter}.csv`,
    ),
  )
  return (
    <>
      <Select label="Download" value={filter} options={FILTERS} onValue={setFilter} />
      <button type="button" class="button primary" aria-disabled={busy} onClick={() => void run()}>
        {busy ? "Preparing" : "Download CSV"}
      </button>
      <ProblemNotice problem={problem} />
    </>
  )
}
