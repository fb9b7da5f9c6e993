import { type ComponentChildren, Fragment } from "preact"
import { useSession } from "../session.tsx"
import { ProblemNotice, Skeleton } from "./notice.tsx"
import { SignInNeeded } from "./sign-in-needed.tsx"

/** Content of a signed-in account. Another account resets its state. */
export function ForAccount({ children }: { children: ComponentChildren }) {
  const { account, problem, refresh } = useSession()
  if (account === null) return <SignInNeeded />
  if (account) return <Fragment key={account.account_id}>{children}</Fragment>
  return problem ? <ProblemNotice problem={problem} retry={() => void refresh()} /> : <Skeleton />
}
