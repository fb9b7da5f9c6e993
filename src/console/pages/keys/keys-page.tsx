import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Key, NewKey } from "../../api/shapes.ts"
import { Empty } from "../../parts/notice.tsx"
import { ForAccount, Loaded, Page, Panel } from "../../parts/page.tsx"
import { signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { count } from "../../words.ts"
import { CreateFormKey } from "./create-form-key.tsx"
import { CreateKey } from "./create-key.tsx"
import { KeyTable } from "./key-table.tsx"
import { isInUse } from "./key-words.ts"
import { NewSecret } from "./new-secret.tsx"
import { UnconfirmedKeysPanel } from "./unconfirmed-keys.tsx"

export function KeysPage() {
  const { account } = useSession()
  const [created, setCreated] = useState<NewKey | null>(null)
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
      {created && <NewSecret of={created} onSaved={() => setCreated(null)} />}
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
      <Panel title="Keys of your account" note={load.state === "ready" ? shareOf(load.value.keys) : ""}>
        <Loaded of={load}>
          {({ keys }) =>
            keys.length === 0 ? (
              <Empty title="No keys yet">
                <p>Create one above to call the API from a program.</p>
              </Empty>
            ) : (
              <KeyTable keys={keys} onRotated={handleCreated} onChange={load.reload} />
            )
          }
        </Loaded>
      </Panel>
      {account && <CreateFormKey account={account} onCreated={handleCreated} />}
    </>
  )
}

/** What the keys may use together: a key may have a lower limit than the account, and a limit of null is none. */
function shareOf(keys: readonly Key[]): string {
  const limits = keys.filter(isInUse).map(({ monthly_limit: limit }) => limit ?? Number.POSITIVE_INFINITY)
  const limit = Math.max(0, ...limits)
  return limit > 0 && Number.isFinite(limit) ? `All keys together: ${count(limit)} credits a month.` : ""
}
