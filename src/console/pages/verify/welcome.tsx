import { useGet } from "../../api/load.ts"
import type { Health } from "../../api/shapes.ts"
import { Copy } from "../../parts/buttons.tsx"
import { Panel } from "../../parts/page.tsx"
import { verifyLink } from "../../route.ts"
import { STATUS_WORDS } from "../../words.ts"
import { SANDBOX_EXAMPLES } from "./sandbox-examples.ts"

/** What a newcomer can do first. The sandbox addresses are offered only where they work. */
export function Welcome() {
  const health = useGet<Health>("/health")
  const hasSandbox = health.state === "ready" && health.value.sandbox
  const example = hasSandbox ? "alice@mailbox.test" : "you@example.com"
  const command = `curl '${location.origin}/validate?email=${example}'`
  return (
    <>
      <Panel title="Three things to try">
        <ol class="steps">
          <li>
            <b>Verify an address.</b> Enter it above, or <a href={verifyLink(example)}>try {example}</a>. An unknown
            result costs nothing.
          </li>
          <li>
            <b>Clean a list.</b> <a href="#/lists">Upload a CSV, Excel or text file</a> and download the sendable rows.
          </li>
          <li>
            <b>Call the API.</b> <a href="#/keys">Create an API key</a>, or start without one:
            <div class="row">
              <code class="break">{command}</code>
              <Copy text={command} />
            </div>
          </li>
        </ol>
      </Panel>
      {hasSandbox && (
        <Panel title="Sandbox addresses" note="mail servers on this machine, one for each behavior">
          <ul class="examples">
            {SANDBOX_EXAMPLES.map(([email, status, about]) => (
              <li key={email}>
                <a href={verifyLink(email)}>{email}</a>
                <span class="soft small">
                  {STATUS_WORDS[status]}: {about}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}
