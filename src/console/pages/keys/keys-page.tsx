import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { setApiKey } from "../../api/credentials.ts"
import { useLoad } from "../../api/load.ts"
import type { Key, NewKey } from "../../api/shapes.ts"
import { ForAccount } from "../../parts/for-account.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Empty } from "../../parts/notice.tsx"
import { OneTimeSecret } from "../../parts/one-time-secret.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { CreateKey } from "./create-key.tsx"
import { KeyTable } from "./key-table.tsx"
import { UnconfirmedKeysPanel } from "./unconfirmed-keys.tsx"

export function KeysPage() {
  const { account, refresh } = useSession()
  const [created, setCreated] = useState<NewKey | null>(null)
  function adoptKey(key: NewKey) {
    setApiKey(key.api_key)
    setCreated(null)
    void refresh()
  }
  return (
    <Page title="API keys" lead="Programs use a key to call the API for your account. Send it in the X-API-Key header.">
      {account === null ? (
        <>
          <CreateKey account={null} onCreated={setCreated} />
          <p class="soft">
            <a href={signInLink()}>Sign in</a> to see the keys of your account.
          </p>
        </>
      ) : (
        <ForAccount>
          <OwnKeys onCreated={setCreated} />
        </ForAccount>
      )}
      {created && (
        <OneTimeSecret title="Your new key" secret={created.api_key} onClose={() => setCreated(null)}>
          {account === null && (
            <>
              <p>To keep it in an account, use it in this tab and then sign in by email.</p>
              <div>
                <button type="button" class="button" onClick={() => adoptKey(created)}>
                  Use it in this tab
                </button>
              </div>
            </>
          )}
        </OneTimeSecret>
      )}
    </Page>
  )
}

function OwnKeys({ onCreated }: { onCreated: (key: NewKey) => void }) {
  const { account = null } = useSession()
  const load = useLoad("keys", (signal) => call<{ keys: readonly Key[] }>("/keys", { signal }))
  function handleCreated(key: NewKey) {
    onCreated(key)
    load.reload()
  }
  return (
    <>
      <CreateKey account={account} onCreated={handleCreated} />
      {account?.signed_in_by === "session" && <UnconfirmedKeysPanel onJoined={load.reload} />}
      <Panel title="Keys of your account">
        <Loaded of={load}>
          {({ keys }) =>
            keys.length === 0 ? (
              <Empty title="No keys yet">
                <p>Create one above to call the API from a program.</p>
              </Empty>
            ) : (
              <KeyTable keys={keys} onCreated={handleCreated} onChange={load.reload} />
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}
