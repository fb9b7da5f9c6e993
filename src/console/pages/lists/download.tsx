import { useState } from "preact/hooks"
import { useAction } from "../../api/load.ts"
import { saveFile } from "../../api/save-file.ts"
import type { Job } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { counted } from "../../words.ts"
import type { Filter } from "./filters.ts"

/** The formats of the API. */
const FORMATS = [
  ["csv", "CSV"],
  ["xlsx", "Excel"],
  ["json", "JSON"],
  ["ndjson", "JSON lines"],
] as const
type Format = (typeof FORMATS)[number][0]

interface DownloadProps {
  readonly job: Job
  readonly filter: Filter
}

/** Downloads the rows as a file that is named after the uploaded file. Only "All rows" keeps duplicates. */
export function Download({ job: { job_id: jobId, file_name: fileName, partial }, filter }: DownloadProps) {
  const [format, setFormat] = useState<Format>("csv")
  const { busy, problem, run } = useAction(() => {
    const query = new URLSearchParams({ filter, format, unique: String(filter !== "all") })
    const name = `${fileName?.replace(/\.[^.]*$/, "") || jobId}-${filter}${partial ? "-partial" : ""}.${format}`
    return saveFile(`/bulk/download/${encodeURIComponent(jobId)}?${query}`, name)
  })
  const label = `Download ${new Map(FORMATS).get(format)}${partial ? " so far" : ""}`
  return (
    <>
      <Select label="Format" value={format} options={FORMATS} onValue={setFormat} />
      <button type="button" class="button primary" aria-disabled={busy} onClick={() => void run()}>
        {busy ? "Preparing" : label}
      </button>
      <ProblemNotice problem={problem} />
    </>
  )
}

/** What the file has that the table does not show, or the reverse. @param needle the text that the table is searched for */
export function fileNotes({ job, filter, needle }: DownloadProps & { needle: string }): string {
  const { partial, deduplicated } = job
  return [
    partial && "The list still runs: the file has the results so far.",
    deduplicated > 0 &&
      (filter === "all"
        ? `The file has every row of the upload, with ${counted(deduplicated, "duplicate")}.`
        : "The file has each address once: duplicate rows are left out. “All rows” keeps them."),
    needle !== "" && `The file is not limited to “${needle}”.`,
  ]
    .filter(Boolean)
    .join(" ")
}
