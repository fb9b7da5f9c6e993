import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import type { Account, NewKey } from "../../api/shapes.ts"
import { ActionButton, Copy } from "../../parts/buttons.tsx"
import { OneTimeSecret } from "../../parts/dialog.tsx"
import { Form, FormFields, useForm } from "../../parts/form.tsx"
import { Panel } from "../../parts/page.tsx"
import { useSession } from "../../session.tsx"
import { RestrictionFields } from "./key-restrictions.tsx"
import { isForForms, readDraft, restrictionFields, UNRESTRICTED } from "./key-words.ts"

/** Without an account, the form takes the owner's address. With one, the key gets the account's plan. */
export function CreateKey({ account, onCreated }: { account: Account | null; onCreated: (key: NewKey) => void }) {
  // Counts the keys made: the part of the restrictions is folded again for the next key.
  const [made, setMade] = useState(0)
  const form = useForm(
    {
      name: { label: "Name", placeholder: "newsletter pipeline", required: true },
      owner_email: { label: "Your email address", kind: "email", autoComplete: "email", required: true },
      ...restrictionFields(UNRESTRICTED),
    },
    ({ name, owner_email, ...draft }, labels) => {
      const restrictions = readDraft(draft, UNRESTRICTED, Date.now())
      if ("message" in restrictions) return Promise.resolve(restrictions)
      const json = { name, owner_email: account?.email ?? owner_email, tier: account?.tier, ...restrictions }
      return change<NewKey>("/keys", { method: "POST", json, labels }, (key) => {
        setMade(made + 1)
        onCreated(key)
      })
    },
    { resets: "all" },
  )
  return (
    <Panel title="New key">
      <Form of={form} submit="Create key" layout="top" names={account ? ["name"] : ["name", "owner_email"]}>
        <details key={made}>
          <summary>Restrict this key</summary>
          <p class="soft restrict-why">
            A key that leaves your servers should do only what its program needs. A restricted key cannot manage keys.
          </p>
          <RestrictionFields of={form} isDated={form.values.expires_at === "date"} />
        </details>
      </Form>
    </Panel>
  )
}

/** Wait for the mail server, in ms: the most that the API allows. */
const LIVE_TIMEOUT_MS = 3_000

/** Creates a publishable key, which is part of a page and only checks its forms. */
export function CreateFormKey({ account, onCreated }: { account: Account; onCreated: (key: NewKey) => void }) {
  // Counts the keys made: the form is folded again for the next key.
  const [made, setMade] = useState(0)
  const form = useForm(
    {
      allowed_origins: {
        label: "Websites with the form",
        kind: "lines",
        rows: 2,
        placeholder: "https://shop.example.org",
        hint: "One per line. Pages of other websites get no answer.",
        required: true,
      },
      daily_budget: {
        label: "Answers a day",
        kind: "numeric",
        hint: "A stolen key gets at most these.",
        initial: "1000",
        required: true,
      },
      is_live: {
        label: "Probe the mail server",
        kind: "check",
        hint: "Finds missing mailboxes, within 3 seconds and at a credit each.",
      },
    },
    ({ allowed_origins, daily_budget, is_live }, labels) => {
      const origins = allowed_origins.split(/\s+/).filter((line) => line !== "")
      const json = {
        name: `Form on ${origins[0] ?? ""}`.slice(0, 100),
        ...{ owner_email: account.email, tier: account.tier, kind: "publishable" },
        ...{ allowed_origins: origins, daily_budget: Number(daily_budget) },
        live_timeout_ms: is_live ? LIVE_TIMEOUT_MS : null,
      }
      return change<NewKey>("/keys", { method: "POST", json, labels }, (key) => {
        setMade(made + 1)
        onCreated(key)
      })
    },
    { resets: "texts" },
  )
  return (
    <Panel title="Sign-up form" note="A key that is safe in a page: it only checks the addresses typed into your form.">
      <details key={made}>
        <summary>Create a key for a form</summary>
        <Form of={form} submit="Create form key" layout="grid" names={["allowed_origins", "daily_budget"]}>
          <FormFields of={form} names={["is_live"]} />
        </Form>
      </details>
    </Panel>
  )
}

/** Shows the secret of a created or rotated key. Without an account, the tab can use it. */
export function NewSecret({ of: key, onSaved }: { of: NewKey; onSaved: () => void }) {
  const { account, useKey } = useSession()
  const [isOffered] = useState(account === null)
  const [isInUse, setInUse] = useState(false)
  const isPublic = isForForms(key.api_key)
  async function use() {
    const problem = await useKey(key.api_key)
    setInUse(problem === null)
    return problem
  }
  return (
    <OneTimeSecret
      title="Your new key"
      secret={key.api_key}
      {...(isPublic ? { advice: "Paste it into your page now. It is public, as each visitor gets it." } : {})}
      onClose={onSaved}
    >
      {isPublic && <FormSnippet apiKey={key.api_key} />}
      {isOffered && (
        <>
          <p role="status">
            {isInUse
              ? "This tab uses the key now, until you close the tab."
              : "To keep the key in an account, use it in this tab and then sign in by email."}
          </p>
          {!isInUse && (
            <div class="row">
              <ActionButton label="Use it in this tab" onAct={use} />
            </div>
          )}
        </>
      )}
    </OneTimeSecret>
  )
}

/** The script tag of a form. @param apiKey a publishable key, or its shortened form */
export function FormSnippet({ apiKey }: { apiKey: string }) {
  const tag = `<script src="${location.origin}/form.js" data-key="${apiKey}" defer></script>`
  return (
    <div class="stack">
      <p>Paste this line into the page with the form. It checks every field of the type “email”.</p>
      <div class="secret">
        <code class="break">{tag}</code>
        <Copy text={tag} label="Copy the line" />
      </div>
    </div>
  )
}
