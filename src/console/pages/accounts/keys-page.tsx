import { useState } from "preact/hooks"
import { change, useGet } from "../../api/call.ts"
import type { Key, NewKey, UnconfirmedKey, UnconfirmedKeys } from "../../api/shapes.ts"
import { setApiKey } from "../../api/storage.ts"
import { Confirm } from "../../parts/buttons.tsx"
import { DataTable, LoadedTablePanel } from "../../parts/data-table.tsx"
import { ForAccount, LoadedPanel, Page } from "../../parts/page.tsx"
import { Ago, Badge, withNote } from "../../parts/text.tsx"
import { signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { count } from "../../words.ts"
import { CreateFormKey, CreateKey, NewSecret } from "./key-forms.tsx"
import { inBrief, isInUse, keyLink, stateOf } from "./key-words.ts"

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
  const load = useGet<{ keys: readonly Key[] }>("/keys")
  function handleCreated(key: NewKey) {
    onCreated(key)
    load.reload()
  }
  return (
    <>
      <CreateKey account={account} onCreated={handleCreated} />
      {account?.signed_in_by === "session" && <UnconfirmedKeysPanel onJoined={load.reload} />}
      <LoadedTablePanel
        title="Keys of your account"
        note={load.state === "ready" ? shareOf(load.value.keys) : ""}
        of={load}
        label="Keys"
        isStacked
        rows={({ keys }) => keys}
        rowKey={({ key_id }) => key_id}
        columns={[
          ["Name", (key) => <Name of={key} isOfTab={account?.key_id === key.key_id} />],
          ["State", (key) => <State of={key} />],
          [
            "Credits this month",
            ({ credits_this_month }) => count(credits_this_month),
            { phone: "Credits", class: "num" },
          ],
          ["Last used", ({ last_used }) => <Ago at={last_used === null ? null : last_used * 1_000} />],
          ["", (key) => isInUse(key) && <KeyActions of={key} onRotated={handleCreated} onRevoked={load.reload} />],
        ]}
        empty={["No keys yet", "Create one above to call the API from a program."]}
      />
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

const Name = ({ of: { key_id, name, last4 }, isOfTab }: { of: Key; isOfTab: boolean }) => (
  <>
    <div class="break">
      <a href={keyLink(key_id)}>{name}</a>
    </div>
    {last4 && (
      <div class="soft small">
        ends in <code>{last4}</code>
        {isOfTab && ", used by this tab"}
      </div>
    )}
  </>
)

function State({ of: key }: { of: Key }) {
  const [words, tone] = stateOf(key)
  return withNote(<Badge tone={tone}>{words}</Badge>, key.is_active === 1 && inBrief(key))
}

interface KeyActionsProps {
  readonly of: Key
  readonly onRotated: (key: NewKey) => void
  readonly onRevoked: () => void
}

export function KeyActions({ of: key, onRotated, onRevoked }: KeyActionsProps) {
  const { account, refresh } = useSession()
  const path = `/keys/${encodeURIComponent(key.key_id)}`
  const isOfTab = account?.key_id === key.key_id
  const rotate = () =>
    change<NewKey>(`${path}/rotate`, { method: "POST" }, async (next) => {
      // This tab uses the rotated key, which has stopped working.
      if (isOfTab) {
        setApiKey(next.api_key)
        await refresh()
      }
      onRotated(next)
    })
  return (
    <>
      <Confirm label="Rotate" title={`Rotate “${key.name}”?`} onConfirm={rotate}>
        <p>You get a new secret. The old one stops working at once. Name and restrictions stay.</p>
      </Confirm>
      <Confirm
        label="Revoke"
        title={`Revoke “${key.name}”?`}
        danger
        onConfirm={() => change(path, { method: "DELETE" }, onRevoked)}
      >
        <p>Every program that uses this key stops working at once. This cannot be undone.</p>
        {isOfTab && <p>This tab uses it too. You will have to sign in again.</p>}
      </Confirm>
    </>
  )
}

/** Keys that the mailbox's owner may join or revoke. Most accounts have none, so nothing shows until there are some. */
function UnconfirmedKeysPanel({ onJoined }: { onJoined: () => void }) {
  const load = useGet<UnconfirmedKeys>("/me/unconfirmed-keys")
  if (load.state === "loading" || (load.state === "ready" && load.value.total === 0)) return null
  function handleJoined() {
    load.reload()
    onJoined()
  }
  return (
    <LoadedPanel
      title="Unconfirmed keys"
      note="Made with your email address, or used in this browser to request your sign-in link."
      of={load}
    >
      {({ keys, total }) => (
        <>
          <p>
            Anyone can name your address. Join only a key that you made yourself: it and its data then belong to your
            account. Revoke the others.
          </p>
          <DataTable
            label="Unconfirmed keys"
            rows={keys}
            rowKey={({ key_id }) => key_id}
            columns={[
              ["Key", (key) => <UnconfirmedName of={key} />],
              ["Created", ({ created_at }) => <Ago at={created_at} />],
              ["From", ({ network }) => (network ? <code>{network}</code> : <span class="soft">not known</span>)],
              ["Last used", ({ last_used_at }) => <Ago at={last_used_at} />],
              ["", (key) => <JoinOrRevoke of={key} onJoined={handleJoined} onRevoked={load.reload} />],
            ]}
          />
          {total > keys.length && <p class="soft small">{count(total - keys.length)} more follow after these.</p>}
        </>
      )}
    </LoadedPanel>
  )
}

const UnconfirmedName = ({ of: { last4, requested_sign_in } }: { of: UnconfirmedKey }) => (
  <>
    <div>
      ends in <code>{last4}</code>
    </div>
    {requested_sign_in && <div class="soft small">Requested your sign-in link in this browser</div>}
  </>
)

interface JoinOrRevokeProps {
  readonly of: UnconfirmedKey
  readonly onJoined: () => void
  readonly onRevoked: () => void
}

function JoinOrRevoke({ of: { key_id, last4, lineage_keys }, onJoined, onRevoked }: JoinOrRevokeProps) {
  const path = `/me/unconfirmed-keys/${key_id}`
  return (
    <>
      <Confirm
        label="Join"
        title={`Join the key that ends in ${last4}?`}
        onConfirm={() => change(`${path}/join`, { method: "POST" }, onJoined)}
      >
        <p>
          The key and its data become part of your account. Join it only if you made it: its holder can then read your
          lists and spend your credits. This cannot be undone.
        </p>
        {lineage_keys > 1 && <p>{count(lineage_keys)} keys made together join together.</p>}
      </Confirm>
      <Confirm
        label="Revoke"
        title={`Revoke the key that ends in ${last4}?`}
        danger
        onConfirm={() => change(path, { method: "DELETE" }, onRevoked)}
        text="Every program that uses this key stops working at once. This cannot be undone."
      />
    </>
  )
}
