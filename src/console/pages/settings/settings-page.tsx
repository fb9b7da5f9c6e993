import { useGet } from "../../api/load.ts"
import type { SettingsInForce } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { DataTable } from "../../parts/data-table.tsx"
import { Check } from "../../parts/field.tsx"
import { Loaded, Panel, page } from "../../parts/page.tsx"
import { useChoice } from "../../route.ts"
import { count } from "../../words.ts"

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
