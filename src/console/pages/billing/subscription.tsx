import type { Subscription } from "../../api/shapes.ts"
import { ProblemNotice } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { signInLink } from "../../route.ts"
import { useSession } from "../../session.tsx"
import { day, plain } from "../../words.ts"
import { usePortal } from "./use-purchase.ts"

/** The subscriptions, and the way to change or cancel them and to read invoices. */
export function SubscriptionPanel({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const { account } = useSession()
  const { busy, problem, run } = usePortal()
  return (
    <Panel title="Subscription and invoices">
      {subscriptions.length === 0 && <p class="soft">No subscription. Choose a plan to start one.</p>}
      {subscriptions.map(({ plan, status, period_end }) => (
        <p key={`${plan} ${status} ${period_end}`}>
          <b>{plain(plan)}</b>: {plain(status).toLowerCase()}
          {period_end && `, this period ends on ${day(period_end)}`}
        </p>
      ))}
      {account?.signed_in_by === "key" ? (
        <p>
          An API key cannot change a subscription or read invoices. <a href={signInLink()}>Sign in by email</a> to do
          so.
        </p>
      ) : (
        <div>
          <button type="button" class="button" aria-disabled={busy} onClick={() => void run()}>
            Change, cancel or see invoices
          </button>
        </div>
      )}
      <ProblemNotice problem={problem} />
    </Panel>
  )
}
