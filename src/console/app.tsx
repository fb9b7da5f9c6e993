import type { ComponentChildren, ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "./parts/buttons.tsx"
import { Page } from "./parts/page.tsx"
import { Skeleton } from "./parts/text.tsx"
import { GOOGLE_STEP, type Route, returnPage, useRoute } from "./route.ts"
import { SessionProvider } from "./session.tsx"
import { Shell } from "./shell.tsx"

type Loader<T> = () => Promise<T>

type ShowPage = (route: Route) => ComponentChildren

/** A page that needs nothing of its address. */
const only =
  (Content: ComponentType): ShowPage =>
  () => <Content />

/** The page for each first step of the path. Its script is loaded when it is first opened. */
const PAGES: Readonly<Record<string, Loader<ShowPage>>> = {
  "": async () => {
    const { VerifyPage } = await import("./pages/verification/verify-page.tsx")
    return ({ query }) => <VerifyPage requested={query.get("email")?.trim() || null} />
  },
  lists: async () => {
    const [{ ListsPage }, { JobPage }] = await Promise.all([
      import("./pages/lists/lists-page.tsx"),
      import("./pages/lists/job-page.tsx"),
    ])
    return ({ path: [, jobId] }) => (jobId ? <JobPage key={jobId} jobId={jobId} /> : <ListsPage />)
  },
  find: async () => {
    const { FindPage } = await import("./pages/finder/find-page.tsx")
    return ({ query }) => <FindPage name={query.get("name")?.trim() ?? ""} domain={query.get("domain")?.trim() ?? ""} />
  },
  domain: async () => {
    const { DomainPage } = await import("./pages/signals/domain-page.tsx")
    return ({ query }) => <DomainPage requested={query.get("name")?.trim() || null} />
  },
  suppression: async () => only((await import("./pages/suppression/suppression-page.tsx")).SuppressionPage),
  keys: async () => {
    const [{ KeysPage }, { KeyPage }] = await Promise.all([
      import("./pages/accounts/keys-page.tsx"),
      import("./pages/accounts/key-page.tsx"),
    ])
    return ({ path: [, keyId] }) => (keyId ? <KeyPage key={keyId} keyId={keyId} /> : <KeysPage />)
  },
  usage: async () => only((await import("./pages/accounts/usage-page.tsx")).UsagePage),
  account: async () => only((await import("./pages/accounts/account-page.tsx")).AccountPage),
  data: async () => only((await import("./pages/compliance/data-page.tsx")).DataPage),
  audit: async () => only((await import("./pages/compliance/audit-pages.tsx")).AuditPage),
  trail: async () => only((await import("./pages/compliance/audit-pages.tsx")).FullTrailPage),
  integrations: async () => only((await import("./pages/integrations/integrations-page.tsx")).IntegrationsPage),
  billing: async () => only((await import("./pages/accounts/billing-page.tsx")).BillingPage),
  webhooks: async () => {
    const [{ WebhooksPage, IncomingPage }, { DeliveryPage }] = await Promise.all([
      import("./pages/webhooks/webhooks-page.tsx"),
      import("./pages/webhooks/deliveries.tsx"),
    ])
    return ({ path: [, step] }) => {
      if (step === "incoming") return <IncomingPage />
      return step ? <DeliveryPage key={step} eventId={step} /> : <WebhooksPage />
    }
  },
  "sign-in": async () => {
    const { SignInPage, TokenPage, GoogleReturnPage } = await import("./pages/accounts/sign-in-pages.tsx")
    return ({ path: [, token], query }) => {
      if (token === GOOGLE_STEP) return <GoogleReturnPage />
      return token ? <TokenPage key={token} token={token} /> : <SignInPage back={returnPage(query.get("back"))} />
    }
  },
  device: async () => {
    const { DevicePage } = await import("./pages/accounts/approve-pages.tsx")
    return ({ query }) => <DevicePage code={query.get("code")?.trim() ?? ""} />
  },
  authorize: async () => {
    const { AuthorizePage } = await import("./pages/accounts/approve-pages.tsx")
    return ({ query }) => <AuthorizePage key={String(query)} query={String(query)} />
  },
  operator: async () => only((await import("./pages/admin/operator-pages.tsx")).OperatorPage),
  accounts: async () => {
    const { AccountsPage, AccountPage } = await import("./pages/admin/accounts-pages.tsx")
    return ({ path: [, accountId] }) =>
      accountId ? <AccountPage key={accountId} accountId={accountId} /> : <AccountsPage />
  },
  "all-jobs": async () => only((await import("./pages/admin/operator-pages.tsx")).AllJobsPage),
  "list-data": async () => only((await import("./pages/reference/list-data-page.tsx")).ListDataPage),
  metrics: async () => only((await import("./pages/admin/metrics-pages.tsx")).MetricsPage),
  errors: async () => only((await import("./pages/admin/metrics-pages.tsx")).ErrorsPage),
  settings: async () => only((await import("./pages/admin/operator-pages.tsx")).SettingsPage),
  fleet: async () => {
    const [{ FleetPage }, { NodePage }, { AddressesPage }, { CanariesPage }, { DomainsPage }] = await Promise.all([
      import("./pages/fleet/fleet-page.tsx"),
      import("./pages/fleet/node-page.tsx"),
      import("./pages/fleet/source-addresses.tsx"),
      import("./pages/fleet/canaries-page.tsx"),
      import("./pages/fleet/domains-page.tsx"),
    ])
    return ({ path: [, part, id] }) => {
      if (part === "nodes" && id) return <NodePage key={id} id={id} />
      if (part === "addresses") return <AddressesPage />
      if (part === "canaries") return <CanariesPage />
      return part === "domains" ? <DomainsPage /> : <FleetPage />
    }
  },
  model: async () => only((await import("./pages/learning/model-page.tsx")).ModelPage),
}

export function App() {
  const route = useRoute()
  const step = route.path[0] ?? ""
  const load = PAGES[step]
  return (
    <SessionProvider>
      <Shell current={step}>{load ? <Opened key={step} name={step} load={load} route={route} /> : <NotFound />}</Shell>
    </SessionProvider>
  )
}

function Opened({ name, load, route }: { name: string; load: Loader<ShowPage>; route: Route }) {
  const page = useLazy(name, load)
  if (page.state === "loading") return <Skeleton />
  if (page.state === "ready") return page.value(route)
  const reason = "The service did not respond, or it was updated since you opened the console."
  return (
    <Page title="This page could not be loaded" lead={reason}>
      <Button label="Reload" class="button primary" onClick={() => location.reload()} />
    </Page>
  )
}

const NotFound = () => (
  <Page title="Page not found" lead={<a href="#/">Verify an address</a>}>
    {null}
  </Page>
)

type Lazy<T> = { readonly state: "loading" | "failed" } | { readonly state: "ready"; readonly value: T }

const loaded = new Map<string, unknown>()

/** Loads a script once. A value that is already loaded is there on the first render. @param name identifies the value */
function useLazy<T>(name: string, load: Loader<T>): Lazy<T> {
  const [state, setState] = useState<Lazy<T>["state"]>(loaded.has(name) ? "ready" : "loading")
  useEffect(() => {
    // It may have arrived between the render and this effect, for a page that was left while it loaded.
    if (loaded.has(name)) return setState("ready")
    load().then(
      (value) => {
        loaded.set(name, value)
        setState("ready")
      },
      () => setState("failed"),
    )
  }, [name, load])
  return state === "ready" ? { state, value: loaded.get(name) as T } : { state }
}
