import { ForAccount } from "../../parts/for-account.tsx"
import { ProblemNotice, Skeleton } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { addresses, moment } from "../../words.ts"
import { Progress } from "./progress.tsx"
import { ListHealth } from "./report.tsx"
import { Rest } from "./rest.tsx"
import { Results } from "./results.tsx"
import { isOver, useJob } from "./watch.ts"

/** One list: its progress, then what it is worth and what became of each row. */
export function JobPage({ jobId }: { jobId: string }) {
  const { job, problem } = useJob(jobId)
  const lead = job ? `${addresses(job.total)}, handed in ${moment(job.submitted_at)}` : jobId
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
        {job && isOver(job) && (
          <>
            <Rest job={job} />
            {job.progress > 0 && <ListHealth jobId={jobId} />}
            <Results job={job} />
          </>
        )}
      </ForAccount>
    </Page>
  )
}
