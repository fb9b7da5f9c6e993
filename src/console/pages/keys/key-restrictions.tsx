import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { Key, Restrictions } from "../../api/shapes.ts"
import { SubmitButton } from "../../parts/field.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { useSession } from "../../session.tsx"
import { moment } from "../../words.ts"
import { isInUse, scopeNames, todayOf } from "./key-words.ts"
import { RestrictionFields } from "./restriction-fields.tsx"
import { type Draft, draftOf, type Fault, LABELS, readDraft } from "./restrictions.ts"

/** What a key may do, with a form that changes it. */
export function KeyRestrictions({ of: key, onChange }: { of: Key; onChange: () => void }) {
  const [draft, setDraft] = useState<Draft | null>(null)
  const [isSaved, setSaved] = useState(false)
  function handleSaved() {
    setDraft(null)
    setSaved(true)
    onChange()
  }
  function edit() {
    setSaved(false)
    setDraft(draftOf(key))
  }
  return (
    <Panel
      title="Restrictions"
      note={<span role="status">{isSaved && "Saved. The change applies from the next call on."}</span>}
    >
      {draft ? (
        <RestrictionForm
          of={key}
          draft={draft}
          onDraft={setDraft}
          onSaved={handleSaved}
          onCancel={() => setDraft(null)}
        />
      ) : (
        <>
          <RestrictionFacts of={key} />
          {isInUse(key) && key.kind === "secret" && (
            <div>
              <button type="button" class="button" onClick={edit}>
                Change restrictions
              </button>
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
  const facts = [
    ["Expires", expires === null ? ["Never"] : [moment(expires)]],
    ["Allowed actions", [isForForms ? "Check forms" : scopes === null ? "All" : scopeNames(scopes).join(", ")]],
    ...(isForForms ? formFacts(key) : []),
    ["Allowed networks", networks ?? ["Any"]],
    ["Allowed websites", websites ?? ["Any"]],
  ] as const
  return (
    <dl class="facts">
      {facts.map(([name, values]) => [
        <dt key={name}>{name}</dt>,
        <dd key={`${name}-values`} class="break">
          {values.map((value) => (
            <div key={value}>{value}</div>
          ))}
        </dd>,
      ])}
    </dl>
  )
}

/** The policy of a publishable key, which the API changes. */
function formFacts(key: Key): (readonly [name: string, values: readonly string[]])[] {
  const { live_timeout_ms: live, visitor_per_minute: perMinute } = key
  return [
    ["Budget", [todayOf(key) || `${key.daily_budget} answers a day`]],
    ["Each visitor", [`${perMinute} requests a minute`]],
    ["Mail server", [live === null ? "Not probed" : `Probed for ${live / 1_000} seconds, at a credit each`]],
  ]
}

interface RestrictionFormProps {
  readonly of: Key
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly onSaved: () => void
  readonly onCancel: () => void
}

function RestrictionForm({ of: key, draft, onDraft, onSaved, onCancel }: RestrictionFormProps) {
  const { account } = useSession()
  const [fault, setFault] = useState<Fault | null>(null)
  const { busy, problem, run } = useAction(async ({ expires_at, ...restrictions }: Restrictions) => {
    // The API refuses an expiry in the past, so that an expired key keeps its own by leaving it out.
    const json = expires_at === key.expires_at ? restrictions : { expires_at, ...restrictions }
    const init = { method: "PATCH", json, labels: LABELS } as const
    const answer = await call<Key>(`/keys/${encodeURIComponent(key.key_id)}`, init)
    return answer.ok ? null : answer.problem
  })
  async function save(event: Event) {
    event.preventDefault()
    const read = readDraft(draft, key, Date.now())
    const isFault = "field" in read
    setFault(isFault ? read : null)
    if (!isFault && (await run(read))) onSaved()
  }
  return (
    <form class="stack" onSubmit={(event) => void save(event)}>
      {account?.key_id === key.key_id && (
        <Notice tone="accept_all" title="This tab uses this key">
          <p>A restricted key cannot manage keys. To remove its restrictions later, sign in by email.</p>
        </Notice>
      )}
      <RestrictionFields draft={draft} onDraft={onDraft} fault={fault} />
      <ProblemNotice problem={problem} />
      <div class="row">
        <SubmitButton label="Save restrictions" busy={busy} />
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
