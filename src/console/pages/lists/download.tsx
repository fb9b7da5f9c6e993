import { useState } from "preact/hooks"
import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import type { Job } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"

/** The filters of the API. */
const FILTERS = [
  ["all", "All rows"],
  ["can_send", "Can send only"],
  ["valid", "Valid only"],
  ["risky", "Risky only"],
  ["accept_all", "Accept-all only"],
  ["disposable", "Disposable only"],
  ["unknown", "Unknown only"],
  ["invalid", "Invalid only"],
] as const
/** The formats of the API. */
const FORMATS = [
  ["csv", "CSV"],
  ["xlsx", "Excel"],
  ["json", "JSON"],
  ["ndjson", "JSON lines"],
] as const
type Format = (typeof FORMATS)[number][0]
type Filter = (typeof FILTERS)[number][0]

/** Downloads the rows as a file that is named after the uploaded file. */
export function Download({ job: { job_id: jobId, file_name: fileName } }: { job: Job }) {
  const [filter, setFilter] = useState<Filter>("all")
  const [format, setFormat] = useState<Format>("csv")
  const { busy, problem, run } = useAction(() =>
    saveFile(
      `/bulk/download/${encodeURIComponent(jobId)}?filter=${filter}&format=${format}`,
      `${fileName?.replace(/\.[^.]*$/, "") || jobId}-${filter}.${format}`,
    ),
  )
  return (
    <>
      <Select label="Download" value={filter} options={FILTERS} onValue={setFilter} />
      <Select label="Format" value={format} options={FORMATS} onValue={setFormat} />
      <button type="button" class="button primary" aria-disabled={busy} onClick={() => void run()}>
        {busy ? "Preparing" : `Download ${new Map(FORMATS).get(format)}`}
      </button>
      <ProblemNotice problem={problem} />
    </>
  )
}
