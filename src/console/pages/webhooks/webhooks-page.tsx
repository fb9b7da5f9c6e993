import { Page } from "../../parts/page.tsx"
import { SignInNeeded } from "../../parts/sign-in-needed.tsx"
import { useSession } from "../../session.tsx"
import { Deliveries } from "./deliveries.tsx"
import { Receivers } from "./receivers.tsx"
import { Secrets } from "./secrets.tsx"

export function WebhooksPage() {
  const { account } = useSession()
  return (
    <Page
      title="Webhooks"
      lead="Told when a list or a verification is done, signed by the Standard Webhooks specification."
    >
      {account === null ? (
        <SignInNeeded />
      ) : (
        <>
          <Secrets />
          <Receivers />
          <Deliveries />
        </>
      )}
    </Page>
  )
}
