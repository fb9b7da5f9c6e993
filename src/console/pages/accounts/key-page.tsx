import { useState } from "preact/hooks"
import { change, useGet } from "../../api/call.ts"
import type { Key, KeyUsage, NewKey } from "../../api/shapes.ts"
import { Bars } from "../../parts/bars.tsx"
import { Copy, DialogButton, Tabs } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, Page, Panel } from "../../parts/page.tsx"
import { Ago, Badge, Empty, Facts, Tiles } from "../../parts/text.tsx"
import { go, useDays } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { count, days, moment, percent, plain, shortDay } from "../../words.ts"
import { type EditProps, FormSnippet, KeyRestrictions, NewSecret } from "./key-forms.tsx"
import { isInUse, keyLink, shortened, stateOf } from "./key-words.ts"
import { KeyActions } from "./keys-page.tsx"

const ALL_KEYS = <a href="#/keys">All API keys</a>

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
        <Page title="API key" lead={ALL_KEYS} access="account">
          {null}
        </Page>
      )}
      {rotated && <NewSecret of={rotated} onSaved={() => handleSaved(rotated.key_id)} />}
    </>
  )
}

function OwnKey({ keyId, onRotated }: { keyId: string; onRotated: (key: NewKey) => void }) {
  const span = useDays()
  const load = useGet<KeyUsage>(`/keys/${encodeURIComponent(keyId)}/usage?days=${span.value}`, { keepPrevious: true })
  const key = load.state === "ready" ? load.value : null
  return (
    <Page
      title={key?.name ?? "API key"}
      lead={ALL_KEYS}
      actions={
        key &&
        isInUse(key) && (
          <>
            <DialogButton label="Rename" title={`Rename “${key.name}”`}>
              {(close) => <Rename of={key} onChange={load.reload} onClose={close} />}
            </DialogButton>
            <KeyActions of={key} onRotated={onRotated} onRevoked={load.reload} />
          </>
        )
      }
    >
      <Loaded of={load} lines={6}>
        {(key) => (
          <>
            <KeyTiles of={key} />
            <UsageOfKey of={key} span={span} />
            <KeyRestrictions of={key} onChange={load.reload} />
            <KeyDetails of={key} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Rename({ of: { key_id, name }, onChange, onClose }: EditProps) {
  const form = useForm({ name: { label: "Name", initial: name, required: true } }, (json, labels) =>
    change(`/keys/${encodeURIComponent(key_id)}`, { method: "PATCH", json, labels }, () => {
      onClose()
      onChange()
    }),
  )
  return <Form of={form} submit="Rename" onCancel={onClose} />
}

function KeyTiles({ of: key }: { of: Key }) {
  const { credits_this_month: used, monthly_limit: limit } = key
  const [state, tone] = stateOf(key)
  const ofMonth =
    limit === null
      ? "no limit on your plan"
      : `${percent(used / Math.max(1, limit))} of the plan’s ${count(limit)}, which all keys share`
  return (
    <Tiles
      tiles={[
        ["State", <Badge tone={tone}>{state}</Badge>, `${plain(key.tier)} plan`],
        ["Credits this month", count(used), ofMonth],
        ["Verifications this month", count(key.verifications_this_month), `${count(key.verifications_total)} in total`],
        [
          "Last used",
          <Ago at={key.last_used === null ? null : key.last_used * 1_000} />,
          `created ${moment(key.created_at * 1_000)}`,
        ],
      ]}
    />
  )
}

function UsageOfKey({ of: key, span }: { of: KeyUsage; span: ReturnType<typeof useDays> }) {
  const { daily } = key
  const total = daily.reduce((sum, { verifications }) => sum + verifications, 0)
  return (
    <Panel title="Usage" note={<Tabs label="Days shown" {...span} />}>
      {total === 0 ? (
        <Empty title={emptyTitle(key)}>{isInUse(key) && <HowToUse of={key} />}</Empty>
      ) : (
        <>
          <p>
            {count(total)} {total === 1 ? "verification" : "verifications"} in {days(daily.length)}. Days are in UTC.
          </p>
          <Bars
            label={`Verifications on each of the last ${days(daily.length)}`}
            nameTitle="Day"
            valueTitle="Verifications"
            labelSpace={64}
            bars={daily.map(({ date, verifications }) => ({ name: shortDay(date), value: verifications }))}
          />
        </>
      )}
    </Panel>
  )
}

function HowToUse({ of: key }: { of: KeyUsage }) {
  if (key.kind === "publishable")
    return (
      <>
        <FormSnippet apiKey={shortened(key)} />
        <p>Put the whole key in place of {shortened(key)}. It was shown when it was created.</p>
      </>
    )
  return (
    <p>
      A program sends this key in the X-API-Key header. The <a href="/docs">API reference</a> has examples.
    </p>
  )
}

function emptyTitle(key: KeyUsage): string {
  if (key.last_used !== null) return `Nothing verified in ${days(key.daily.length)}`
  return isInUse(key) ? "Not used yet" : "Never used"
}

const KeyDetails = ({ of: key }: { of: Key }) => (
  <Panel title="Details">
    <Facts
      facts={[
        ["Secret", key.last4 ? <code key="secret">{shortened(key)}</code> : "not stored"],
        ["Key ID", <KeyId key="id" id={key.key_id} />],
        ["Requests a minute", key.rate_per_min === null ? "no limit" : count(key.rate_per_min)],
      ]}
    />
  </Panel>
)

const KeyId = ({ id }: { id: string }) => (
  <span class="row">
    <code class="break">{id}</code>
    <Copy text={id} />
  </span>
)
