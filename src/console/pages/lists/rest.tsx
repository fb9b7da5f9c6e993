import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { go } from "../../route.ts"
import { addresses, count } from "../../words.ts"

/** What failed all tries, or was not come to before the list was stopped, may be taken up as a list of its own. */
export function Rest({ job: { job_id, total, progress, failed } }: { job: Job }) {
  const { busy, problem, run } = useAction(async () => {
    const answer = await call<{ job_id: string }>(`/jobs/${job_id}/resume`, { method: "POST" })
    if (!answer.ok) return answer.problem
    go(`#/lists/${answer.body.job_id}`)
    return null
  })
  const stopped = total - progress
  if (stopped + failed === 0) return null
  return (
    <>
      <Notice tone="accept_all" title={`${addresses(stopped + failed)} could not be settled`}>
        {failed > 0 && <p>The mail servers of {count(failed)} put us off or did not answer, each time we asked.</p>}
        {stopped > 0 && <p>The list was stopped before the turn of {count(stopped)}.</p>}
        <button type="button" class="button quiet" aria-disabled={busy} onClick={() => void run()}>
          {stopped > 0 ? "Go on with them" : "Try them again"}
        </button>
      </Notice>
      <ProblemNotice problem={problem} />
    </>
  )
}
