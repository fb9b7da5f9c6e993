import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { go } from "../../route.ts"
import { count } from "../../words.ts"

/** What failed all tries may be tried again, as a list of its own. */
export function Failures({ job }: { job: Job }) {
  const { busy, problem, run } = useAction(async () => {
    const answer = await call<{ job_id: string }>(`/jobs/${job.job_id}/retry-dead-letter`, { method: "POST" })
    if (!answer.ok) return answer.problem
    go(`#/lists/${answer.body.job_id}`)
    return null
  })
  return (
    <>
      <Notice tone="accept_all" title={`${count(job.failed)} addresses could not be settled`}>
        <p>Their mail servers put us off or did not answer, each time we asked.</p>
        <button type="button" class="button quiet" disabled={busy} onClick={() => void run()}>
          Try them again
        </button>
      </Notice>
      <ProblemNotice problem={problem} />
    </>
  )
}
