import { useState } from "preact/hooks"
import { useGet } from "../../api/load.ts"
import type { Job, JobsPage, ListComparison } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { AddressLink } from "../../parts/text.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { count, moment, STATUS_WORDS } from "../../words.ts"
import { listName } from "./watch.ts"

/** Lists of the account that are looked through for earlier ones. */
const SEARCHED = 100

/** Compares a list with an earlier one: with the last of the same name, or with the one that is chosen. */
export function Compare({ job }: { job: Job }) {
  const lists = useGet<JobsPage>(`/bulk/jobs?limit=${SEARCHED}`, { version: job.job_id })
  const [chosen, setChosen] = useState<string | null>(null)
  const earlier = lists.state === "ready" ? earlierThan(job, lists.value.jobs) : []
  const sameName = earlier.find(({ file_name }) => file_name !== null && file_name === job.file_name)
  const other = chosen ?? sameName?.job_id ?? ""
  if (earlier.length === 0) return null
  const options = [["", "Choose a list"] as const, ...earlier.map((one) => [one.job_id, optionWords(one)] as const)]
  return (
    <Panel title="Compare with an earlier list">
      <div class="row end">
        <Select label="Earlier list" value={other} options={options} onValue={setChosen} />
      </div>
      {other !== "" && <Comparison key={other} jobId={job.job_id} other={other} />}
    </Panel>
  )
}

/** Several lists may have the same file name. */
const optionWords = (job: Job): string =>
  job.file_name === null ? listName(job) : `${job.file_name}, ${moment(job.submitted_at)}`

const earlierThan = ({ job_id, submitted_at }: Job, jobs: readonly Job[]): readonly Job[] =>
  jobs.filter((one) => one.job_id !== job_id && one.submitted_at <= submitted_at && one.completed_at !== null)

function Comparison({ jobId, other }: { jobId: string; other: string }) {
  const query = new URLSearchParams({ with: other })
  const load = useGet<ListComparison>(`/bulk/${encodeURIComponent(jobId)}/compare?${query}`)
  return (
    <Loaded of={load}>
      {({ same, changed, added, gone, examples }) => (
        <div class="stack">
          <Tiles
            tiles={[
              { name: "Same result", value: count(same) },
              { name: "Another result", value: count(changed) },
              { name: "New addresses", value: count(added) },
              { name: "No longer in the list", value: count(gone) },
            ]}
          />
          {examples.length > 0 && <Examples examples={examples} all={changed + added} />}
        </div>
      )}
    </Loaded>
  )
}

type Example = ListComparison["examples"][number]

function Examples({ examples, all }: { examples: readonly Example[]; all: number }) {
  return (
    <>
      <DataTable
        label="Changed and new addresses"
        rows={examples.slice(0, SHOWN)}
        rowKey={({ email }) => email}
        columns={[
          { title: "Address", class: "break", cell: ({ email }) => <AddressLink email={email} /> },
          {
            title: "Then",
            class: "soft",
            cell: ({ before, is_new }) => (is_new ? "new" : before === null ? "no result" : STATUS_WORDS[before]),
          },
          {
            title: "Now",
            cell: ({ now }) => (now === null ? <span class="soft">no result</span> : <StatusBadge status={now} />),
          },
        ]}
      />
      {all > SHOWN && (
        <p class="soft small">
          The first {count(Math.min(SHOWN, examples.length))} of {count(all)}.
        </p>
      )}
    </>
  )
}

const SHOWN = 25
