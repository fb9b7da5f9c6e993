import { useState } from "preact/hooks"
import { call, type Problem } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { WebhookSecret } from "../../api/shapes.ts"
import { Confirm } from "../../parts/confirm.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { ShownOnce } from "../../parts/shown-once.tsx"
import { moment } from "../../words.ts"

export function Secrets() {
  const load = useLoad("secrets", (signal) =>
    call<{ secrets: readonly WebhookSecret[] }>("/webhooks/secret", { signal }),
  )
  const [secret, setSecret] = useState<string | null>(null)
  async function ask(path: string): Promise<Problem | null> {
    const answer = await call<{ secret: string }>(path, { method: "POST" })
    if (!answer.ok) return answer.problem
    setSecret(answer.body.secret)
    load.reload()
    return null
  }
  const show = useAction(() => ask("/webhooks/secret"))
  return (
    <Panel title="Signing secret" note="what receivers check our signature with">
      <Loaded of={load} lines={2}>
        {({ secrets }) => (
          <div class="stack">
            {secrets.map((one) => (
              <p key={one.secret_id}>
                Made {moment(one.created_at)}
                {one.expires_at && `, signs along until ${moment(one.expires_at)}`}
                <span class="soft">{one.shown ? "; shown already" : "; not shown yet"}</span>
              </p>
            ))}
            {secrets.length === 0 && <p class="soft">None yet; it is made when you first look at it.</p>}
            <div class="row">
              {!secrets[0]?.shown && (
                <button type="button" class="button" aria-disabled={show.busy} onClick={() => void show.run()}>
                  Show the secret
                </button>
              )}
              {secrets.length > 0 && (
                <Confirm
                  label="Rotate"
                  title="Make a new signing secret?"
                  onConfirm={() => ask("/webhooks/secret/rotate")}
                >
                  <p>For 24 hours the one before signs along, so that receivers can change over.</p>
                </Confirm>
              )}
            </div>
            <ProblemNotice problem={show.problem} />
          </div>
        )}
      </Loaded>
      {secret && <ShownOnce title="Your signing secret" secret={secret} onClose={() => setSecret(null)} />}
    </Panel>
  )
}
