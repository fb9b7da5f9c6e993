import { useLayoutEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Deliverability } from "../../api/shapes.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { go, verifyLink } from "../../route.ts"
import { Asking } from "./asking.tsx"
import { DEFAULT_OPTIONS, type Options, VerifyOptions } from "./options.tsx"
import { Result } from "./result.tsx"
import { Verdict } from "./verdict.tsx"

/** @param asked the address in the link, which is what is verified: the form goes there, and so does the way back */
export function VerifyPage({ asked }: { asked: string | null }) {
  const [email, setEmail] = useState("")
  const [options, setOptions] = useState<Options>(DEFAULT_OPTIONS)
  const [turn, setTurn] = useState(0)
  // Before it is painted: the form and the verdict below never name two addresses.
  useLayoutEffect(() => setEmail(asked ?? ""), [asked])
  const load = useLoad<Deliverability | null>(`${turn} ${asked}`, async (signal) => {
    if (!asked) return { ok: true, body: null }
    const json = { email: asked, explain: true, ...options }
    return call<Deliverability>("/validate", { method: "POST", json, signal })
  })
  const result = load.state === "ready" ? load.value : null
  const isAsking = asked !== null && load.state === "loading"
  function verify(address: string) {
    const wanted = address.trim()
    if (wanted !== asked) go(verifyLink(wanted))
    else if (!isAsking) setTurn(turn + 1)
  }
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
          <SubmitButton label="Verify" busy={isAsking && email.trim() === asked} busyLabel="Verifying" />
        </div>
        <VerifyOptions options={options} onOptions={setOptions} />
      </form>
      {isAsking && <Asking key={asked} email={asked} />}
      {load.state === "failed" && <ProblemNotice problem={load.problem} retry={() => setTurn(turn + 1)} />}
      <div aria-live="polite">{result && <Verdict result={result} onTry={verify} />}</div>
      {result && <Result result={result} />}
      {!asked && (
        <Empty title="No address yet">
          <p>You will see whether it can be sent to, how its score comes about, and what its mail server said.</p>
        </Empty>
      )}
    </Page>
  )
}
