import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { Job, JobsPage, ListComparison } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Select } from "../../parts/field.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Address } from "../../parts/text.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { verifyLink } from "../../route.ts"
import { count, moment, STATUS_WORDS } from "../../words.ts"
import { listName } from "./list-name.ts"

/** Lists of the account that are looked through for earlier ones. */
const SEARCHED = 100

/** Compares a list with an earlier one: with the last of the same name, or with the one that is chosen. */
export function Compare({ job }: { job: Job }) {
  const lists = useLoad(`earlier than ${job.job_id}`, (signal) =>
    call<JobsPage>(`/bulk/jobs?limit=${SEARCHED}`, { signal }),
  )
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
  const load: Load<ListComparison> = useLoad(`compare ${jobId} ${other}`, (signal) =>
    call<ListComparison>(`/bulk/${encodeURIComponent(jobId)}/compare?${query}`, { signal }),
  )
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
      <Scroll label="Changed and new addresses">
        <table class="table">
          <thead>
            <tr>
              <th>Address</th>
              <th>Then</th>
              <th>Now</th>
            </tr>
          </thead>
          <tbody>
            {examples.slice(0, SHOWN).map(({ email, before, now, is_new }) => (
              <tr key={email}>
                <td class="break">
                  <a href={verifyLink(email)}>
                    <Address email={email} />
                  </a>
                </td>
                <td class="soft">{is_new ? "new" : before === null ? "no result" : STATUS_WORDS[before]}</td>
                <td>{now === null ? <span class="soft">no result</span> : <StatusBadge status={now} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {all > SHOWN && (
        <p class="soft small">
          The first {count(Math.min(SHOWN, examples.length))} of {count(all)}.
        </p>
      )}
    </>
  )
}

const SHOWN = 25
