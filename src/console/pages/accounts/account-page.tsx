import { useState } from "preact/hooks"
import type { TIERS as AllTiers, Tier } from "../../../../schema/vocabulary.ts"
import { call, type Problem } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { UserWithKeys } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Select } from "../../parts/field.tsx"
import { Notice } from "../../parts/notice.tsx"
import { ForOperator, Loaded, Page, Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { go } from "../../route.ts"
import { count, moment, plain } from "../../words.ts"
import { AccountKeys } from "./account-keys.tsx"
import { creditsOf, nameOf } from "./words.ts"

const TIERS: typeof AllTiers = ["free", "starter", "pro", "enterprise", "unlimited"]

/** One account of the service, for its operator. */
export function AccountPage({ accountId }: { accountId: string }) {
  return (
    <Page title="Account" lead={<a href="#/accounts">All accounts</a>}>
      <ForOperator>
        <Account accountId={accountId} />
      </ForOperator>
    </Page>
  )
}

function Account({ accountId }: { accountId: string }) {
  const path = `/admin/users/${encodeURIComponent(accountId)}`
  const load = useLoad(path, (signal) => call<UserWithKeys>(path, { signal, asOperator: true }))
  return (
    <Loaded of={load} lines={6}>
      {(user) => (
        <>
          <Facts user={user} />
          <Control user={user} onChange={load.reload} />
          <AccountKeys keys={user.keys} onChange={load.reload} />
        </>
      )}
    </Loaded>
  )
}

function Facts({ user }: { user: UserWithKeys }) {
  const bought = user.bought_credits_left
  return (
    <Panel title={nameOf(user)} note={<code class="break">{user.account_id}</code>}>
      {user.suspended_at !== null && (
        <Notice tone="invalid" title={`Suspended since ${moment(user.suspended_at)}`}>
          <p>Its keys and sessions answer 403, and its jobs wait.</p>
        </Notice>
      )}
      {user.email === null && <p>The mailbox is not confirmed: there was no sign-in with it.</p>}
      <Tiles
        tiles={[
          { name: "Active plan", value: plain(user.tier), note: `plan of the account: ${plain(user.plan)}` },
          {
            name: "Credits this month",
            value: creditsOf(user),
            note: `${count(bought)} bought ${bought === 1 ? "credit" : "credits"} left`,
          },
          { name: "Last used", value: <Ago at={user.last_used} />, note: `created ${moment(user.created_at)}` },
        ]}
      />
      <p>
        <a href={`#/all-jobs?account=${user.account_id}`}>Jobs of this account</a>
      </p>
    </Panel>
  )
}

function Control({ user, onChange }: { user: UserWithKeys; onChange: () => void }) {
  const path = `/admin/users/${encodeURIComponent(user.account_id)}`
  async function change(action: "suspend" | "resume"): Promise<Problem | null> {
    const answer = await call(`${path}/${action}`, { method: "POST", asOperator: true })
    if (!answer.ok) return answer.problem
    onChange()
    return null
  }
  async function erase(): Promise<Problem | null> {
    const at = `/compliance/customer-data/${encodeURIComponent(user.account_id)}`
    const answer = await call(at, { method: "DELETE", asOperator: true })
    if (!answer.ok) return answer.problem
    go("#/accounts")
    return null
  }
  return (
    <Panel title="Control">
      <PlanForm user={user} onChange={onChange} />
      <div class="row">
        {user.status === "active" ? (
          <Confirm label="Suspend" title="Suspend this account?" danger onConfirm={() => change("suspend")}>
            <p>Its keys and sessions are refused from the next request on. Nothing is deleted.</p>
          </Confirm>
        ) : (
          <Confirm label="Resume" title="Resume this account?" onConfirm={() => change("resume")}>
            <p>Its keys and sessions work again, and its jobs continue.</p>
          </Confirm>
        )}
        <Confirm label="Erase" title="Erase this account with all its data?" danger onConfirm={erase}>
          <p>Keys, lists, results, suppressions and history are deleted. This cannot be undone.</p>
        </Confirm>
      </div>
    </Panel>
  )
}

interface PlanFormProps {
  readonly user: UserWithKeys
  readonly onChange: () => void
}

/** Sets the operator's plan. A running subscription of a higher plan stays in force. */
function PlanForm({ user, onChange }: PlanFormProps) {
  const granted = user.granted_plan ?? "free"
  const [tier, setTier] = useState(granted)
  const [saved, setSaved] = useState<Tier | null>(null)
  async function change(): Promise<Problem | null> {
    const path = `/admin/users/${encodeURIComponent(user.account_id)}/upgrade`
    const answer = await call(path, { method: "POST", json: { tier }, asOperator: true })
    if (!answer.ok) return answer.problem
    setSaved(tier)
    onChange()
    return null
  }
  return (
    <div class="stack">
      <div class="row end">
        <Select
          label="Plan"
          value={tier}
          options={TIERS.map((name) => [name, plain(name)] as const)}
          onValue={setTier}
        />
        {tier !== granted && (
          <Confirm label="Change the plan" title={`Change the plan to ${plain(tier)}?`} onConfirm={change}>
            <p>
              {nameOf(user)} has {plain(user.plan)} now. The new limits hold from the next request on, for the account
              and its keys. A paid plan stays when it is higher.
            </p>
          </Confirm>
        )}
      </div>
      {saved === granted && <Notice tone="valid" title={`The plan is ${plain(user.plan)} now`} />}
    </div>
  )
}
