import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Key, NewKey } from "../../api/shapes.ts"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { ShownOnce } from "../../parts/shown-once.tsx"
import { useSession } from "../../session.tsx"
import { CreateKey } from "./create-key.tsx"
import { KeyTable } from "./key-table.tsx"

export function KeysPage() {
  const { account, useKey } = useSession()
  const [made, setMade] = useState<NewKey | null>(null)
  const [turn, setTurn] = useState(0)
  function show(key: NewKey) {
    setMade(key)
    setTurn(turn + 1)
  }
  return (
    <Page title="API keys" lead="A key stands for your account in programs. Send it as the header X-API-Key.">
      <CreateKey account={account ?? null} onMade={show} />
      {account && <OwnKeys key={turn} onMade={show} />}
      {account === null && (
        <p class="soft">
          <a href="#/sign-in">Sign in</a> to see the keys of your account.
        </p>
      )}
      {made && (
        <ShownOnce title="Your new key" secret={made.api_key} onClose={() => setMade(null)}>
          {account === null && (
            <div>
              <button type="button" class="button" onClick={() => void useKey(made.api_key).then(() => setMade(null))}>
                Use it in this tab
              </button>
            </div>
          )}
        </ShownOnce>
      )}
    </Page>
  )
}

function OwnKeys({ onMade }: { onMade: (key: NewKey) => void }) {
  const load = useLoad("keys", (signal) => call<{ keys: readonly Key[] }>("/keys", { signal }))
  return (
    <Panel title="Keys of your account">
      <Loaded of={load}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title="No keys yet">
              <p>Create one above to call the API from a program.</p>
            </Empty>
          ) : (
            <KeyTable keys={keys} onMade={onMade} onChange={load.reload} />
          )
        }
      </Loaded>
    </Panel>
  )
}
