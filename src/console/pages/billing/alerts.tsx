import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { UsageAlerts } from "../../api/shapes.ts"
import { Check, Field, SubmitButton } from "../../parts/field.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"

const PERCENTS = new Intl.ListFormat("en", { type: "conjunction" })

/** Where the account learns that its credits run out. */
export function Alerts() {
  const load = useLoad("alerts", (signal) => call<UsageAlerts>("/me/alerts", { signal }))
  return (
    <Panel title="Alerts">
      <Loaded of={load} lines={3}>
        {(alerts) => <AlertForm alerts={alerts} />}
      </Loaded>
    </Panel>
  )
}

function AlertForm({ alerts }: { alerts: UsageAlerts }) {
  const [mail, setMail] = useState(alerts.mail)
  const [url, setUrl] = useState(alerts.webhook_url ?? "")
  const [isSaved, setSaved] = useState(false)
  const { busy, problem, run } = useAction(async () => {
    setSaved(false)
    const json = { mail, webhook_url: url.trim() || null }
    const answer = await call<UsageAlerts>("/me/alerts", {
      method: "PUT",
      json,
      labels: { webhook_url: "Webhook URL" },
    })
    if (!answer.ok) return answer.problem
    setSaved(true)
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
      <p class="soft">
        Sent when {PERCENTS.format(alerts.percents.map((share) => `${share}%`))} of the month's credits are used, once a
        month each.
      </p>
      <Check label="Email" hint="to the confirmed mailbox of the account" checked={mail} onChecked={setMail} />
      <Field
        label="Webhook URL"
        placeholder="https://hooks.example.org/usage"
        hint="Receives the event usage.threshold. Leave it empty for none."
        value={url}
        onValue={setUrl}
      />
      <div>
        <SubmitButton label="Save alerts" busy={busy} />
      </div>
      <ProblemNotice problem={problem} />
      {isSaved && <Notice tone="valid" title="Saved" />}
    </form>
  )
}
