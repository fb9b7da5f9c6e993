import { useState } from "preact/hooks"
import type { ListClass } from "../../../../schema/vocabulary.ts"
import { call, type Problem } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { OverridePage } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Field, Select, SubmitButton } from "../../parts/field.tsx"
import { Empty, ProblemNotice } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Ago } from "../../parts/text.tsx"
import { plain } from "../../words.ts"

const LIST_CLASSES = ["disposable", "relay", "free", "corporate", "allow"] as const satisfies readonly ListClass[]
const PATH = "/admin/lists/overrides"

/** The operator's own entries, which win over the lists. @param onChange called after each change */
export function Overrides({ onChange }: { onChange: () => void }) {
  const pages = usePages()
  const { cursor } = pages
  const load = useLoad(
    `overrides ${cursor}`,
    (signal) => call<OverridePage>(`${PATH}?${new URLSearchParams({ cursor })}`, { signal, asOperator: true }),
    { keepPrevious: true },
  )
  function changed() {
    load.reload()
    onChange()
  }
  return (
    <Panel title="Your own entries" note="they win over the lists, everywhere within a minute">
      <Add onAdded={changed} />
      <Loaded of={load}>
        {({ overrides, next_cursor: next }) => (
          <>
            {overrides.length === 0 ? <Empty title="No entries" /> : <Entries of={overrides} onChange={changed} />}
            <Pager pages={pages} next={next} busy={load.isStale} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function Add({ onAdded }: { onAdded: () => void }) {
  const [domain, setDomain] = useState("")
  const [note, setNote] = useState("")
  const [listClass, setClass] = useState<ListClass>("allow")
  const { busy, problem, run } = useAction(async () => {
    const json = { domain: domain.trim(), class: listClass, ...(note.trim() ? { note: note.trim() } : {}) }
    const answer = await call(PATH, { method: "POST", json, asOperator: true })
    if (!answer.ok) return answer.problem
    setDomain("")
    setNote("")
    onAdded()
    return null
  })
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <div class="row end">
        <Field label="Domain" placeholder="example.com" value={domain} onValue={setDomain} required />
        <Select
          label="Class"
          value={listClass}
          options={LIST_CLASSES.map((name) => [name, name === "allow" ? "Not disposable" : plain(name)] as const)}
          onValue={setClass}
        />
        <Field label="Note" placeholder="why" value={note} onValue={setNote} />
        <SubmitButton label="Add" busy={busy} />
      </div>
      <ProblemNotice problem={problem} />
    </form>
  )
}

function Entries({ of: overrides, onChange }: { of: OverridePage["overrides"]; onChange: () => void }) {
  async function remove(domain: string): Promise<Problem | null> {
    const answer = await call(`${PATH}/${encodeURIComponent(domain)}`, { method: "DELETE", asOperator: true })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  return (
    <Scroll label="Your own entries">
      <table class="table">
        <thead>
          <tr>
            <th>Domain</th>
            <th>Class</th>
            <th>Note</th>
            <th>Since</th>
            <th>
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {overrides.map((one) => (
            <tr key={one.domain}>
              <td class="break">{one.domain}</td>
              <td>{one.class === "allow" ? "Not disposable" : plain(one.class)}</td>
              <td class="break">{one.note}</td>
              <td>
                <Ago at={one.created_at} />
              </td>
              <td>
                <Confirm
                  label="Remove"
                  title={`Remove the entry for ${one.domain}?`}
                  onConfirm={() => remove(one.domain)}
                >
                  <p>The lists decide about this domain again.</p>
                </Confirm>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
