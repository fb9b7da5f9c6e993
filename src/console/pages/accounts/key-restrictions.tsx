import { useState } from "preact/hooks"
import { change } from "../../api/call.ts"
import type { Key } from "../../api/shapes.ts"
import { Button } from "../../parts/buttons.tsx"
import { Facts } from "../../parts/figures.tsx"
import { Form, FormFields, type FormState, useForm } from "../../parts/form.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { useSession } from "../../session.tsx"
import { moment } from "../../words.ts"
import { isInUse, readDraft, restrictionFields, scopeNames, todayOf } from "./key-words.ts"

export interface EditProps {
  readonly of: Key
  readonly onChange: () => void
  readonly onClose: () => void
}

/** What a key may do, with a form that changes it. */
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
          {isInUse(key) && key.kind === "secret" && (
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
        <Notice tone="accept_all" title="This tab uses this key">
          <p>A restricted key cannot manage keys. To remove its restrictions later, sign in by email.</p>
        </Notice>
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

/** The fields of a key's restrictions. */
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
