import type { ComponentChildren } from "preact"
import { DomainPage } from "./pages/domain/domain-page.tsx"
import { FindPage } from "./pages/find/find-page.tsx"
import { FleetPage } from "./pages/fleet/fleet-page.tsx"
import { KeysPage } from "./pages/keys/keys-page.tsx"
import { JobPage } from "./pages/lists/job-page.tsx"
import { ListsPage } from "./pages/lists/lists-page.tsx"
import { ModelPage } from "./pages/model/model-page.tsx"
import { SignInPage } from "./pages/sign-in/sign-in-page.tsx"
import { TokenPage } from "./pages/sign-in/token-page.tsx"
import { SuppressionPage } from "./pages/suppression/suppression-page.tsx"
import { UsagePage } from "./pages/usage/usage-page.tsx"
import { VerifyPage } from "./pages/verify/verify-page.tsx"
import { WebhooksPage } from "./pages/webhooks/webhooks-page.tsx"
import { Page } from "./parts/page.tsx"
import { type Route, useRoute } from "./route.ts"
import { SessionProvider } from "./session.tsx"
import { Shell } from "./shell.tsx"

/** The page for each first step of the path. */
const PAGES: Readonly<Record<string, (route: Route) => ComponentChildren>> = {
  "": ({ query }) => <VerifyPage requested={query.get("email")?.trim() || null} />,
  lists: ({ path: [, jobId] }) => (jobId ? <JobPage key={jobId} jobId={jobId} /> : <ListsPage />),
  find: ({ query }) => <FindPage name={query.get("name")?.trim() ?? ""} domain={query.get("domain")?.trim() ?? ""} />,
  domain: ({ query }) => <DomainPage requested={query.get("name")?.trim() || null} />,
  keys: () => <KeysPage />,
  fleet: () => <FleetPage />,
  model: () => <ModelPage />,
  suppression: () => <SuppressionPage />,
  usage: () => <UsagePage />,
  webhooks: () => <WebhooksPage />,
  "sign-in": ({ path: [, token], query }) =>
    token ? <TokenPage key={token} token={token} /> : <SignInPage back={query.get("back") ?? "#/lists"} />,
}

export function App() {
  const route = useRoute()
  const step = route.path[0] ?? ""
  const show = PAGES[step]
  return (
    <SessionProvider>
      <Shell current={step}>
        {show ? (
          show(route)
        ) : (
          <Page title="Page not found" lead={<a href="#/">Verify an address</a>}>
            {null}
          </Page>
        )}
      </Shell>
    </SessionProvider>
  )
}
