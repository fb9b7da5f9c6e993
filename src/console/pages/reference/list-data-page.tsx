import type { ListClass } from "../../../../schema/vocabulary.ts"
import { change } from "../../api/call.ts"
import { useGet, usePaged } from "../../api/load.ts"
import type { DisposableStats, OverridePage } from "../../api/shapes.ts"
import { ActionButton } from "../../parts/buttons.tsx"
import { DataTable, LoadedTable } from "../../parts/data-table.tsx"
import { Confirm } from "../../parts/dialog.tsx"
import { Tiles } from "../../parts/figures.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { Ago, Badge, withNote } from "../../parts/text.tsx"
import { count, plain } from "../../words.ts"

/** The domain lists that judge addresses: their version, their updates and the operator's own entries. */
export const ListDataPage = page(ListData, {
  title: "Domain lists",
  lead: "Disposable, free and other domains: the active version, updates and your own entries.",
  access: "operator",
})

function ListData() {
  const load = useGet<DisposableStats>("/admin/disposable-stats", { asOperator: true })
  return (
    <>
      <Loaded of={load} lines={6}>
        {(stats) => (
          <>
            <Tiles
              tiles={[
                ["Version", stats.version],
                [
                  "Disposable domains",
                  count(stats.shipped.disposable_domains),
                  `and ${count(stats.fetched.disposable ?? 0)} fetched since`,
                ],
                ["Last update", <Ago at={stats.last_refresh} />],
              ]}
            />
            <Updates stats={stats} onDone={load.reload} />
          </>
        )}
      </Loaded>
      <Overrides onChange={load.reload} />
    </>
  )
}

/** The last updates, and the button that fetches the configured sources and applies what they agree on. */
function Updates({ stats: { refreshes }, onDone }: { stats: DisposableStats; onDone: () => void }) {
  async function update() {
    const problem = await change("/admin/update-intelligence", { method: "POST", asOperator: true })
    onDone()
    return problem
  }
  return (
    <Panel title="Updates" note="the last ten">
      <div class="row">
        <ActionButton label="Update now" busyLabel="Updating" onAct={update} />
      </div>
      <DataTable
        label="Updates"
        rows={refreshes}
        rowKey={(one) => `${one.at} ${one.class}`}
        columns={[
          { title: "When", cell: ({ at }) => <Ago at={at} /> },
          { title: "List", cell: (one) => plain(one.class) },
          {
            title: "Outcome",
            cell: ({ outcome, reason }) =>
              withNote(<Badge tone={outcome === "refused" ? "invalid" : "valid"}>{plain(outcome)}</Badge>, reason),
          },
          { title: "Added", class: "num", cell: ({ added }) => count(added) },
          { title: "Removed", class: "num", cell: ({ removed }) => count(removed) },
        ]}
        empty={<Empty title="No updates yet" text="The lists are those of the release." />}
      />
    </Panel>
  )
}

const CLASSES = ["allow", "disposable", "relay", "free", "corporate"] as const satisfies readonly ListClass[]
const classWords = (name: ListClass): string => (name === "allow" ? "Not disposable" : plain(name))
const PATH = "/admin/lists/overrides"

/** The operator's own entries, which win over the lists. @param onChange called after each change */
function Overrides({ onChange }: { onChange: () => void }) {
  const load = usePaged<OverridePage>(PATH, {}, { asOperator: true })
  function changed() {
    load.reload()
    onChange()
  }
  const form = useForm(
    {
      domain: { label: "Domain", placeholder: "example.com", required: true },
      class: { label: "Class", options: CLASSES.map((name) => [name, classWords(name)] as const) },
      note: { label: "Note", placeholder: "why" },
    },
    ({ note, ...entry }, labels) =>
      change(PATH, { method: "POST", json: { ...entry, ...(note && { note }) }, asOperator: true, labels }, changed),
    { resets: "texts" },
  )
  const remove = (domain: string) =>
    change(`${PATH}/${encodeURIComponent(domain)}`, { method: "DELETE", asOperator: true }, changed)
  return (
    <Panel title="Your own entries" note="they win over the lists, everywhere within a minute">
      <Form of={form} submit="Add" layout="row" />
      <LoadedTable
        of={load}
        label="Your own entries"
        rows={({ overrides }) => overrides}
        rowKey={({ domain }) => domain}
        columns={[
          { title: "Domain", class: "break", cell: ({ domain }) => domain },
          { title: "Class", cell: (one) => classWords(one.class) },
          { title: "Note", class: "break", cell: ({ note }) => note },
          { title: "Since", cell: ({ created_at }) => <Ago at={created_at} /> },
          {
            title: "",
            cell: ({ domain }) => (
              <Confirm label="Remove" title={`Remove the entry for ${domain}?`} onConfirm={() => remove(domain)}>
                <p>The lists decide about this domain again.</p>
              </Confirm>
            ),
          },
        ]}
        empty={<Empty title="No entries" />}
      />
    </Panel>
  )
}
