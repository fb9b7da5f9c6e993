import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useAction } from "../../api/load.ts"
import type { IntegrationState, TestedIntegration } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Ago } from "../../parts/text.tsx"
import { Events } from "./events.tsx"
import { PROVIDERS } from "./providers.ts"
import { Remove } from "./remove.tsx"
import { StartSync, SyncProgress } from "./sync.tsx"
import { Tested } from "./tested.tsx"
import { HEALTHS, OUTCOMES } from "./words.ts"

/** An integration: how it is, its sync, and what can be done with it. */
export function IntegrationCard({ of: integration, onChange }: { of: IntegrationState; onChange: () => void }) {
  const { integration_id, provider, name, health, last_answer_at, last_failure, sync } = integration
  const isUnnamed = name.toLowerCase() === provider
  const [tone, title, meaning] = HEALTHS[health]
  const [tested, setTested] = useState<TestedIntegration | null>(null)
  const [isOpen, setOpen] = useState(false)
  const test = useAction(async () => {
    setTested(null)
    const answer = await call<TestedIntegration>("/integrations/test", { method: "POST", json: { integration_id } })
    onChange()
    if (answer.ok) setTested(answer.body)
    return answer.ok ? null : answer.problem
  })
  return (
    <section class="panel" aria-label={name}>
      <div class="panel-head">
        <h2 class="break">{isUnnamed ? PROVIDERS[provider].title : name}</h2>
        <div class="row">
          {!isUnnamed && <span class="soft small">{PROVIDERS[provider].title}</span>}
          <Badge tone={tone}>{title}</Badge>
        </div>
      </div>
      <p>{meaning}</p>
      <p class="soft small break">
        Last answer: <Ago at={last_answer_at} />.
        {last_failure && (
          <>
            {" "}
            Last failure: <Ago at={last_failure.at} />, {OUTCOMES[last_failure.outcome].toLowerCase()}
            {last_failure.http_status !== null && ` (status ${last_failure.http_status})`}
            {last_failure.detail && `: ${last_failure.detail}`}.
          </>
        )}
      </p>
      {sync && <SyncProgress sync={sync} />}
      <div class="row">
        {PROVIDERS[provider].hasContacts && <StartSync of={integration} onChange={onChange} />}
        <button type="button" class="button quiet" aria-disabled={test.busy} onClick={() => void test.run()}>
          {test.busy ? "Testing" : "Test"}
        </button>
        <Remove of={integration} onChange={onChange} />
      </div>
      <ProblemNotice problem={test.problem} />
      {tested && <Tested tested={tested} />}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="small">Events</summary>
        {isOpen && <Events integrationId={integration_id} name={name} />}
      </details>
    </section>
  )
}
