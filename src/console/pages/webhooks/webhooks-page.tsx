import { useState } from "preact/hooks"
import { ANY_SENDING_PROVIDER } from "../../../../schema/sending-providers.ts"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { AccountEndpoints, WebhookStats } from "../../api/shapes.ts"
import { ForAccount, Page } from "../../parts/page.tsx"
import { useChoice } from "../../route.ts"
import { DELIVERIES_ID, Deliveries } from "./deliveries.tsx"
import { Endpoints } from "./endpoints.tsx"
import { ListUrls } from "./list-urls.tsx"
import { Secrets } from "./secrets.tsx"

export function WebhooksPage() {
  return (
    <Page title="Webhooks" lead="Your server gets an event when a list is finished or credits run out.">
      <ForAccount>
        <OfAccount />
      </ForAccount>
    </Page>
  )
}

function OfAccount() {
  const load = useLoad("endpoints", (signal) => call<AccountEndpoints>("/webhooks/endpoints", { signal }))
  const stats = useLoad("webhook stats", (signal) => call<WebhookStats>("/webhooks/stats", { signal }))
  const [shown, setShown] = useChoice("webhook")
  /** Counts the tests and changes, after which the deliveries are loaded again. */
  const [changes, setChanges] = useState(0)
  const endpoints = load.state === "ready" ? load.value.endpoints : []
  function showDeliveries(endpointId: string) {
    setShown(endpointId)
    const panel = document.getElementById(DELIVERIES_ID)
    panel?.scrollIntoView()
    panel?.focus({ preventScroll: true })
  }
  return (
    <>
      <Endpoints of={load} onDeliveries={showDeliveries} onChange={() => setChanges(changes + 1)} />
      <Deliveries
        changes={changes}
        endpoints={endpoints}
        successRate={stats.state === "ready" ? stats.value.success_rate_24h : null}
        shown={shown}
        onShown={setShown}
        onSent={load.reload}
      />
      {stats.state === "ready" && <ListUrls endpoints={endpoints} receivers={stats.value.endpoints} />}
      <Secrets />
      <p class="soft small">
        The other way round, from {ANY_SENDING_PROVIDER} to us:{" "}
        <a href="#/webhooks/incoming">Events from your sending provider</a>
      </p>
    </>
  )
}
