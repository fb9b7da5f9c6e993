import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { ProblemNotice } from "../../parts/notice.tsx"

/** Fetches the configured sources and applies what they agree on. */
export function Refresh({ onDone }: { onDone: () => void }) {
  const { busy, problem, run } = useAction(async () => {
    const answer = await call("/admin/update-intelligence", { method: "POST", asOperator: true })
    onDone()
    return answer.ok ? null : answer.problem
  })
  return (
    <div class="stack">
      <div>
        <button type="button" class="button" aria-disabled={busy} onClick={() => void run()}>
          {busy ? "Updating" : "Update now"}
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </div>
  )
}
