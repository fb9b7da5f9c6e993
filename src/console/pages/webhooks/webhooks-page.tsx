import { ForAccount } from "../../parts/for-account.tsx"
import { Page } from "../../parts/page.tsx"
import { Deliveries } from "./deliveries.tsx"
import { Receivers } from "./receivers.tsx"
import { Secrets } from "./secrets.tsx"

export function WebhooksPage() {
  return (
    <Page
      title="Webhooks"
      lead="Signed notifications about finished lists and verifications, by the Standard Webhooks specification."
    >
      <ForAccount>
        <Secrets />
        <Receivers />
        <Deliveries />
      </ForAccount>
    </Page>
  )
}
