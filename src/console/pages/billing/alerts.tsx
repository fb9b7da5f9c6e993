import { useEffect, useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { Account, UsageAlerts } from "../../api/shapes.ts"
import { Check, Field, SubmitButton } from "../../parts/field.tsx"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { useChoice } from "../../route.ts"
import { useSession } from "../../session.tsx"

const PERCENTS = new Intl.ListFormat("en", { type: "conjunction" })

/** The panel, which the page scrolls to at `?at=alerts`. */
const ALERTS_ID = "alerts"

/** Where the account learns that its credits run out. */
export function Alerts() {
  const load = useLoad("alerts", (signal) => call<UsageAlerts>("/me/alerts", { signal }))
  return (
    <Panel title="Alerts" id={ALERTS_ID}>
      <Loaded of={load} lines={3}>
        {(alerts) => <AlertForm alerts={alerts} />}
      </Loaded>
    </Panel>
  )
}

function AlertForm({ alerts }: { alerts: UsageAlerts }) {
  const { account } = useSession()
  const [at] = useChoice("at")
  useEffect(() => {
    if (at === ALERTS_ID) document.getElementById(ALERTS_ID)?.scrollIntoView()
  }, [at])
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
      <Check
        label="Email"
        hint={account ? recipientOf(account) : "to the mailbox of the account"}
        checked={mail}
        onChecked={setMail}
      />
      <Field
        label="Webhook URL"
        placeholder="https://hooks.example.org/usage"
        hint="Also gets these alerts. The webhooks of your account get them by “Credits running out”."
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

/** A sign-in by email has confirmed the mailbox. An API key does not say whether it is. */
const recipientOf = ({ email, signed_in_by }: Account): string =>
  signed_in_by === "key" ? `to ${email}, once this mailbox is confirmed` : `to ${email}`
