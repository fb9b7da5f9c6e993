import type { ComponentChildren } from "preact"
import { isTemporary } from "../api/call.ts"
import type { Load } from "../api/load.ts"
import { Empty, ProblemNotice, Skeleton } from "./notice.tsx"
import { AccountOrOperator, SignInNeeded } from "./sign-in-needed.tsx"

interface LoadedProps<T> {
  readonly of: Load<T>
  readonly lines?: number
  /** The operator can see it without an account. */
  readonly forOperator?: boolean
  readonly children: (value: T) => ComponentChildren
}

/** Renders a loaded value, its placeholder while it loads, or its problem. */
export function Loaded<T>({ of: load, lines, forOperator = false, children }: LoadedProps<T>) {
  if (load.state === "loading") return <Skeleton {...(lines === undefined ? {} : { lines })} />
  if (load.state === "ready") return <>{children(load.value)}</>
  const { problem, reload } = load
  if (forOperator && (problem.status === 401 || problem.status === 403)) return <AccountOrOperator onDone={reload} />
  if (problem.status === 401) return <SignInNeeded />
  if (problem.status === 405 || (problem.status === 404 && problem.message.includes("/openapi.json")))
    return (
      <Empty title="Not available on this server">
        <p>The version of this server does not have this feature.</p>
      </Empty>
    )
  return <ProblemNotice problem={problem} retry={isTemporary(problem) ? reload : undefined} />
}
