import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { KeyUsage, NewKey } from "../../api/shapes.ts"
import { ForAccount, Loaded, Page } from "../../parts/page.tsx"
import { go, useChoice } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { KeyActions } from "./key-actions.tsx"
import { KeyDetails, KeyTiles } from "./key-details.tsx"
import { KeyRestrictions } from "./key-restrictions.tsx"
import { SPANS, UsageOfKey } from "./key-usage.tsx"
import { isInUse, keyLink } from "./key-words.ts"
import { NewSecret } from "./new-secret.tsx"
import { RenameKey } from "./rename-key.tsx"

const ALL_KEYS = <a href="#/keys">All API keys</a>

/** One key: its usage, its facts and what can be done with it. */
export function KeyPage({ keyId }: { keyId: string }) {
  const { account } = useSession()
  // Outside the account's content, because a sign-out in another tab must not remove a secret that is shown once.
  const [rotated, setRotated] = useState<NewKey | null>(null)
  function handleSaved(nextKeyId: string) {
    setRotated(null)
    go(keyLink(nextKeyId), { replace: true })
  }
  return (
    <>
      {account ? (
        <OwnKey key={account.account_id} keyId={keyId} onRotated={setRotated} />
      ) : (
        <Page title="API key" lead={ALL_KEYS}>
          <ForAccount>{null}</ForAccount>
        </Page>
      )}
      {rotated && <NewSecret of={rotated} onSaved={() => handleSaved(rotated.key_id)} />}
    </>
  )
}

function OwnKey({ keyId, onRotated }: { keyId: string; onRotated: (key: NewKey) => void }) {
  const [chosen, setSpan] = useChoice("days")
  const span = SPANS.find((one) => one === chosen) ?? "30"
  const path = `/keys/${encodeURIComponent(keyId)}/usage?days=${span}`
  const load = useLoad(path, (signal) => call<KeyUsage>(path, { signal }), { keepPrevious: true })
  const key = load.state === "ready" ? load.value : null
  return (
    <Page
      title={key?.name ?? "API key"}
      lead={ALL_KEYS}
      actions={
        key &&
        isInUse(key) && (
          <>
            <RenameKey of={key} onChange={load.reload} />
            <KeyActions of={key} onRotated={onRotated} onRevoked={load.reload} />
          </>
        )
      }
    >
      <Loaded of={load} lines={6}>
        {(key) => (
          <>
            <KeyTiles of={key} />
            <UsageOfKey of={key} span={span} onSpan={setSpan} />
            <KeyRestrictions of={key} onChange={load.reload} />
            <KeyDetails of={key} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
