import { useEffect } from "preact/hooks"
import { type Answer, call, change, together, useGet, useLoad } from "../../api/call.ts"
import type { Account, Billing, Credits, PriceList, Subscription, UsageAlerts } from "../../api/shapes.ts"
import { ActionButton } from "../../parts/buttons.tsx"
import { Form, useForm } from "../../parts/form.tsx"
import { Loaded, LoadedPanel, Page, Panel } from "../../parts/page.tsx"
import { Notice, Tiles } from "../../parts/text.tsx"
import { signInLink, useChoice } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { count, day, duration, percent, plain } from "../../words.ts"
import { CreditPacks, openPortal, PaymentOffersPanel, Plans } from "./purchases.tsx"

/** The states of a subscription that pays for a plan now. */
const RUNNING: readonly string[] = ["active", "trialing", "past_due"]

export const BillingPage = () => (
  <Page title="Plans and billing" lead="Your plan, its credits and what you pay. Months are in UTC." access="account">
    <BillingOfAccount />
    <Alerts />
  </Page>
)

/** An account that never bought anything is no customer yet. */
async function subscriptionsOf(accountId: string, signal: AbortSignal): Promise<Answer<readonly Subscription[]>> {
  const answer = await call<Billing>(`/billing/usage/${encodeURIComponent(accountId)}`, { signal })
  if (answer.ok) return { ok: true, body: answer.body.subscriptions }
  return answer.problem.status === 404 ? { ok: true, body: [] } : answer
}

function BillingOfAccount() {
  const { account, refresh } = useSession()
  // The plan may have changed since the console was opened.
  useEffect(() => void refresh(), [refresh])
  const load = useLoad("billing", (signal) =>
    together({
      credits: call<Credits>("/usage", { signal }),
      prices: call<PriceList>("/billing/plans", { signal }),
      subscriptions: subscriptionsOf(account?.account_id ?? "", signal),
    }),
  )
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
                <Notice
                  tone="accent"
                  title="Nothing is for sale on this server"
                  text="Billing is not set up here. The limits of the plans still apply. Ask the operator for another plan."
                />
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

function CreditTiles({ credits }: { credits: Credits }) {
  const {
    tier,
    credits_used: used,
    credits_limit: limit,
    credits_remaining: left,
    bought_credits_left: bought,
  } = credits
  const share = limit === null ? null : `${percent(used / Math.max(1, limit))} of ${count(limit)}`
  return (
    <Tiles
      tiles={[
        ["Plan", plain(tier), limit === null ? "no limit" : `${count(limit)} credits a month`],
        ["Used this month", count(used), share],
        [
          "Left this month",
          left === null ? "No limit" : count(left),
          `resets in ${duration(credits.resets_in_seconds)}`,
        ],
        ["Bought credits left", count(bought), "used after the credits of the month"],
      ]}
    />
  )
}

const PERCENTS = new Intl.ListFormat("en", { type: "conjunction" })

/** The panel, which the page scrolls to at `?at=alerts`. */
const ALERTS_ID = "alerts"

function Alerts() {
  const load = useGet<UsageAlerts>("/me/alerts")
  return (
    <LoadedPanel title="Alerts" id={ALERTS_ID} of={load} lines={3}>
      {(alerts) => <AlertForm alerts={alerts} />}
    </LoadedPanel>
  )
}

function AlertForm({ alerts }: { alerts: UsageAlerts }) {
  const { account } = useSession()
  const [at] = useChoice("at")
  useEffect(() => {
    if (at === ALERTS_ID) document.getElementById(ALERTS_ID)?.scrollIntoView()
  }, [at])
  const form = useForm(
    {
      mail: {
        label: "Email",
        kind: "check",
        hint: account ? recipientOf(account) : "to the mailbox of the account",
        initial: alerts.mail,
      },
      webhook_url: {
        label: "Webhook URL",
        placeholder: "https://hooks.example.org/usage",
        hint: "Also gets these alerts. The webhooks of your account get them by “Credits running out”.",
        initial: alerts.webhook_url ?? "",
      },
    },
    ({ mail, webhook_url }, labels) =>
      change("/me/alerts", { method: "PUT", json: { mail, webhook_url: webhook_url || null }, labels }),
  )
  return (
    <>
      <p class="soft">
        Sent when {PERCENTS.format(alerts.percents.map((share) => `${share}%`))} of the month's credits are used, once a
        month each.
      </p>
      <Form of={form} submit="Save alerts" />
      {form.isDone && <Notice tone="valid" title="Saved" />}
    </>
  )
}

/** A sign-in by email has confirmed the mailbox. An API key does not say whether it is. */
const recipientOf = ({ email, signed_in_by }: Account): string =>
  signed_in_by === "key" ? `to ${email}, once this mailbox is confirmed` : `to ${email}`

/** What follows from a payment that failed, by the status of the subscription. */
const UNPAID: Readonly<Record<string, string>> = {
  past_due: "The plan stays while the payment processor tries again. Check your card to keep the plan.",
  unpaid: "The plan has ended. Pay the open invoice to get it back.",
}

function SubscriptionPanel({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const { account } = useSession()
  const failed = subscriptions.find(({ status }) => UNPAID[status])
  return (
    <Panel title="Subscription and invoices">
      {subscriptions.length === 0 && <p class="soft">No subscription. Choose a plan to start one.</p>}
      {subscriptions.map(({ plan, status, period_end }) => (
        <p key={`${plan} ${status} ${period_end}`}>
          <b>{plain(plan)}</b>: {plain(status).toLowerCase()}
          {period_end && `, this period ends on ${day(period_end)}`}
        </p>
      ))}
      {failed && <Notice tone="accept_all" title="The last payment failed" text={UNPAID[failed.status]} />}
      {account?.signed_in_by === "key" ? (
        <p>
          An API key cannot change a subscription or read invoices. <a href={signInLink()}>Sign in by email</a> to do
          so.
        </p>
      ) : (
        <div class="row">
          <ActionButton
            label={failed ? "Pay or change the card" : "Change, cancel or see invoices"}
            class={failed ? "button primary" : "button"}
            onAct={openPortal}
          />
        </div>
      )}
    </Panel>
  )
}
