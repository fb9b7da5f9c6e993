import { useState } from "preact/hooks"
import type { SuppressionReason } from "../../../../schema/vocabulary.ts"
import { call, type Problem } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import { Field, Select, SubmitButton } from "../../parts/field.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { REASONS } from "./reasons.ts"

const WHOLE = /^[1-9]\d*$/
/** JSON would turn an invalid number into null, which suppresses permanently. */
const NO_DAYS: Problem = {
  status: 422,
  message: "Days must be a whole number. Leave it empty to suppress the address permanently.",
  requestId: null,
}

export function AddSuppression({ onChange }: { onChange: () => void }) {
  const [email, setEmail] = useState("")
  const [reason, setReason] = useState<SuppressionReason>("manual")
  const [days, setDays] = useState("")
  const [done, setDone] = useState<string | null>(null)
  const { busy, problem, run } = useAction(async () => {
    setDone(null)
    const period = days.trim()
    if (period !== "" && !WHOLE.test(period)) return NO_DAYS
    const expires = period === "" ? {} : { expires_in_days: Number(period) }
    const json = { email: email.trim(), reason, source: "console", ...expires }
    const answer = await call<{ message: string }>("/suppression/add", { method: "POST", json })
    if (!answer.ok) return answer.problem
    setDone(answer.body.message)
    setEmail("")
    onChange()
    return null
  })
  return (
    <Panel title="Add an address">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field label="Address to add" inputMode="email" value={email} onValue={setEmail} required />
        <div class="row end">
          <Select label="Reason" value={reason} options={REASONS} onValue={setReason} />
          <Field label="Days" inputMode="numeric" placeholder="permanent" value={days} onValue={setDays} />
          <SubmitButton label="Add" busy={busy} />
        </div>
      </form>
      <ProblemNotice problem={problem} />
      {done && <Notice tone="valid" title={done} />}
    </Panel>
  )
}
