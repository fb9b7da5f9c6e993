import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { SettingsInForce } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Check } from "../../parts/field.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { useChoice } from "../../route.ts"
import { count } from "../../words.ts"

/** Which settings are given, by name. Values are not shown, because many are secrets. */
export function SettingsPage() {
  return (
    <Page
      title="Settings"
      lead="Which settings the service was started with. Their values are not shown, because many are secrets."
    >
      <ForOperator>
        <Settings />
      </ForOperator>
    </Page>
  )
}

function Settings() {
  const load = useLoad("settings", (signal) => call<SettingsInForce>("/admin/settings", { signal, asOperator: true }))
  const [given, setGiven] = useChoice("given")
  return (
    <Loaded of={load} lines={8}>
      {({ settings, version, release }) => {
        const shown = given ? settings.filter((one) => one.given) : settings
        const amount = settings.filter((one) => one.given).length
        return (
          <Panel
            title={`${count(amount)} of ${count(settings.length)} given`}
            note={`Version ${release}, API version ${version}`}
          >
            <p>
              The others have their defaults, or their feature is off. <code>.env.example</code> describes each.
            </p>
            <Check
              label="Only given settings"
              checked={given !== ""}
              onChecked={(next) => setGiven(next ? "yes" : "")}
            />
            <Scroll label="Settings">
              <table class="table">
                <thead>
                  <tr>
                    <th>Name</th>
                    <th>In use</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map((one) => (
                    <tr key={one.name}>
                      <td class="break">
                        <code>{one.name}</code>
                      </td>
                      <td>{one.given ? <Badge tone="accent">Given</Badge> : <span class="soft">Default</span>}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
          </Panel>
        )
      }}
    </Loaded>
  )
}
