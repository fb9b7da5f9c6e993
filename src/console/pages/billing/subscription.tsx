import type { Subscription } from "../../api/shapes.ts"
import { Notice, ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { day, plain } from "../../words.ts"
import { usePortal } from "./use-purchase.ts"

/** What follows from a payment that failed, by the status of the subscription. */
const UNPAID: Readonly<Record<string, string>> = {
  past_due: "The plan stays while the payment processor tries again. Check your card to keep the plan.",
  unpaid: "The plan has ended. Pay the open invoice to get it back.",
}

/** The subscriptions, and the way to change or cancel them and to read invoices. */
export function SubscriptionPanel({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const { account } = useSession()
  const { busy, problem, run } = usePortal()
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
      {failed && (
        <Notice tone="accept_all" title="The last payment failed">
          <p>{UNPAID[failed.status]}</p>
        </Notice>
      )}
      {account?.signed_in_by === "key" ? (
        <p>
          An API key cannot change a subscription or read invoices. <a href={signInLink()}>Sign in by email</a> to do
          so.
        </p>
      ) : (
        <div>
          <button
            type="button"
            class={failed ? "button primary" : "button"}
            aria-disabled={busy}
            onClick={() => void run()}
          >
            {failed ? "Pay or change the card" : "Change, cancel or see invoices"}
          </button>
        </div>
      )}
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
