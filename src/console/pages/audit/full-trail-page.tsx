import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { AuditTrail } from "../../api/shapes.ts"
import { Check, Field, Select, SubmitButton } from "../../parts/field.tsx"
import { Empty, Notice } from "../../parts/notice.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { useChoice } from "../../route.ts"
import { count, moment, plain } from "../../words.ts"
import { ACTION_OPTIONS, ACTION_WORDS } from "./actions.ts"

type Entry = AuditTrail["entries"][number]

/** The audit trail of the whole service. */
export function FullTrailPage() {
  return (
    <Page
      title="Service audit trail"
      lead="Changes by accounts and every use of the admin secret, as a chain of hashes, without addresses."
    >
      <ForOperator>
        <Trail />
      </ForOperator>
    </Page>
  )
}

function Trail() {
  const [action, setAction] = useChoice("action")
  const [subject, setSubject] = useChoice("subject")
  const [entered, setEntered] = useState(subject)
  const pages = usePages()
  const { cursor } = pages
  const [reads, setReads] = useChoice("reads")
  // A choice of an action or a subject shows all of it.
  const filters = {
    ...(action ? { action } : {}),
    ...(subject ? { subject } : {}),
    ...(action || subject || reads ? {} : { reads: "false" }),
  }
  const query = new URLSearchParams({ limit: "25", ...filters, ...(cursor ? { cursor } : {}) })
  const load = useLoad(
    `trail ${query}`,
    (signal) => call<AuditTrail>(`/compliance/audit-trail?${query}`, { signal, asOperator: true }),
    { keepPrevious: true },
  )
  return (
    <Panel title="Entries">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          setSubject(entered.trim())
          pages.restart()
        }}
      >
        <Select
          label="Show"
          value={action as "" | Entry["action"]}
          options={ACTION_OPTIONS}
          onValue={(next) => {
            setAction(next)
            pages.restart()
          }}
        />
        <Field label="Concerns" placeholder="id of an account, key or node" value={entered} onValue={setEntered} />
        <SubmitButton label="Search" busy={load.isStale} />
      </form>
      {!action && !subject && (
        <Check
          label="Show what the operator only read"
          checked={reads !== ""}
          onChecked={(isChosen) => {
            setReads(isChosen ? "shown" : "")
            pages.restart()
          }}
        />
      )}
      <Loaded of={load}>
        {(trail) => (
          <>
            <Intact of={trail} />
            {trail.entries.length === 0 ? <Empty title="No entries" /> : <Entries of={trail.entries} />}
            <Pager
              pages={pages}
              next={trail.next_cursor === null ? null : String(trail.next_cursor)}
              busy={load.isStale}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function Intact({ of: { verified, broken_at, checked } }: { of: AuditTrail }) {
  return verified ? (
    <p class="soft small">The chain is intact in the last {count(checked)} entries.</p>
  ) : (
    <Notice tone="invalid" title={`Entry ${broken_at} was changed`}>
      <p>Its hash does not match. An entry was changed, removed or inserted in the database.</p>
    </Notice>
  )
}

function Entries({ of: entries }: { of: readonly Entry[] }) {
  return (
    <Scroll label="Entries">
      <table class="table stacked">
        <thead>
          <tr>
            <th class="num">No.</th>
            <th>When</th>
            <th>What</th>
            <th>By</th>
            <th>Concerns</th>
            <th>Call</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ seq, at, action, actor, subject, details }) => (
            <tr key={seq}>
              <td class="num soft" data-name="No.">
                {seq}
              </td>
              <td class="nowrap" data-name="When">
                {moment(at)}
              </td>
              <td>
                {ACTION_WORDS[action]}
                {typeof details.from === "string" && typeof details.to === "string" && (
                  <div class="soft small">
                    {plain(details.from)} to {plain(details.to)}
                  </div>
                )}
              </td>
              <td class="break" data-name="By">
                {actor === "admin" ? "Operator" : <code class="small">{actor}</code>}
              </td>
              <td class="break" data-name="Concerns">
                <Subject id={subject} />
              </td>
              <td class="break soft small" data-name="Call">
                {details.call}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function Subject({ id }: { id: string }) {
  const name = <code class="small">{id}</code>
  return id.startsWith("acc_") ? <a href={`#/accounts/${id}`}>{name}</a> : name
}
