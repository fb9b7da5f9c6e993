import { usePaged } from "../../api/load.ts"
import type { User, UserPage } from "../../api/shapes.ts"
import { LoadedTable } from "../../parts/data-table.tsx"
import { Check } from "../../parts/field.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel, page } from "../../parts/page.tsx"
import { Ago, Badge, withNote } from "../../parts/text.tsx"
import { useChoice } from "../../route.ts"
import { count, plain } from "../../words.ts"
import { creditsOf, nameOf } from "./words.ts"

/** Every account of the service, for its operator. */
export const AccountsPage = page(Accounts, {
  title: "Accounts",
  lead: "Customers and their keys: search, change a plan, suspend, revoke.",
  access: "operator",
})

function Accounts() {
  const [search, setSearch] = useChoice("search")
  const [suspended, setSuspended] = useChoice("suspended")
  const filters = { limit: "50", search, suspended: suspended ? "true" : "" }
  const load = usePaged<UserPage>("/admin/users", filters, { asOperator: true })
  const hint = "Part of an email, an account id or a key id"
  const form = useForm({ search: { label: "Search", hint, initial: search } }, (entered) => {
    setSearch(entered.search)
    return null
  })
  return (
    <Panel title="All accounts">
      <Form of={form} submit="Search" layout="row" isBusy={load.isStale} />
      <Check
        label="Only suspended accounts"
        checked={suspended !== ""}
        onChecked={(next) => setSuspended(next ? "yes" : "")}
      />
      <LoadedTable
        of={load}
        label="Accounts"
        rows={({ users }) => users}
        rowKey={({ account_id }) => account_id}
        columns={[
          { title: "Account", class: "break", cell: (user) => <Name of={user} /> },
          { title: "Plan", cell: (user) => <Plan of={user} /> },
          { title: "Keys", class: "num", cell: ({ active_keys }) => count(active_keys) },
          { title: "Credits this month", class: "num", cell: creditsOf },
          { title: "Last used", cell: ({ last_used }) => <Ago at={last_used} /> },
        ]}
        empty={
          <Empty
            title="No accounts"
            text={search || suspended ? "No account matches." : "The first API key creates one."}
          />
        }
      />
    </Panel>
  )
}

function Name({ of: user }: { of: User }) {
  return withNote(
    <a href={`#/accounts/${user.account_id}`}>{nameOf(user)}</a>,
    user.email === null && "Mailbox not confirmed",
  )
}

const Plan = ({ of: { tier, status } }: { of: User }) => (
  <>
    {plain(tier)} {status === "suspended" && <Badge tone="invalid">Suspended</Badge>}
  </>
)
