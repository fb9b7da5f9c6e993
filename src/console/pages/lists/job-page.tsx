import { Fragment } from "preact"
import { useRef } from "preact/hooks"
import type { Job } from "../../api/shapes.ts"
import { ForAccount } from "../../parts/for-account.tsx"
import { ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { addresses, moment } from "../../words.ts"
import { Progress } from "./progress.tsx"
import { ListHealth } from "./report.tsx"
import { Results } from "./results.tsx"
import { Unfinished } from "./unfinished.tsx"
import { isOver, useJob } from "./watch.ts"

/** Whether the list is over, or its other addresses wait for a retry. */
const hasSettled = (job: Job) => isOver(job) || job.next_attempt_at !== null

/** One list: its progress, then its report and the result of each row. */
export function JobPage({ jobId }: { jobId: string }) {
  const { job, problem } = useJob(jobId)
  const readable = useRef(false)
  readable.current ||= job !== null && hasSettled(job)
  const lead = job ? `${addresses(job.total)}, submitted ${moment(job.submitted_at)}` : jobId
  return (
    <Page
      title={job?.file_name ?? "List"}
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
        {job && readable.current && (
          <Fragment key={String(job.partial)}>
            {job.progress > 0 && <ListHealth jobId={jobId} />}
            <Results job={job} />
          </Fragment>
        )}
      </ForAccount>
    </Page>
  )
}
