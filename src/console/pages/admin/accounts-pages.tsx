import { useState } from "preact/hooks"
import type { TIERS as AllTiers, Tier } from "../../../../schema/vocabulary.ts"
import { change, useGet, usePaged } from "../../api/call.ts"
import type { User, UserPage, UserWithKeys } from "../../api/shapes.ts"
import { Confirm } from "../../parts/buttons.tsx"
import { type Column, LoadedTablePanel, TablePanel } from "../../parts/data-table.tsx"
import { ChoiceCheck, Select } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, Page, Panel, page } from "../../parts/page.tsx"
import { Ago, Badge, Notice, Tiles, withNote } from "../../parts/text.tsx"
import { go, useChoice } from "../../route.ts"
import { count, moment, plain } from "../../words.ts"

export const AccountsPage = page(Accounts, {
  title: "Accounts",
  lead: "Customers and their keys: search, change a plan, suspend, revoke.",
  access: "operator",
})

function Accounts() {
  const [search, setSearch] = useChoice("search")
  const suspendedChoice = useChoice("suspended")
  const [suspended] = suspendedChoice
  const filters = { limit: "50", search, suspended: suspended ? "true" : "" }
  const load = usePaged<UserPage>("/admin/users", filters, { asOperator: true })
  const hint = "Part of an email, an account id or a key id"
  const form = useForm({ search: { label: "Search", hint, initial: search } }, (entered) => {
    setSearch(entered.search)
    return null
  })
  return (
    <LoadedTablePanel
      title="All accounts"
      of={load}
      label="Accounts"
      rows={({ users }) => users}
      rowKey={({ account_id }) => account_id}
      columns={[
        ["Account", (user) => <Name of={user} />, "break"],
        ["Plan", (user) => <Plan of={user} />],
        ["Keys", ({ active_keys }) => count(active_keys), "num"],
        ["Credits this month", creditsOf, "num"],
        ["Last used", ({ last_used }) => <Ago at={last_used} />],
      ]}
      empty={["No accounts", search || suspended ? "No account matches." : "The first API key creates one."]}
    >
      <Form of={form} submit="Search" layout="row" isBusy={load.isStale} />
      <ChoiceCheck label="Only suspended accounts" choice={suspendedChoice} />
    </LoadedTablePanel>
  )
}

const Name = ({ of: user }: { of: User }) =>
  withNote(<a href={`#/accounts/${user.account_id}`}>{nameOf(user)}</a>, user.email === null && "Mailbox not confirmed")

const Plan = ({ of: { tier, status } }: { of: User }) => (
  <>
    {plain(tier)} {status === "suspended" && <Badge tone="invalid">Suspended</Badge>}
  </>
)

/** The owner's address; the id of an account whose keys were made without one. */
export const nameOf = ({ owner_email, account_id }: Pick<User, "owner_email" | "account_id">): string =>
  owner_email || account_id

export const creditsOf = ({ credits_used: used, credits_limit: limit }: User): string =>
  limit === null ? count(used) : `${count(used)} of ${count(limit)}`

const TIERS: typeof AllTiers = ["free", "starter", "pro", "enterprise", "unlimited"]
type Key = UserWithKeys["keys"][number]

export const AccountPage = ({ accountId }: { accountId: string }) => (
  <Page title="Account" lead={<a href="#/accounts">All accounts</a>} access="operator">
    <Account accountId={accountId} />
  </Page>
)

function Account({ accountId }: { accountId: string }) {
  const load = useGet<UserWithKeys>(`/admin/users/${encodeURIComponent(accountId)}`, { asOperator: true })
  return (
    <Loaded of={load} lines={6}>
      {(user) => (
        <>
          <Facts user={user} />
          <Control user={user} onChange={load.reload} />
          <TablePanel
            title="API keys"
            rows={user.keys}
            rowKey={({ key_id }) => key_id}
            columns={keyColumns(load.reload)}
            empty={["No keys"]}
          />
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
        <Notice
          tone="invalid"
          title={`Suspended since ${moment(user.suspended_at)}`}
          text="Its keys and sessions answer 403, and its jobs wait."
        />
      )}
      {user.email === null && <p>The mailbox is not confirmed: there was no sign-in with it.</p>}
      <Tiles
        tiles={[
          ["Active plan", plain(user.tier), `plan of the account: ${plain(user.plan)}`],
          [
            "Credits this month",
            creditsOf(user),
            `${count(bought)} bought ${bought === 1 ? "credit" : "credits"} left`,
          ],
          ["Last used", <Ago at={user.last_used} />, `created ${moment(user.created_at)}`],
        ]}
      />
      <p>
        <a href={`#/all-jobs?account=${user.account_id}`}>Jobs of this account</a>
      </p>
    </Panel>
  )
}

interface ControlProps {
  readonly user: UserWithKeys
  readonly onChange: () => void
}

function Control({ user, onChange }: ControlProps) {
  const id = encodeURIComponent(user.account_id)
  const post = (verb: string) => change(`/admin/users/${id}/${verb}`, { method: "POST", asOperator: true }, onChange)
  const erase = () =>
    change(`/compliance/customer-data/${id}`, { method: "DELETE", asOperator: true }, () => go("#/accounts"))
  return (
    <Panel title="Control">
      <PlanForm user={user} onChange={onChange} />
      <div class="row">
        {user.status === "active" ? (
          <Confirm label="Suspend" title="Suspend this account?" danger onConfirm={() => post("suspend")}>
            <p>Its keys and sessions are refused from the next request on. Nothing is deleted.</p>
          </Confirm>
        ) : (
          <Confirm label="Resume" title="Resume this account?" onConfirm={() => post("resume")}>
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

/** Sets the operator's plan. A running subscription of a higher plan stays in force. */
function PlanForm({ user, onChange }: ControlProps) {
  const granted = user.granted_plan ?? "free"
  const [tier, setTier] = useState(granted)
  const [saved, setSaved] = useState<Tier | null>(null)
  function save() {
    const path = `/admin/users/${encodeURIComponent(user.account_id)}/upgrade`
    return change(path, { method: "POST", json: { tier }, asOperator: true }, () => {
      setSaved(tier)
      onChange()
    })
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
          <Confirm label="Change the plan" title={`Change the plan to ${plain(tier)}?`} onConfirm={save}>
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

const keyColumns = (onChange: () => void): readonly Column<Key>[] => [
  [
    "Name",
    ({ name, key_id }) => (
      <>
        <div class="break">{name}</div>
        <code class="soft break">{key_id}</code>
      </>
    ),
  ],
  [
    "State",
    ({ is_active, tier }) =>
      withNote(is_active ? <Badge tone="valid">Active</Badge> : <Badge tone="unknown">Revoked</Badge>, plain(tier)),
  ],
  ["Credits this month", ({ credits_this_month }) => count(credits_this_month), "num"],
  ["Last used", ({ last_used }) => <Ago at={last_used === null ? null : last_used * 1_000} />],
  [
    "",
    ({ key_id, name, is_active }) =>
      is_active === 1 && (
        <Confirm
          label="Revoke"
          title={`Revoke “${name}”?`}
          danger
          onConfirm={() => change(`/admin/keys/${key_id}`, { method: "DELETE", asOperator: true }, onChange)}
          text="Every program that uses this key stops working at once. This cannot be undone."
        />
      ),
  ],
]
