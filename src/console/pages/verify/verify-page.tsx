import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Deliverability } from "../../api/shapes.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { Asking } from "./asking.tsx"
import { DEFAULT_OPTIONS, type Options, VerifyOptions } from "./options.tsx"
import { Result } from "./result.tsx"

/** @param asked an address from a link, verified at once */
export function VerifyPage({ asked }: { asked: string | null }) {
  const [email, setEmail] = useState(asked ?? "")
  const [options, setOptions] = useState<Options>(DEFAULT_OPTIONS)
  const [result, setResult] = useState<Deliverability | null>(null)
  const { busy, problem, run } = useAction(async (address: string) => {
    setResult(null)
    const json = { email: address, explain: true, ...options }
    const answer = await call<Deliverability>("/validate", { method: "POST", json })
    if (!answer.ok) return answer.problem
    setResult(answer.body)
    return null
  })
  function verify(address: string) {
    setEmail(address)
    void run(address.trim())
  }
  useEffect(() => {
    if (asked) verify(asked)
  }, [asked])
  return (
    <Page title="Verify an address" lead="Syntax, DNS and a live question to the mail server, with every step shown.">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault()
          verify(email)
        }}
      >
        <div class="row end">
          <Field
            label="Email address"
            inputMode="email"
            placeholder="name@example.com"
            value={email}
            onValue={setEmail}
            required
          />
          <SubmitButton label="Verify" busy={busy} busyLabel="Verifying" />
        </div>
        <VerifyOptions options={options} onOptions={setOptions} />
      </form>
      {busy && <Asking email={email.trim()} />}
      <ProblemNotice problem={problem} />
      <div aria-live="polite">{result && <Result result={result} onTry={verify} />}</div>
      {!busy && !problem && !result && (
        <Empty title="No address yet">
          <p>You will see whether it can be sent to, how its score comes about, and what its mail server said.</p>
        </Empty>
      )}
    </Page>
  )
}
