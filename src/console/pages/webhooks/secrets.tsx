import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { WebhookSecret } from "../../api/shapes.ts"
import { Confirm } from "../../parts/confirm.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { OneTimeSecret } from "../../parts/one-time-secret.tsx"
import { Panel } from "../../parts/page.tsx"
import { moment } from "../../words.ts"

export function Secrets() {
  const load = useLoad("secrets", (signal) =>
    call<{ secrets: readonly WebhookSecret[] }>("/webhooks/secret", { signal }),
  )
  const [newSecret, setNewSecret] = useState<string | null>(null)
  async function request(path: string): Promise<Problem | null> {
    const answer = await call<{ secret: string }>(path, { method: "POST" })
    if (!answer.ok) return answer.problem
    setNewSecret(answer.body.secret)
    load.reload()
    return null
  }
  const show = useAction(() => request("/webhooks/secret"))
  return (
    <Panel title="Signing secret" note="receivers use it to verify our signature">
      <Loaded of={load} lines={2}>
        {({ secrets }) => (
          <div class="stack">
            {secrets.map((secret) => (
              <p key={secret.secret_id}>
                Created {moment(secret.created_at)}
                {secret.expires_at && `, also signs until ${moment(secret.expires_at)}`}
                <span class="soft">{secret.shown ? ", already shown" : ", not shown yet"}</span>
              </p>
            ))}
            {secrets.length === 0 && <p class="soft">None yet. It is created when you show it.</p>}
            <div class="row">
              {!secrets[0]?.shown && (
                <button type="button" class="button" aria-disabled={show.busy} onClick={() => void show.run()}>
                  Show the secret
                </button>
              )}
              {secrets.length > 0 && (
                <Confirm
                  label="Rotate"
                  title="Create a new signing secret?"
                  onConfirm={() => request("/webhooks/secret/rotate")}
                >
                  <p>The old secret also signs for 24 hours, so that receivers can switch.</p>
                </Confirm>
              )}
            </div>
            <ProblemNotice problem={show.problem} />
          </div>
        )}
      </Loaded>
      {newSecret && <OneTimeSecret title="Your signing secret" secret={newSecret} onClose={() => setNewSecret(null)} />}
    </Panel>
  )
}
