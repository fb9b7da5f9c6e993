import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Key, OwnEvents } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { KeyName, useKeysById } from "../../parts/key-name.tsx"
import { Empty } from "../../parts/notice.tsx"
import { ForAccount, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { useChoice } from "../../route.ts"
import { moment } from "../../words.ts"
import { ACTION_WORDS, OWN_ACTION_OPTIONS } from "./actions.ts"

type Event = OwnEvents["events"][number]

const BY: Readonly<Record<Event["by"], string>> = {
  account: "You, or a key of this account",
  operator: "The operator of this service",
  service: "This service",
  other: "A caller without an account",
}

/** What was done with the account. */
export function AuditPage() {
  return (
    <Page
      title="Audit trail"
      lead="Sign-ins, keys, plans, exports and erasures of your account. Entries cannot be changed."
    >
      <ForAccount>
        <Events />
      </ForAccount>
    </Page>
  )
}

function Events() {
  const [action, setAction] = useChoice("action")
  const pages = usePages()
  const { cursor } = pages
  const query = new URLSearchParams({ limit: "25", ...(action ? { action } : {}), ...(cursor ? { cursor } : {}) })
  const load = useLoad(`own events ${query}`, (signal) => call<OwnEvents>(`/me/audit-trail?${query}`, { signal }), {
    keepPrevious: true,
  })
  return (
    <Panel title="Events">
      <div class="row end">
        <Select
          label="Show"
          value={action as "" | Event["action"]}
          options={OWN_ACTION_OPTIONS}
          onValue={(next) => {
            setAction(next)
            pages.restart()
          }}
        />
      </div>
      <Loaded of={load}>
        {({ events, next_cursor: next }) => (
          <>
            {events.length === 0 ? (
              <Empty title="No events">
                <p>{action ? "Nothing of this kind has happened." : "What is done with the account appears here."}</p>
              </Empty>
            ) : (
              <EventTable events={events} />
            )}
            <Pager pages={pages} next={next === null ? null : String(next)} busy={load.isStale} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function EventTable({ events }: { events: readonly Event[] }) {
  const keys = useKeysById()
  return (
    <Scroll label="Events">
      <table class="table stacked">
        <thead>
          <tr>
            <th>When</th>
            <th>What</th>
            <th>Concerns</th>
            <th>By</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ at, action, by, subject }, n) => (
            <tr key={`${at} ${n}`}>
              <td class="nowrap">{moment(at)}</td>
              <td>{ACTION_WORDS[action]}</td>
              <td class="break" data-name="Concerns">
                <Subject id={subject} keys={keys} />
              </td>
              <td class="soft" data-name="By">
                {BY[by]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function Subject({ id, keys }: { id: string | null; keys: ReadonlyMap<string, Key> }) {
  if (id === null) return <span class="soft">a person, stored as a hash</span>
  if (id.startsWith("kid_")) return <KeyName id={id} of={keys.get(id)} />
  return id.startsWith("acc_") ? <span>your account</span> : <code>{id}</code>
}
