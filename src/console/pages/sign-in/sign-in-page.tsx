import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import { cleanSecret } from "../../api/credentials.ts"
import { useGet } from "../../api/load.ts"
import type { GoogleConfig, Health } from "../../api/shapes.ts"
import { ActionButton } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { go } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { beginGoogleSignIn } from "./google-sign-in.ts"

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
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useForm(
    {
      email: {
        label: "Your email address",
        kind: "email",
        autoComplete: "email",
        hint: "The first sign-in creates the account.",
        required: true,
      },
    },
    (json, labels) => change("/auth/request", { method: "POST", json, labels }, () => setSentTo(json.email)),
  )
  return (
    <Panel title="By email">
      <Form of={form} submit="Email me a link" busyLabel="Sending" />
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
  const form = useForm(
    {
      code: {
        label: "Code from the email",
        autoComplete: "one-time-code",
        hint: "For this tab only, without the link.",
        required: true,
      },
    },
    ({ code }) => {
      go(`#/sign-in/${encodeURIComponent(cleanSecret(code))}`)
      return null
    },
  )
  return <Form of={form} submit="Sign in" layout="row" />
}

function ByKey({ back }: { back: string }) {
  const { useKey } = useSession()
  const hint = "Stored in this tab until you close it."
  const form = useForm({ key: { label: "API key", kind: "secret", hint, required: true } }, async ({ key }) => {
    const problem = await useKey(key)
    if (!problem) go(back)
    return problem
  })
  return (
    <Panel title="With an API key">
      <Form of={form} submit="Use the key" busyLabel="Checking" />
    </Panel>
  )
}

/** A button where the service has a Google client. @param back the page to open after the sign-in */
function ByGoogle({ back }: { back: string }) {
  const health = useGet<Health>("/health")
  if (health.state !== "ready" || !health.value.google_sign_in) return null
  return (
    <section class="panel" aria-label="With Google">
      <div class="row">
        <ActionButton
          label="Sign in with Google"
          onAct={() => change<GoogleConfig>("/auth/google/config", {}, (config) => beginGoogleSignIn(config, back))}
        />
        <span class="soft small">For Gmail and Google Workspace mailboxes.</span>
      </div>
    </section>
  )
}
