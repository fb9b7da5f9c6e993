import type { AuditAction } from "../../../../schema/vocabulary.ts"
import { usePaged } from "../../api/call.ts"
import type { AuditTrail, Key, OwnEvents } from "../../api/shapes.ts"
import { type Column, LoadedTablePanel } from "../../parts/data-table.tsx"
import { ChoiceCheck, Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { page } from "../../parts/page.tsx"
import { KeyName, Notice, useKeysById } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count, moment, plain } from "../../words.ts"

const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  "key.created": "API key created",
  "key.rotated": "API key rotated",
  "key.changed": "API key changed",
  "key.joined": "API key joined the account",
  "key.revoked": "API key revoked",
  "account.signed_in": "Signed in",
  "account.sessions_ended": "Sessions ended",
  "account.tier_changed": "Plan changed",
  "account.suspended": "Account suspended",
  "account.resumed": "Account resumed",
  "payment.accepted": "Payment accepted",
  "payment.declined": "Payment declined",
  "data.exported": "Data exported",
  "data.erased": "Data of an address erased",
  "domain.erased": "Data of a domain erased",
  "customer.erased": "Account erased",
  "data.purged": "Expired data removed",
  "node.enrolled": "Probe node enrolled",
  "node.drained": "Probe node drained",
  "node.resumed": "Probe node resumed",
  "node.removed": "Probe node removed",
  "node.key_changed": "Key of a probe node changed",
  "lists.refreshed": "Domain lists updated",
  "lists.override_set": "Domain list entry set",
  "lists.override_removed": "Domain list entry removed",
  "suppression.added": "Suppressed for all accounts",
  "suppression.removed": "No longer suppressed for all accounts",
  "admin.call": "Other call of the operator",
}

const ACTION_OPTIONS: readonly (readonly [AuditAction | "", string])[] = [
  ["", "Everything"],
  ...(Object.entries(ACTION_WORDS) as [AuditAction, string][]),
]

/** Actions that concern an account. */
const OWN_ACTION_OPTIONS = ACTION_OPTIONS.filter(
  ([action]) => action === "" || /^(?:key|account|payment|data|domain|node)\./.test(action),
)

type Event = OwnEvents["events"][number]

const BY: Readonly<Record<Event["by"], string>> = {
  account: "You, or a key of this account",
  operator: "The operator of this service",
  service: "This service",
  other: "A caller without an account",
}

export const AuditPage = page(Events, {
  title: "Audit trail",
  lead: "Sign-ins, keys, plans, exports and erasures of your account. Entries cannot be changed.",
  access: "account",
})

function Events() {
  const [action, setAction] = useChoice("action")
  const load = usePaged<OwnEvents>("/me/audit-trail", { limit: "25", action })
  const keys = useKeysById()
  return (
    <LoadedTablePanel
      title="Events"
      of={load}
      isStacked
      rows={({ events }) => events}
      rowKey={({ at }, n) => `${at} ${n}`}
      columns={[
        ["When", ({ at }) => moment(at), "nowrap"],
        ["What", ({ action }) => ACTION_WORDS[action], { phone: "" }],
        ["Concerns", ({ subject }) => <OwnSubject id={subject} keys={keys} />, "break"],
        ["By", ({ by }) => BY[by], "soft"],
      ]}
      empty={[
        "No events",
        action ? "Nothing of this kind has happened." : "What is done with the account appears here.",
      ]}
    >
      <div class="row end">
        <Select label="Show" value={action} options={OWN_ACTION_OPTIONS} onValue={setAction} />
      </div>
    </LoadedTablePanel>
  )
}

function OwnSubject({ id, keys }: { id: string | null; keys: ReadonlyMap<string, Key> }) {
  if (id === null) return <span class="soft">a person, stored as a hash</span>
  if (id.startsWith("kid_")) return <KeyName id={id} of={keys.get(id)} />
  return id.startsWith("acc_") ? <span>your account</span> : <code>{id}</code>
}

type Entry = AuditTrail["entries"][number]

export const FullTrailPage = page(Trail, {
  title: "Service audit trail",
  lead: "Changes by accounts and every use of the admin secret, as a chain of hashes, without addresses.",
  access: "operator",
})

function Trail() {
  const [action, setAction] = useChoice("action")
  const [subject, setSubject] = useChoice("subject")
  const readsChoice = useChoice("reads")
  const [reads] = readsChoice
  // A choice of an action or a subject shows all of it.
  const filters = { limit: "25", action, subject, reads: action || subject || reads ? "" : "false" }
  const load = usePaged<AuditTrail>("/compliance/audit-trail", filters, { asOperator: true })
  const placeholder = "id of an account, key or node"
  const form = useForm({ subject: { label: "Concerns", placeholder, initial: subject } }, (entered) => {
    setSubject(entered.subject)
    return null
  })
  return (
    <LoadedTablePanel
      title="Entries"
      of={load}
      isStacked
      rows={({ entries }) => entries}
      rowKey={({ seq }) => seq}
      columns={TRAIL_COLUMNS}
      above={(trail) => <Intact of={trail} />}
      empty={["No entries"]}
    >
      <div class="row end">
        <Select label="Show" value={action} options={ACTION_OPTIONS} onValue={setAction} />
        <Form of={form} submit="Search" layout="row" isBusy={load.isStale} />
      </div>
      {!action && !subject && <ChoiceCheck label="Show what the operator only read" choice={readsChoice} on="shown" />}
    </LoadedTablePanel>
  )
}

const Intact = ({ of: { verified, broken_at, checked } }: { of: AuditTrail }) =>
  verified ? (
    <p class="soft small">The chain is intact in the last {count(checked)} entries.</p>
  ) : (
    <Notice
      tone="invalid"
      title={`Entry ${broken_at} was changed`}
      text="Its hash does not match. An entry was changed, removed or inserted in the database."
    />
  )

const TRAIL_COLUMNS: readonly Column<Entry>[] = [
  ["No.", ({ seq }) => seq, { class: "num soft", phone: "No." }],
  ["When", ({ at }) => moment(at), "nowrap"],
  [
    "What",
    ({ action, details: { from, to } }) => (
      <>
        {ACTION_WORDS[action]}
        {typeof from === "string" && typeof to === "string" && (
          <div class="soft small">{`${plain(from)} to ${plain(to)}`}</div>
        )}
      </>
    ),
    { phone: "" },
  ],
  ["By", ({ actor }) => (actor === "admin" ? "Operator" : <code class="small">{actor}</code>), "break"],
  ["Concerns", ({ subject }) => <Subject id={subject} />, "break"],
  ["Call", ({ details }) => details.call, "break soft small"],
]

function Subject({ id }: { id: string }) {
  const name = <code class="small">{id}</code>
  return id.startsWith("acc_") ? <a href={`#/accounts/${id}`}>{name}</a> : name
}
