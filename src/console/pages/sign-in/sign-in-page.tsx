import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { cleanSecret } from "../../api/credentials.ts"
import { useAction } from "../../api/load.ts"
import { Field, SubmitButton } from "../../parts/field.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { ByGoogle } from "./by-google.tsx"

/** @param back the page to open after the sign-in */
export function SignInPage({ back }: { back: string }) {
  const { account } = useSession()
  return (
    <Page title="Sign in" lead="There are no passwords.">
      {account && (
        <Notice tone="accent" title={`You are signed in as ${account.email}`}>
          {account.signed_in_by === "key" && (
            <p>To add this key to your account, request a link here. After the sign-in you can join the key.</p>
          )}
        </Notice>
      )}
      <div class="columns">
        <ByLink />
        <ByKey back={back} />
      </div>
      <ByGoogle back={back} />
    </Page>
  )
}

function ByLink() {
  const [email, setEmail] = useState("")
  const [sentTo, setSentTo] = useState<string | null>(null)
  const { busy, problem, run } = useAction(async () => {
    const labels = { email: "Your email address" }
    const answer = await call("/auth/request", { method: "POST", json: { email: email.trim() }, labels })
    if (!answer.ok) return answer.problem
    setSentTo(email.trim())
    return null
  })
  return (
    <Panel title="By email">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field
          label="Your email address"
          kind="email"
          autoComplete="email"
          value={email}
          onValue={setEmail}
          hint="The first sign-in creates the account."
          required
        />
        <div>
          <SubmitButton label="Email me a link" busy={busy} busyLabel="Sending" />
        </div>
      </form>
      <ProblemNotice problem={problem} />
      {sentTo && (
        <Notice tone="valid" title="Check your inbox">
          <p>
            If <span class="break">{sentTo}</span> can receive mail, a link is on its way. It works once and expires
            after 15 minutes.
          </p>
        </Notice>
      )}
      {sentTo && <ByCode />}
    </Panel>
  )
}

/** Signs in with the code: the link opens a new tab, and the email may be on another device. */
function ByCode() {
  const [code, setCode] = useState("")
  return (
    <form
      class="row end"
      onSubmit={(event) => {
        event.preventDefault()
        go(`#/sign-in/${encodeURIComponent(cleanSecret(code))}`)
      }}
    >
      <Field
        label="Code from the email"
        autoComplete="one-time-code"
        value={code}
        onValue={setCode}
        hint="For this tab only, without the link."
        required
      />
      <SubmitButton label="Sign in" busy={false} />
    </form>
  )
}

function ByKey({ back }: { back: string }) {
  const { useKey } = useSession()
  const [key, setKey] = useState("")
  const { busy, problem, run } = useAction(async () => {
    const problem = await useKey(cleanSecret(key))
    if (!problem) go(back)
    return problem
  })
  return (
    <Panel title="With an API key">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Field
          label="API key"
          kind="secret"
          value={key}
          onValue={setKey}
          hint="Stored in this tab until you close it."
          required
        />
        <div>
          <SubmitButton label="Use the key" busy={busy} busyLabel="Checking" />
        </div>
      </form>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
