import type { ListClass } from "../../../../schema/vocabulary.ts"
import { change, useGet, usePaged } from "../../api/call.ts"
import type { DisposableStats, OverridePage } from "../../api/shapes.ts"
import { ActionButton, Confirm } from "../../parts/buttons.tsx"
import { LoadedTablePanel, TablePanel } from "../../parts/data-table.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, page } from "../../parts/page.tsx"
import { Ago, Badge, Tiles, withNote } from "../../parts/text.tsx"
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
    <TablePanel
      title="Updates"
      note="the last ten"
      rows={refreshes}
      rowKey={(one) => `${one.at} ${one.class}`}
      columns={[
        ["When", ({ at }) => <Ago at={at} />],
        ["List", (one) => plain(one.class)],
        [
          "Outcome",
          ({ outcome, reason }) =>
            withNote(<Badge tone={outcome === "refused" ? "invalid" : "valid"}>{plain(outcome)}</Badge>, reason),
        ],
        ["Added", ({ added }) => count(added), "num"],
        ["Removed", ({ removed }) => count(removed), "num"],
      ]}
      empty={["No updates yet", "The lists are those of the release."]}
    >
      <div class="row">
        <ActionButton label="Update now" busyLabel="Updating" onAct={update} />
      </div>
    </TablePanel>
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
    <LoadedTablePanel
      title="Your own entries"
      note="they win over the lists, everywhere within a minute"
      of={load}
      rows={({ overrides }) => overrides}
      rowKey={({ domain }) => domain}
      columns={[
        ["Domain", ({ domain }) => domain, "break"],
        ["Class", (one) => classWords(one.class)],
        ["Note", ({ note }) => note, "break"],
        ["Since", ({ created_at }) => <Ago at={created_at} />],
        [
          "",
          ({ domain }) => (
            <Confirm label="Remove" title={`Remove the entry for ${domain}?`} onConfirm={() => remove(domain)}>
              <p>The lists decide about this domain again.</p>
            </Confirm>
          ),
        ],
      ]}
      empty={["No entries"]}
    >
      <Form of={form} submit="Add" layout="row" />
    </LoadedTablePanel>
  )
}
