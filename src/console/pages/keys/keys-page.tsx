import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { keepApiKey } from "../../api/credentials.ts"
import { useLoad } from "../../api/load.ts"
import type { Key, NewKey } from "../../api/shapes.ts"
import { ForAccount } from "../../parts/for-account.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { ShownOnce } from "../../parts/shown-once.tsx"
import { signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { CreateKey } from "./create-key.tsx"
import { KeyTable } from "./key-table.tsx"

export function KeysPage() {
  const { account, refresh } = useSession()
  const [made, setMade] = useState<NewKey | null>(null)
  function goOnWith(key: NewKey) {
    keepApiKey(key.api_key)
    setMade(null)
    void refresh()
  }
  return (
    <Page title="API keys" lead="A key stands for your account in programs. Send it as the header X-API-Key.">
      {account === null ? (
        <>
          <CreateKey account={null} onMade={setMade} />
          <p class="soft">
            <a href={signInLink()}>Sign in</a> to see the keys of your account.
          </p>
        </>
      ) : (
        <ForAccount>
          <OwnKeys onMade={setMade} />
        </ForAccount>
      )}
      {made && (
        <ShownOnce title="Your new key" secret={made.api_key} onClose={() => setMade(null)}>
          {account === null && (
            <div>
              <button type="button" class="button" onClick={() => goOnWith(made)}>
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
  const { account = null } = useSession()
  const load = useLoad("keys", (signal) => call<{ keys: readonly Key[] }>("/keys", { signal }))
  function made(key: NewKey) {
    onMade(key)
    load.reload()
  }
  return (
    <>
      <CreateKey account={account} onMade={made} />
      <Panel title="Keys of your account">
        <Loaded of={load}>
          {({ keys }) =>
            keys.length === 0 ? (
              <Empty title="No keys yet">
                <p>Create one above to call the API from a program.</p>
              </Empty>
            ) : (
              <KeyTable keys={keys} onMade={made} onChange={load.reload} />
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
