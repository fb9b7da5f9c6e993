import { change, type Problem, useGet } from "../../api/call.ts"
import type { CreditPack, PaymentOffer, PaymentOffers, Plan, Price } from "../../api/shapes.ts"
import { ActionButton, Confirm } from "../../parts/buttons.tsx"
import { LoadedPanel, Panel } from "../../parts/page.tsx"
import { Ago, Badge } from "../../parts/text.tsx"
import { count, plain } from "../../words.ts"

/** "€9.00 a month", "€5.00". */
function priceInWords({ unit_amount, currency, interval }: Price): string {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency: currency.toUpperCase() })
  // The number of decimals of the currency: 2 for euro, 0 for yen.
  const { maximumFractionDigits: decimals = 2 } = format.resolvedOptions()
  const amount = format.format(unit_amount / 10 ** decimals)
  return interval === null ? amount : `${amount} a ${interval}`
}

interface PlansProps {
  readonly plans: readonly Plan[]
  readonly current: string
  /** Whether the server sells anything. Without it, only limits are shown. */
  readonly isSold: boolean
  /** Whether a subscription runs. A second one cannot be bought: the payment processor changes it. */
  readonly isSubscribed: boolean
}

export const Plans = ({ plans, current, isSold, isSubscribed }: PlansProps) => (
  <Panel title="Plans" note={noteOf(isSold, isSubscribed)}>
    <ul class="plans">
      {plans.map((plan) => (
        <li key={plan.name} class={plan.name === current ? "plan current" : "plan"}>
          <div class="row">
            <h3>{plain(plan.name)}</h3>
            {plan.name === current && <Badge tone="accent">Your plan</Badge>}
          </div>
          {isSold && <p class="plan-price">{planPrice(plan)}</p>}
          <ul class="small">
            {plan.adds.map((words) => (
              <li key={words}>{plain(words)}</li>
            ))}
          </ul>
          {isSold && isByAgreement(plan) && plan.name !== current && (
            <p class="soft small">Ask the operator of this service for this plan.</p>
          )}
          {plan.can_be_bought && plan.name !== current && !isSubscribed && (
            <div class="row">
              <ActionButton
                label={`Choose ${plain(plan.name)}`}
                class="button primary"
                onAct={() => checkOut(plan.name)}
              />
            </div>
          )}
        </li>
      ))}
    </ul>
  </Panel>
)

function noteOf(isSold: boolean, isSubscribed: boolean): string {
  if (!isSold) return "limits only"
  return isSubscribed
    ? "change your plan under Subscription and invoices"
    : "you pay on the page of the payment processor"
}

const isByAgreement = ({ name, can_be_bought }: Plan): boolean => name !== "free" && !can_be_bought

function planPrice(plan: Plan): string {
  if (plan.price) return priceInWords(plan.price)
  if (isByAgreement(plan)) return "By agreement"
  return plan.name === "free" ? "Free" : "Price at checkout"
}

export function CreditPacks({ packs }: { packs: readonly CreditPack[] }) {
  if (packs.length === 0) return null
  return (
    <Panel title="Credit packs" note="paid once; used after the credits of the month">
      <ul class="stack">
        {packs.map(({ name, credits, price }) => (
          <li key={name} class="row">
            <span class="grow">
              <b>{count(credits)} credits</b> {price && <span class="soft">{priceInWords(price)}</span>}
            </span>
            <ActionButton label="Buy" name={`Buy ${count(credits)} credits`} onAct={() => checkOut(name)} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Payments in the name of the mailbox, to accept or decline. Most accounts have none, so nothing shows until there are some. */
export function PaymentOffersPanel({ onAccepted }: { onAccepted: () => void }) {
  const load = useGet<PaymentOffers>("/me/payment-offers")
  if (load.state === "loading" || (load.state === "ready" && load.value.offers.length === 0)) return null
  function handleAccepted() {
    load.reload()
    onAccepted()
  }
  return (
    <LoadedPanel title="Payments to accept" note="Nothing changes before you accept." of={load}>
      {({ email, offers }) => (
        <ul class="stack">
          {offers.map((offer) => (
            <li key={offer.offer_id} class="row">
              <span class="grow">
                Someone paid for <b>{nameOf(offer)}</b> in the name of {email}. Accept it only if you expect it.{" "}
                <span class="soft small">
                  {priceOf(offer)}
                  <Ago at={offer.paid_at} />, payment …{offer.payment}
                </span>
              </span>
              <Decide of={offer} onAccepted={handleAccepted} onDeclined={load.reload} />
            </li>
          ))}
        </ul>
      )}
    </LoadedPanel>
  )
}

interface DecideProps {
  readonly of: PaymentOffer
  readonly onAccepted: () => void
  readonly onDeclined: () => void
}

function Decide({ of: offer, onAccepted, onDeclined }: DecideProps) {
  const send = (verb: "accept" | "decline", onDone: () => void) =>
    change(`/me/payment-offers/${offer.offer_id}/${verb}`, { method: "POST" }, onDone)
  return (
    <div class="row">
      <Confirm label="Accept" title={`Accept ${nameOf(offer)}?`} onConfirm={() => send("accept", onAccepted)}>
        <p>
          {offer.credits === null
            ? "Your account gets the plan while its subscription is paid. You can then cancel it under Subscription and invoices."
            : "Your account gets the credits."}
        </p>
      </Confirm>
      <Confirm label="Decline" title={`Decline ${nameOf(offer)}?`} danger onConfirm={() => send("decline", onDeclined)}>
        <p>
          Your account does not change. The operator of this service decides about the money. This cannot be undone.
        </p>
      </Confirm>
    </div>
  )
}

const nameOf = ({ plan, credits }: PaymentOffer): string =>
  credits === null ? `the ${plain(plan ?? "")} plan` : `${count(credits)} credits`

const priceOf = ({ amount, currency }: PaymentOffer): string =>
  amount === null || currency === null ? "" : `${priceInWords({ unit_amount: amount, currency, interval: null })}, `

const checkOut = (product: string): Promise<Problem | null> =>
  change<{ checkout_url: string }>(
    `/billing/checkout/${encodeURIComponent(product)}`,
    { method: "POST" },
    ({ checkout_url }) => location.assign(checkout_url),
  )

export async function openPortal(): Promise<Problem | null> {
  const problem = await change<{ portal_url: string }>("/billing/portal", { method: "POST" }, ({ portal_url }) =>
    location.assign(portal_url),
  )
  return problem?.status === 409 ? { ...problem, message: "This account has not bought anything yet." } : problem
}
