import { useGet } from "../../api/load.ts"
import type { SettingsInForce } from "../../api/shapes.ts"
import { DataTable } from "../../parts/data-table.tsx"
import { Check } from "../../parts/field.tsx"
import { Loaded, Page, Panel, page } from "../../parts/page.tsx"
import { Badge } from "../../parts/text.tsx"
import { OPERATOR_PAGES, useChoice } from "../../route.ts"
import { count } from "../../words.ts"

/** The entry to the operator's pages: the admin secret first, then what each page is for. */
export function OperatorPage() {
  return (
    <Page title="Operator" lead="Pages for the operator of this service." access="operator">
      <ul class="cards">
        {OPERATOR_PAGES.map(([step, title, purpose]) => (
          <li key={step} class="panel">
            <h2>
              <a href={`#/${step}`}>{title}</a>
            </h2>
            <p class="soft">{purpose}</p>
          </li>
        ))}
      </ul>
    </Page>
  )
}

/** Which settings are given, by name. Values are not shown, because many are secrets. */
export const SettingsPage = page(Settings, {
  title: "Settings",
  lead: "Which settings the service was started with. Their values are not shown, because many are secrets.",
  access: "operator",
})

function Settings() {
  const load = useGet<SettingsInForce>("/admin/settings", { asOperator: true })
  const [onlyGiven, setOnlyGiven] = useChoice("given")
  return (
    <Loaded of={load} lines={8}>
      {({ settings, version, release }) => {
        const given = settings.filter((one) => one.given)
        return (
          <Panel
            title={`${count(given.length)} of ${count(settings.length)} given`}
            note={`Version ${release}, API version ${version}`}
          >
            <p>
              The others have their defaults, or their feature is off. <code>.env.example</code> describes each.
            </p>
            <Check
              label="Only given settings"
              checked={onlyGiven !== ""}
              onChecked={(next) => setOnlyGiven(next ? "yes" : "")}
            />
            <DataTable
              label="Settings"
              rows={onlyGiven ? given : settings}
              rowKey={({ name }) => name}
              columns={[
                { title: "Name", class: "break", cell: ({ name }) => <code>{name}</code> },
                {
                  title: "In use",
                  cell: ({ given }) => (given ? <Badge tone="accent">Given</Badge> : <span class="soft">Default</span>),
                },
              ]}
            />
          </Panel>
        )
      }}
    </Loaded>
  )
}
