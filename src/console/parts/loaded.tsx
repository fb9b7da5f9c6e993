import type { ComponentChildren } from "preact"
import type { Load } from "../api/load.ts"
import { Empty, ProblemNotice, Skeleton } from "./notice.tsx"
import { AccountOrOperator, SignInNeeded } from "./sign-in-needed.tsx"

interface LoadedProps<T> {
  readonly of: Load<T>
  readonly lines?: number
  /** The operator may see it without an account. */
  readonly forOperator?: boolean
  readonly children: (value: T) => ComponentChildren
}

/** What was fetched; before that its outline, and instead of it what is missing. */
export function Loaded<T>({ of: load, lines, forOperator = false, children }: LoadedProps<T>) {
  if (load.state === "loading") return <Skeleton {...(lines === undefined ? {} : { lines })} />
  if (load.state === "ready") return <>{children(load.value)}</>
  const { problem, reload } = load
  if (forOperator && (problem.status === 401 || problem.status === 403))
    return <AccountOrOperator problem={problem} onDone={reload} />
  if (problem.status === 401) return <SignInNeeded />
  if (problem.status === 405 || (problem.status === 404 && problem.message.includes("nothing at this address")))
    return (
      <Empty title="Not on this server">
        <p>The version that runs here does not answer this yet.</p>
      </Empty>
    )
  return <ProblemNotice problem={problem} retry={reload} />
}
