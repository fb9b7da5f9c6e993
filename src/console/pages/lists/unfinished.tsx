import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Job } from "../../api/shapes.ts"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { go } from "../../route.ts"
import { addresses, count } from "../../words.ts"

/** Resumes the addresses that failed all attempts, or that a stopped list did not reach, as a new list. */
export function Unfinished({ job: { job_id, total, progress, failed } }: { job: Job }) {
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
      <Notice tone="accept_all" title={`${addresses(stopped + failed)} have no final result`}>
        {failed > 0 && <p>For {count(failed)}, the mail server deferred or did not respond on every attempt.</p>}
        {stopped > 0 && <p>The list was stopped with {count(stopped)} not verified.</p>}
        <button type="button" class="button quiet" aria-disabled={busy} onClick={() => void run()}>
          {stopped > 0 ? "Verify the rest" : "Retry them"}
        </button>
      </Notice>
      <ProblemNotice problem={problem} />
    </>
  )
}
