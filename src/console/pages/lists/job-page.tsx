import type { Job } from "../../api/shapes.ts"
import { ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { ForAccount, Page } from "../../parts/page.tsx"
import { addresses, moment } from "../../words.ts"
import { Compare } from "./compare.tsx"
import { listName } from "./list-name.ts"
import { Progress } from "./progress.tsx"
import { ListReport } from "./report.tsx"
import { Results } from "./results.tsx"
import { Unfinished } from "./unfinished.tsx"
import { isOver, useJob } from "./watch.ts"

/** Times that the results are loaded again while a list runs. */
const REFRESHES = 10

/** Grows with the results, a few times in all, and at the end. */
const versionOf = (job: Job): number =>
  isOver(job) ? REFRESHES + 1 : Math.floor((REFRESHES * job.progress) / Math.max(1, job.total))

/** One list: its progress, and from the first result on its report and the result of each row. */
export function JobPage({ jobId }: { jobId: string }) {
  const { job, problem } = useJob(jobId)
  const lead = job ? `${addresses(job.total)}, submitted ${moment(job.submitted_at)}` : jobId
  return (
    <Page
      title={job ? listName(job) : "List"}
      lead={
        <>
          <a href="#/lists">All lists</a> · {lead}
        </>
      }
    >
      <ForAccount>
        <ProblemNotice problem={problem} />
        {!job && !problem && <Skeleton />}
        {job && <Progress job={job} />}
        {job && isOver(job) && <Unfinished job={job} />}
        {job && job.progress > 0 && (
          <ListReport job={job} version={versionOf(job)}>
            <Results job={job} version={versionOf(job)} />
          </ListReport>
        )}
        {job && job.progress === 0 && isOver(job) && <Results job={job} version={versionOf(job)} />}
        {job && isOver(job) && <Compare job={job} />}
      </ForAccount>
    </Page>
  )
}
