import type { CreditPack, Plan } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { count, plain } from "../../words.ts"
import { priceInWords } from "./price.ts"
import { useCheckout } from "./use-purchase.ts"

interface PlansProps {
  readonly plans: readonly Plan[]
  readonly current: string
  /** Whether the server sells anything. Without it, only limits are shown. */
  readonly isSold: boolean
  /** Whether a subscription runs. A second one cannot be bought: the payment processor changes it. */
  readonly isSubscribed: boolean
}

export function Plans({ plans, current, isSold, isSubscribed }: PlansProps) {
  const { busy, problem, run } = useCheckout()
  return (
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
              <button
                type="button"
                class="button primary"
                aria-disabled={busy}
                onClick={() => void run(plan.name)}
              >{`Choose ${plain(plan.name)}`}</button>
            )}
          </li>
        ))}
      </ul>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}

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
  const { busy, problem, run } = useCheckout()
  if (packs.length === 0) return null
  return (
    <Panel title="Credit packs" note="paid once; used after the credits of the month">
      <ul class="plain-rows">
        {packs.map(({ name, credits, price }) => (
          <li key={name} class="row">
            <span class="grow">
              <b>{count(credits)} credits</b> {price && <span class="soft">{priceInWords(price)}</span>}
            </span>
            <button
              type="button"
              class="button"
              aria-label={`Buy ${count(credits)} credits`}
              aria-disabled={busy}
              onClick={() => void run(name)}
            >
              Buy
            </button>
          </li>
        ))}
      </ul>
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
