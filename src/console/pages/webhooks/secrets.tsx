import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { WebhookSecret } from "../../api/shapes.ts"
import { Copy } from "../../parts/buttons.tsx"
import { Confirm, OneTimeSecret } from "../../parts/dialog.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { moment } from "../../words.ts"
import { SAMPLE } from "./sample.ts"

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
    <Panel title="Signing secret">
      <p>
        Every event is signed with this secret, by the <b>Standard Webhooks</b> specification. Your server verifies the
        signature, so that it trusts only events from us.
      </p>
      <Loaded of={load} lines={2}>
        {({ secrets }) => (
          <div class="stack">
            {secrets.map((secret) => (
              <p class="soft small" key={secret.secret_id}>
                Created {moment(secret.created_at)}.{" "}
                {secret.expires_at && `The former secret: it also signs until ${moment(secret.expires_at)}. `}
                {!secret.expires_at && (secret.shown ? "It was shown. Rotate it if you lost it." : "Not shown yet.")}
              </p>
            ))}
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
      <details>
        <summary>How to verify a signature</summary>
        <div class="stack">
          <p>
            Any Standard Webhooks library does it. For Node: <code>npm install standardwebhooks</code>, and then
          </p>
          <Scroll label="Receiver that verifies the signature" variant="code">
            <pre>{SAMPLE}</pre>
          </Scroll>
          <Copy text={SAMPLE} label="Copy the code" />
          <p class="soft small">
            Answer 2xx within 15 seconds. Anything else is retried for three days. The header webhook-id is the same at
            every attempt: process each once.
          </p>
        </div>
      </details>
      {newSecret && <OneTimeSecret title="Your signing secret" secret={newSecret} onClose={() => setNewSecret(null)} />}
    </Panel>
  )
}
