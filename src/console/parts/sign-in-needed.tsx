import { useState } from "preact/hooks"
import { keepAdminSecret } from "../api/credentials.ts"
import { Field, SubmitButton } from "./field.tsx"
import { Empty } from "./notice.tsx"

export function SignInNeeded() {
  return (
    <Empty title="Sign in to see this">
      <p>It belongs to an account: sign in with a link by mail, or use an API key.</p>
      <a class="button primary" href="#/sign-in">
        Sign in
      </a>
    </Empty>
  )
}

/** Asks for the admin secret where an account is not enough. */
export function OperatorNeeded({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState("")
  return (
    <Empty title="For the operator of this service">
      <p>This needs the admin secret. It is kept until you leave or reload this page, and nowhere else.</p>
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          keepAdminSecret(secret.trim() || null)
          onDone()
        }}
      >
        <Field label="Admin secret" secret value={secret} onValue={setSecret} required />
        <SubmitButton label="Use it" busy={false} />
      </form>
    </Empty>
  )
}
