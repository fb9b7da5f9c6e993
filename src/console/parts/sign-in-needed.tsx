import { useState } from "preact/hooks"
import type { Problem } from "../api/call.ts"
import { bare, keepAdminSecret } from "../api/credentials.ts"
import { signInLink } from "../route.ts"
import { Field, SubmitButton } from "./field.tsx"
import { Empty, ProblemNotice } from "./notice.tsx"
import { Panel } from "./page.tsx"

export function SignInNeeded() {
  return (
    <Empty title="Sign in to see this">
      <p>It belongs to an account: sign in with a link by mail, or use an API key.</p>
      <a class="button primary" href={signInLink()}>
        Sign in
      </a>
    </Empty>
  )
}

/** For what the operator may see too, who need not have an account. */
export function AccountOrOperator({ problem, onDone }: { problem: Problem; onDone: () => void }) {
  const [secret, setSecret] = useState("")
  return (
    <>
      <SignInNeeded />
      <Panel title="You run this service?" note="the secret is forgotten when you leave or reload the page">
        <form
          class="row end"
          onSubmit={(event) => {
            event.preventDefault()
            keepAdminSecret(bare(secret) || null)
            onDone()
          }}
        >
          <Field label="Admin secret" secret value={secret} onValue={setSecret} required />
          <SubmitButton label="Use it" busy={false} />
        </form>
        {problem.status === 403 && <ProblemNotice problem={problem} />}
      </Panel>
    </>
  )
}
