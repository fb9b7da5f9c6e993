import { useGet, usePaged } from "../../api/call.ts"
import type { OperatorJob, OperatorJobPage, SettingsInForce } from "../../api/shapes.ts"
import { CompositionBar } from "../../parts/bars.tsx"
import { Button } from "../../parts/buttons.tsx"
import { type Column, LoadedTablePanel, TablePanel } from "../../parts/data-table.tsx"
import { ChoiceCheck } from "../../parts/field.tsx"
import { Loaded, Page, page } from "../../parts/page.tsx"
import { Ago, Badge, JobBadge, withNote } from "../../parts/text.tsx"
import { OPERATOR_PAGES, useChoice } from "../../route.ts"
import { count } from "../../words.ts"

/** The entry to the operator's pages: the admin secret first, then what each page is for. */
export const OperatorPage = () => (
  <Page title="Operator" lead="Pages for the operator of this service." access="operator">
    <ul class="cards">
      {OPERATOR_PAGES.map(([step, title, purpose]) => (
        <li key={step} class="panel">
          <h2>
            <a href={`#/${step}`}>{title}</a>
          </h2>
          <p class="soft">{purpose}</p>
        </li>
      ))}
    </ul>
  </Page>
)

export const SettingsPage = page(Settings, {
  title: "Settings",
  lead: "Which settings the service was started with. Their values are not shown, because many are secrets.",
  access: "operator",
})

function Settings() {
  const load = useGet<SettingsInForce>("/admin/settings", { asOperator: true })
  const givenChoice = useChoice("given")
  const [onlyGiven] = givenChoice
  return (
    <Loaded of={load} lines={8}>
      {({ settings, version, release }) => {
        const given = settings.filter((one) => one.given)
        return (
          <TablePanel
            title={`${count(given.length)} of ${count(settings.length)} given`}
            note={`Version ${release}, API version ${version}`}
            label="Settings"
            rows={onlyGiven ? given : settings}
            rowKey={({ name }) => name}
            columns={[
              ["Name", ({ name }) => <code>{name}</code>, "break"],
              [
                "In use",
                ({ given }) => (given ? <Badge tone="accent">Given</Badge> : <span class="soft">Default</span>),
              ],
            ]}
          >
            <p>
              The others have their defaults, or their feature is off. <code>.env.example</code> describes each.
            </p>
            <ChoiceCheck label="Only given settings" choice={givenChoice} />
          </TablePanel>
        )
      }}
    </Loaded>
  )
}

const KINDS: Readonly<Record<OperatorJob["kind"], string>> = {
  async: "API",
  upload: "File",
  retry: "Retry",
  reverify: "Operator",
}

const COLUMNS: readonly Column<OperatorJob>[] = [
  [
    "Job",
    ({ job_id, kind, submitted_at: at }) =>
      withNote(<code class="small">{job_id}</code>, [KINDS[kind], ", ", <Ago key="at" at={at} />], "soft small"),
    "break",
  ],
  ["Account", ({ account_id: id }) => (id === null ? "Operator" : <a href={`#/accounts/${id}`}>{id}</a>), "break"],
  ["State", (job) => <JobBadge job={job} />],
  ["Done", ({ progress, total }) => `${count(progress)} of ${count(total)}`, "num"],
  ["Found so far", ({ summary, total }) => <CompositionBar counts={summary} total={total} />, "bar-cell"],
]

export const AllJobsPage = page(Jobs, {
  title: "All jobs",
  lead: "Lists of every account and the operator's own jobs, without their addresses.",
  access: "operator",
})

function Jobs() {
  const [account, setAccount] = useChoice("account")
  const openChoice = useChoice("open")
  const [open] = openChoice
  const filters = { limit: "50", account_id: account, open: open ? "true" : "" }
  const load = usePaged<OperatorJobPage>("/admin/jobs", filters, { asOperator: true })
  return (
    <LoadedTablePanel
      title={account ? "Jobs of one account" : "Newest first"}
      note={account && <code>{account}</code>}
      of={load}
      label="Jobs"
      rows={({ jobs }) => jobs}
      rowKey={({ job_id }) => job_id}
      columns={COLUMNS}
      empty={["No jobs"]}
    >
      <div class="row">
        <ChoiceCheck label="Only open jobs" choice={openChoice} />
        {account && <Button label="Show every account" class="button quiet" onClick={() => setAccount("")} />}
        <Button label="Refresh" class="button quiet" onClick={load.reload} />
      </div>
    </LoadedTablePanel>
  )
}
