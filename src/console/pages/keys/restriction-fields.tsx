import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { Check, Select } from "../../parts/field.tsx"
import { type Draft, type DraftField, EXPIRIES, type Fault, localDay, SCOPES } from "./restrictions.ts"

interface RestrictionFieldsProps {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  readonly fault: Fault | null
}

/** The fields of a key's restrictions. A fault moves the focus to its field. */
export function RestrictionFields({ draft, onDraft, fault }: RestrictionFieldsProps) {
  const set = (change: Partial<Draft>) => onDraft({ ...draft, ...change })
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!fault) return
    box.current!.closest("details")?.setAttribute("open", "")
    box.current!.querySelector<HTMLElement>(`[data-field="${fault.field}"]`)?.focus()
  }, [fault])
  return (
    <div class="stack" ref={box}>
      <div class="form-grid two">
        <Select label="Expires" value={draft.expiry} options={EXPIRIES} onValue={(expiry) => set({ expiry })} />
        {draft.expiry === "date" && <LastDay date={draft.date} fault={fault} onDate={(date) => set({ date })} />}
      </div>
      <Scopes draft={draft} fault={fault} onScopes={(scopes) => set({ scopes })} />
      <div class="form-grid">
        <Lines
          fault={fault}
          field="networks"
          label="Allowed networks"
          hint="Only these IP addresses and ranges may use the key. One per line; empty means any."
          placeholder="203.0.113.0/24"
          value={draft.networks}
          onValue={(networks) => set({ networks })}
        />
        <Lines
          fault={fault}
          field="websites"
          label="Allowed websites"
          hint="Only pages of these websites may use the key, and no other program. One per line; empty means any."
          placeholder="https://app.example.org"
          value={draft.websites}
          onValue={(websites) => set({ websites })}
        />
      </div>
    </div>
  )
}

function LastDay({ date, fault, onDate }: { date: string; fault: Fault | null; onDate: (date: string) => void }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Last day</label>
      <input
        id={id}
        type="date"
        class="input"
        min={localDay(new Date())}
        value={date}
        onInput={(event) => onDate(event.currentTarget.value)}
        {...faultOf("date", fault, id)}
      />
      <FaultLine field="date" fault={fault} id={id} />
    </div>
  )
}

function Scopes({
  draft: { scopes },
  fault,
  onScopes,
}: {
  draft: Draft
  fault: Fault | null
  onScopes: (scopes: Draft["scopes"]) => void
}) {
  const id = useId()
  const isAnyOn = scopes.length > 0
  return (
    <fieldset class="scopes" tabIndex={-1} {...faultOf("scopes", fault, id)}>
      <legend>Allowed actions</legend>
      {SCOPES.map(([scope, name, sentence]) => (
        <Check
          key={scope}
          label={name}
          hint={sentence}
          checked={scopes.includes(scope)}
          onChecked={(isOn) => onScopes(isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
        />
      ))}
      <div>
        <button
          type="button"
          class="link small"
          onClick={() => onScopes(isAnyOn ? [] : SCOPES.map(([scope]) => scope))}
        >
          {isAnyOn ? "Uncheck all" : "Check all"}
        </button>
      </div>
      <FaultLine field="scopes" fault={fault} id={id} />
    </fieldset>
  )
}

interface LinesProps {
  readonly field: DraftField
  readonly label: string
  readonly hint: ComponentChildren
  readonly placeholder: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly fault: Fault | null
}

/** A text area with one entry per line. */
function Lines({ field, label, hint, placeholder, value, onValue, fault }: LinesProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class="input"
        rows={3}
        spellcheck={false}
        autoCapitalize="off"
        placeholder={placeholder}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
        {...faultOf(field, fault, id, `${id}-hint`)}
      />
      <small id={`${id}-hint`}>{hint}</small>
      <FaultLine field={field} fault={fault} id={id} />
    </div>
  )
}

/** Attributes that connect a field with its fault. @param hint the element of its hint */
function faultOf(field: DraftField, fault: Fault | null, id: string, hint = "") {
  const isFaulty = fault?.field === field
  const described = [hint, isFaulty ? `${id}-fault` : ""].filter(Boolean).join(" ")
  return {
    "data-field": field,
    ...(isFaulty ? { "aria-invalid": true } : {}),
    ...(described === "" ? {} : { "aria-describedby": described }),
  }
}

function FaultLine({ field, fault, id }: { field: DraftField; fault: Fault | null; id: string }) {
  return fault?.field === field ? (
    <p id={`${id}-fault`} class="fault small" role="alert">
      {fault.message}
    </p>
  ) : null
}
