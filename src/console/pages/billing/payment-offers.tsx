import { call, type Problem } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { PaymentOffer, PaymentOffers } from "../../api/shapes.ts"
import { Confirm } from "../../parts/dialog.tsx"
import { Loaded, Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"
import { count, plain } from "../../words.ts"
import { priceInWords } from "./price.ts"

/** Payments in the name of the mailbox, to accept or decline. Most accounts have none, so nothing shows until there are some. */
export function PaymentOffersPanel({ onAccepted }: { onAccepted: () => void }) {
  const load = useLoad("payment-offers", (signal) => call<PaymentOffers>("/me/payment-offers", { signal }))
  if (load.state === "loading" || (load.state === "ready" && load.value.offers.length === 0)) return null
  function handleAccepted() {
    load.reload()
    onAccepted()
  }
  return (
    <Panel title="Payments to accept" note="Nothing changes before you accept.">
      <Loaded of={load}>
        {({ email, offers }) => (
          <ul class="plain-rows">
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
      </Loaded>
    </Panel>
  )
}

interface DecideProps {
  readonly of: PaymentOffer
  readonly onAccepted: () => void
  readonly onDeclined: () => void
}

function Decide({ of: offer, onAccepted, onDeclined }: DecideProps) {
  async function send(verb: "accept" | "decline", onDone: () => void): Promise<Problem | null> {
    const answer = await call(`/me/payment-offers/${offer.offer_id}/${verb}`, { method: "POST" })
    if (!answer.ok) return answer.problem
    onDone()
    return null
  }
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

function nameOf({ plan, credits }: PaymentOffer): string {
  return credits === null ? `the ${plain(plan ?? "")} plan` : `${count(credits)} credits`
}

const priceOf = ({ amount, currency }: PaymentOffer): string =>
  amount === null || currency === null ? "" : `${priceInWords({ unit_amount: amount, currency, interval: null })}, `
