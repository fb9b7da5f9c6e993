import { useEffect } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Billing, Credits, PriceList } from "../../api/shapes.ts"
import { Notice } from "../../parts/notice.tsx"
import { ForAccount, Loaded, Page } from "../../parts/page.tsx"
import { useSession } from "../../session.tsx"
import { Alerts } from "./alerts.tsx"
import { CreditTiles } from "./credits.tsx"
import { PaymentOffersPanel } from "./payment-offers.tsx"
import { CreditPacks, Plans } from "./plans.tsx"
import { SubscriptionPanel } from "./subscription.tsx"

/** The states of a subscription that pays for a plan now. */
const RUNNING: readonly string[] = ["active", "trialing", "past_due"]

export function BillingPage() {
  return (
    <Page title="Plans and billing" lead="Your plan, its credits and what you pay. Months are in UTC.">
      <ForAccount>
        <BillingOfAccount />
        <Alerts />
      </ForAccount>
    </Page>
  )
}

function BillingOfAccount() {
  const { account, refresh } = useSession()
  // The plan may have changed since the console was opened.
  useEffect(() => void refresh(), [refresh])
  const load = useLoad("billing", async (signal) => {
    const [credits, prices, billing] = await Promise.all([
      call<Credits>("/usage", { signal }),
      call<PriceList>("/billing/plans", { signal }),
      call<Billing>(`/billing/usage/${encodeURIComponent(account?.account_id ?? "")}`, { signal }),
    ])
    if (!credits.ok) return credits
    if (!prices.ok) return prices
    // An account that never bought anything is no customer yet.
    if (!billing.ok && billing.problem.status !== 404) return billing
    const subscriptions = billing.ok ? billing.body.subscriptions : []
    return { ok: true, body: { credits: credits.body, prices: prices.body, subscriptions } }
  })
  function handleAccepted() {
    load.reload()
    void refresh()
  }
  return (
    <>
      {account?.signed_in_by === "session" && <PaymentOffersPanel onAccepted={handleAccepted} />}
      <Loaded of={load} lines={6}>
        {({ credits, prices: { plans, credit_packs }, subscriptions }) => {
          const isSold = credit_packs.length > 0 || plans.some(({ can_be_bought }) => can_be_bought)
          return (
            <>
              <CreditTiles credits={credits} />
              {!isSold && (
                <Notice tone="accent" title="Nothing is for sale on this server">
                  <p>
                    Billing is not set up here. The limits of the plans still apply. Ask the operator for another plan.
                  </p>
                </Notice>
              )}
              <Plans
                plans={plans}
                current={credits.tier}
                isSold={isSold}
                isSubscribed={subscriptions.some(({ status }) => RUNNING.includes(status))}
              />
              {isSold && (
                <div class="columns">
                  <SubscriptionPanel subscriptions={subscriptions} />
                  <CreditPacks packs={credit_packs} />
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </>
  )
}
