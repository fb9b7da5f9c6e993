import { useLayoutEffect, useState } from "preact/hooks"
import { type Answer, call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Deliverability } from "../../api/shapes.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { Page } from "../../parts/page.tsx"
import { confirmAddress, go, isFromOutside, verifyLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { Actions } from "./actions.tsx"
import { AddressHistory } from "./history.tsx"
import { DEFAULT_OPTIONS, type Options, VerifyOptions } from "./options.tsx"
import { Result } from "./result.tsx"
import { Verdict } from "./verdict.tsx"
import { Verifying } from "./verifying.tsx"
import { Welcome } from "./welcome.tsx"

const LABELS = { email: "Email address" }

/**
 * Verifies the address in the URL. Submitting the form changes the URL.
 * A URL from outside the console only fills the form: another site must not spend the visitor's credits.
 * @param requested the address in the URL
 */
export function VerifyPage({ requested }: { requested: string | null }) {
  const { account } = useSession()
  const [email, setEmail] = useState("")
  const [options, setOptions] = useState<Options>(DEFAULT_OPTIONS)
  const [attempt, setAttempt] = useState(0)
  // A layout effect runs before the paint, so that the form and the verdict never show different addresses.
  useLayoutEffect(() => setEmail(requested ?? ""), [requested])
  const confirmed = isFromOutside() ? null : requested
  const key = `${attempt} ${confirmed}`
  const request = { email: confirmed, explain: true, ...options }
  const load = useLoad<Deliverability | null>(key, async (signal) => {
    if (!confirmed) return { ok: true, body: null }
    return call<Deliverability>("/validate", { method: "POST", json: request, labels: LABELS, signal })
  })
  // A newer result of the same address replaces the loaded one in place, so that the focus stays.
  const [newer, setNewer] = useState<{ key: string; result: Deliverability } | null>(null)
  const loaded = load.state === "ready" ? load.value : null
  const result = loaded && newer?.key === key ? newer.result : loaded
  async function verifyAgain(more: { fresh?: boolean }): Promise<Answer<Deliverability>> {
    const answer = await call<Deliverability>("/validate", {
      method: "POST",
      json: { ...request, ...more },
      labels: LABELS,
    })
    if (answer.ok) setNewer({ key, result: answer.body })
    return answer
  }
  const isVerifying = confirmed !== null && load.state === "loading"
  function verify(address: string) {
    const entered = address.trim()
    if (entered !== requested) return go(verifyLink(entered))
    if (isVerifying) return
    confirmAddress()
    setAttempt(attempt + 1)
  }
  return (
    <Page title="Verify" lead="Syntax, DNS and a live SMTP probe, with every step shown.">
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
            kind="email"
            placeholder="name@example.com"
            value={email}
            onValue={setEmail}
            required
          />
          <SubmitButton label="Verify" busy={isVerifying && email.trim() === requested} busyLabel="Verifying" />
        </div>
        <VerifyOptions options={options} onOptions={setOptions} />
      </form>
      {isVerifying && <Verifying key={confirmed} email={confirmed} />}
      {load.state === "failed" && <ProblemNotice problem={load.problem} retry={() => setAttempt(attempt + 1)} />}
      <div aria-live="polite">{result && <Verdict result={result} onTry={verify} />}</div>
      {result && (
        <Actions
          key={key}
          result={result}
          request={request}
          onCheckAgain={() => verifyAgain({ fresh: true })}
          onChange={() => void verifyAgain({})}
        />
      )}
      {result && <Result result={result} />}
      {result && account && <AddressHistory result={result} />}
      {requested && !confirmed && (
        <Empty title="Not verified yet">
          <p>This address came from a link. Press Verify to use a credit and see the result.</p>
        </Empty>
      )}
      {!requested && <Welcome />}
    </Page>
  )
}
