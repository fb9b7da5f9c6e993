import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import type { Account, Key, NewKey } from "../../api/shapes.ts"
import { ActionButton, Button, Copy, OneTimeSecret } from "../../parts/buttons.tsx"
import { Form, FormFields, type FormState, useForm } from "../../parts/form.tsx"
import { Panel } from "../../parts/page.tsx"
import { Facts, Notice } from "../../parts/text.tsx"
import { useSession } from "../../session.tsx"
import { moment } from "../../words.ts"
import { isForForms, isInUse, readDraft, restrictionFields, scopeNames, todayOf, UNRESTRICTED } from "./key-words.ts"

/** Without an account, the form requests the owner's address. With one, the key gets the account's plan. */
export function CreateKey({ account, onCreated }: { account: Account | null; onCreated: (key: NewKey) => void }) {
  // Counts the keys made: the part of the restrictions is folded again for the next key.
  const [made, setMade] = useState(0)
  const form = useForm(
    {
      name: { label: "Name", placeholder: "newsletter pipeline", required: true },
      owner_email: { label: "Your email address", kind: "email", autoComplete: "email", required: true },
      is_test: {
        label: "For tests",
        kind: "check",
        hint: "Verifies only sandbox addresses under .test, for free, and keeps its lists apart.",
      },
      ...restrictionFields(UNRESTRICTED),
    },
    ({ name, owner_email, is_test, ...draft }, labels) => {
      const restrictions = readDraft(draft, UNRESTRICTED, Date.now())
      if ("message" in restrictions) return Promise.resolve(restrictions)
      const kind = is_test ? "test" : "secret"
      const json = { name, owner_email: account?.email ?? owner_email, tier: account?.tier, kind, ...restrictions }
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
        <FormFields of={form} names={["is_test"]} />
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
        owner_email: account.email,
        tier: account.tier,
        kind: "publishable",
        allowed_origins: origins,
        daily_budget: Number(daily_budget),
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

export interface EditProps {
  readonly of: Key
  readonly onChange: () => void
  readonly onClose: () => void
}

export function KeyRestrictions({ of: key, onChange }: { of: Key; onChange: () => void }) {
  const [isEditing, setEditing] = useState(false)
  const [isSaved, setSaved] = useState(false)
  function handleSaved() {
    setSaved(true)
    onChange()
  }
  function edit() {
    setSaved(false)
    setEditing(true)
  }
  return (
    <Panel
      title="Restrictions"
      note={<span role="status">{isSaved && "Saved. The change applies from the next call on."}</span>}
    >
      {isEditing ? (
        <RestrictionForm of={key} onChange={handleSaved} onClose={() => setEditing(false)} />
      ) : (
        <>
          <RestrictionFacts of={key} />
          {isInUse(key) && key.kind !== "publishable" && (
            <div>
              <Button label="Change restrictions" onClick={edit} />
            </div>
          )}
        </>
      )}
    </Panel>
  )
}

function RestrictionFacts({ of: key }: { of: Key }) {
  const { expires_at: expires, scopes, allowed_networks: networks, allowed_origins: websites } = key
  const isForForms = key.kind === "publishable"
  return (
    <Facts
      facts={[
        ["Expires", expires === null ? "Never" : moment(expires)],
        ...(key.kind === "test" ? ([["Addresses", "Only those of the sandbox, under .test"]] as const) : []),
        ["Allowed actions", isForForms ? "Check forms" : scopes === null ? "All" : scopeNames(scopes).join(", ")],
        ...(isForForms ? formFacts(key) : []),
        ["Allowed networks", networks?.map((one) => <div key={one}>{one}</div>) ?? "Any"],
        ["Allowed websites", websites?.map((one) => <div key={one}>{one}</div>) ?? "Any"],
      ]}
    />
  )
}

/** The policy of a publishable key, which the API changes. */
function formFacts(key: Key): (readonly [name: string, words: string])[] {
  const { live_timeout_ms: live, visitor_per_minute: perMinute } = key
  return [
    ["Budget", todayOf(key) || `${key.daily_budget} answers a day`],
    ["Each visitor", `${perMinute} requests a minute`],
    ["Mail server", live === null ? "Not probed" : `Probed for ${live / 1_000} seconds, at a credit each`],
  ]
}

function RestrictionForm({ of: key, onChange, onClose }: EditProps) {
  const { account } = useSession()
  const form = useForm(restrictionFields(key), (draft, labels) => {
    const read = readDraft(draft, key, Date.now())
    if ("message" in read) return Promise.resolve(read)
    const { expires_at, ...restrictions } = read
    // The API refuses an expiry in the past, so that an expired key keeps its own by leaving it out.
    const json = expires_at === key.expires_at ? restrictions : { expires_at, ...restrictions }
    return change(`/keys/${encodeURIComponent(key.key_id)}`, { method: "PATCH", json, labels }, () => {
      onClose()
      onChange()
    })
  })
  return (
    <>
      {account?.key_id === key.key_id && (
        <Notice
          tone="accept_all"
          title="This tab uses this key"
          text="A restricted key cannot manage keys. To remove its restrictions later, sign in by email."
        />
      )}
      <Form of={form} submit="Save restrictions" names={[]} onCancel={onClose}>
        <RestrictionFields of={form} isDated={form.values.expires_at === "date"} />
      </Form>
    </>
  )
}

interface RestrictionFieldsProps<Specs extends ReturnType<typeof restrictionFields>> {
  readonly of: FormState<Specs>
  /** Whether the key expires on a day that is chosen. */
  readonly isDated: boolean
}

export function RestrictionFields<Specs extends ReturnType<typeof restrictionFields>>({
  of: form,
  isDated,
}: RestrictionFieldsProps<Specs>) {
  return (
    <div class="stack">
      <div class="form-grid two">
        <FormFields of={form} names={isDated ? ["expires_at", "last_day"] : ["expires_at"]} />
      </div>
      <FormFields of={form} names={["scopes"]} />
      <div class="form-grid">
        <FormFields of={form} names={["allowed_networks", "allowed_origins"]} />
      </div>
    </div>
  )
}
