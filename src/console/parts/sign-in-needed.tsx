import { type ComponentChildren, Fragment } from "preact"
import { useState } from "preact/hooks"
import { cleanSecret } from "../api/credentials.ts"
import { useAction } from "../api/load.ts"
import { signInLink } from "../route.ts"
import { useSession } from "../session.tsx"
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
export function AccountOrOperator({ onDone }: { onDone: () => void }) {
  return (
    <>
      <SignInNeeded />
      <OperatorNeeded onDone={onDone} />
    </>
  )
}

/** Content of the operator, who also may be signed in to an account. */
export function ForOperator({ children }: { children: ComponentChildren }) {
  const { isOperator } = useSession()
  return isOperator ? <Fragment>{children}</Fragment> : <OperatorNeeded />
}

/** A field for the admin secret. @param onDone called when the secret is right */
export function OperatorNeeded({ onDone }: { onDone?: () => void }) {
  const { becomeOperator, wasOperator } = useSession()
  const [secret, setSecret] = useState("")
  const { busy, problem, run } = useAction(() => becomeOperator(cleanSecret(secret)))
  return (
    <Panel
      title={wasOperator ? "Continue in operator mode" : "Do you run this service?"}
      note="the secret is not stored; a reload clears it"
    >
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          void run().then((isDone) => isDone && onDone?.())
        }}
      >
        <Field
          label="Admin secret"
          hint="The setting ADMIN_SECRET of the service"
          secret
          value={secret}
          onValue={setSecret}
          required
        />
        <SubmitButton label="Use it" busy={busy} />
      </form>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
