import { useState } from "preact/hooks"
import type { Problem } from "../api/call.ts"
import { cleanSecret, setAdminSecret } from "../api/credentials.ts"
import { signInLink } from "../route.ts"
import { Field, SubmitButton } from "./field.tsx"
import { Empty, ProblemNotice } from "./notice.tsx"
import { Panel } from "./page.tsx"

export function SignInNeeded() {
  return (
    <Empty title="Sign in to see this">
      <p>This page belongs to an account. Sign in with an email link or an API key.</p>
      <a class="button primary" href={signInLink()}>
        Sign in
      </a>
    </Empty>
  )
}

/** Offers a sign-in or a field for the operator's admin secret. */
export function AccountOrOperator({ problem, onDone }: { problem: Problem; onDone: () => void }) {
  return (
    <>
      <SignInNeeded />
      <OperatorNeeded problem={problem} onDone={onDone} />
    </>
  )
}

/** For what only the operator sees. */
export function OperatorNeeded({ problem, onDone }: { problem: Problem | null; onDone: () => void }) {
  const [secret, setSecret] = useState("")
  return (
    <Panel title="Do you run this service?" note="the secret is not stored; a reload clears it">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          setAdminSecret(cleanSecret(secret) || null)
          onDone()
        }}
      >
        <Field label="Admin secret" secret value={secret} onValue={setSecret} required />
        <SubmitButton label="Use it" busy={false} />
      </form>
      {problem?.status === 403 && <ProblemNotice problem={problem} />}
    </Panel>
  )
}
