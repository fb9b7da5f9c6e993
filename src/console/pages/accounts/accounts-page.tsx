import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { User, UserPage } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Check, Field, SubmitButton } from "../../parts/field.tsx"
import { Loaded } from "../../parts/loaded.tsx"
import { Ago } from "../../parts/moment.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Page, Panel } from "../../parts/page.tsx"
import { Pager, usePages } from "../../parts/pager.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { ForOperator } from "../../parts/sign-in-needed.tsx"
import { useChoice } from "../../route.ts"
import { count, plain } from "../../words.ts"
import { creditsOf, nameOf } from "./words.ts"

/** Every account of the service, for its operator. */
export function AccountsPage() {
  return (
    <Page title="Accounts" lead="Customers and their keys: search, change a plan, suspend, revoke.">
      <ForOperator>
        <Accounts />
      </ForOperator>
    </Page>
  )
}

function Accounts() {
  const [search, setSearch] = useChoice("search")
  const [entered, setEntered] = useState(search)
  const [suspended, setSuspended] = useChoice("suspended")
  const pages = usePages()
  const { cursor } = pages
  const load = useLoad(
    `users ${search} ${suspended} ${cursor}`,
    (signal) => {
      const query = new URLSearchParams({ limit: "50", search, cursor, ...(suspended ? { suspended: "true" } : {}) })
      return call<UserPage>(`/admin/users?${query}`, { signal, asOperator: true })
    },
    { keepPrevious: true },
  )
  return (
    <Panel title="All accounts">
      <form
        class="row end"
        onSubmit={(event) => {
          event.preventDefault()
          setSearch(entered.trim())
          pages.restart()
        }}
      >
        <Field label="Search" hint="Part of an email, an account id or a key id" value={entered} onValue={setEntered} />
        <SubmitButton label="Search" busy={load.isStale} />
      </form>
      <Check
        label="Only suspended accounts"
        checked={suspended !== ""}
        onChecked={(next) => {
          setSuspended(next ? "yes" : "")
          pages.restart()
        }}
      />
      <Loaded of={load}>
        {({ users, next_cursor: next }) => (
          <>
            {users.length === 0 ? (
              <Empty title="No accounts">
                <p>{search || suspended ? "No account matches." : "The first API key creates one."}</p>
              </Empty>
            ) : (
              <AccountTable users={users} />
            )}
            <Pager pages={pages} next={next} busy={load.isStale} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function AccountTable({ users }: { users: readonly User[] }) {
  return (
    <Scroll label="Accounts">
      <table class="table">
        <thead>
          <tr>
            <th>Account</th>
            <th>Plan</th>
            <th class="num">Keys</th>
            <th class="num">Credits this month</th>
            <th>Last used</th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.account_id}>
              <td class="break">
                <a href={`#/accounts/${user.account_id}`}>{nameOf(user)}</a>
                {user.email === null && <div class="soft small">Mailbox not confirmed</div>}
              </td>
              <td>
                {plain(user.tier)} {user.status === "suspended" && <Badge tone="invalid">Suspended</Badge>}
              </td>
              <td class="num">{count(user.active_keys)}</td>
              <td class="num">{creditsOf(user)}</td>
              <td>
                <Ago at={user.last_used} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
