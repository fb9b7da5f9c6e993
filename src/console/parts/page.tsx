import { type ComponentChildren, type ComponentType, Fragment } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { isTemporary, type Load } from "../api/call.ts"
import { signInLink } from "../route.ts"
import { useSession } from "../session.tsx"
import { Link } from "./buttons.tsx"
import { Form, useForm } from "./form.tsx"
import { Empty, ProblemNotice, Skeleton } from "./text.tsx"

interface PageProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly actions?: ComponentChildren
  /** Whose page it is: others get the sign-in instead of its content. */
  readonly access?: "account" | "operator"
  readonly children: ComponentChildren
}

/** A page whose heading takes the focus on the first render, so that a screen reader announces it. */
export function Page({ title, lead, actions, access, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Mailverdict`
    if (document.activeElement === document.body || document.activeElement?.closest(".side")) heading.current?.focus()
  }, [title])
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {lead && <p class="soft">{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {access === "account" && <ForAccount>{children}</ForAccount>}
      {access === "operator" && <ForOperator>{children}</ForOperator>}
      {access === undefined && children}
    </div>
  )
}

/** A page of one part, which is not rendered before the page is accessible. */
export const page = (Content: ComponentType, head: Omit<PageProps, "children">) => () => (
  <Page {...head}>
    <Content />
  </Page>
)

/** Content of a signed-in account. Another account resets its state. */
export function ForAccount({ children }: { children: ComponentChildren }) {
  const { account, problem, refresh } = useSession()
  if (account === null) return <SignInNeeded />
  if (account) return <Fragment key={account.account_id}>{children}</Fragment>
  return problem ? <ProblemNotice problem={problem} retry={() => void refresh()} /> : <Skeleton />
}

/** Content of the operator, who also may be signed in to an account. */
export function ForOperator({ children }: { children: ComponentChildren }) {
  const { isOperator } = useSession()
  return isOperator ? <Fragment>{children}</Fragment> : <OperatorNeeded />
}

const SignInNeeded = () => (
  <Empty title="Sign in to see this" text="This page belongs to an account. Sign in with an email link or an API key.">
    <Link label="Sign in" to={signInLink()} class="button primary" />
  </Empty>
)

/** A field for the admin secret. @param onDone called when the secret is right */
export function OperatorNeeded({ onDone }: { onDone?: () => void }) {
  const { becomeOperator, wasOperator } = useSession()
  const hint = "The setting ADMIN_SECRET of the service"
  const form = useForm(
    { secret: { label: "Admin secret", hint, kind: "secret", required: true } },
    async ({ secret }) => {
      const problem = await becomeOperator(secret)
      if (!problem) onDone?.()
      return problem
    },
  )
  return (
    <Panel
      title={wasOperator ? "Continue in operator mode" : "Do you run this service?"}
      note="the secret is not stored; a reload clears it"
    >
      <Form of={form} submit="Use it" layout="row" />
    </Panel>
  )
}

export interface PanelProps {
  readonly title: string
  /** For a link to the panel. */
  readonly id?: string | undefined
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
}

export const Panel = ({ title, id, note, children }: PanelProps) => (
  <section class="panel" id={id}>
    <div class="panel-head">
      <h2>{title}</h2>
      {note && <p class="soft small">{note}</p>}
    </div>
    {children}
  </section>
)

interface FoldProps {
  readonly title: string
  readonly summary: ComponentChildren
  readonly open?: boolean
  readonly children: ComponentChildren
}

/** A panel that is folded to its title and one line. */
export const Fold = ({ title, summary, open = false, children }: FoldProps) => (
  <details class="panel fold" open={open}>
    <summary>
      <h2>{title}</h2>
      <span class="soft small break">{summary}</span>
    </summary>
    {children}
  </details>
)

interface LoadedProps<T> {
  readonly of: Load<T>
  readonly lines?: number
  /** The operator can see it without an account. */
  readonly forOperator?: boolean
  readonly children: (value: T) => ComponentChildren
}

export const LoadedPanel = <T,>({ title, id, note, ...loaded }: Omit<PanelProps, "children"> & LoadedProps<T>) => (
  <Panel title={title} id={id} note={note}>
    <Loaded {...loaded} />
  </Panel>
)

/** Renders a loaded value, its placeholder while it loads, or its problem. */
export function Loaded<T>({ of: load, lines, forOperator = false, children }: LoadedProps<T>) {
  if (load.state === "loading") return <Skeleton {...(lines === undefined ? {} : { lines })} />
  if (load.state === "ready") return <>{children(load.value)}</>
  const { problem, reload } = load
  if (forOperator && (problem.status === 401 || problem.status === 403))
    return (
      <>
        <SignInNeeded />
        <OperatorNeeded onDone={reload} />
      </>
    )
  if (problem.status === 401) return <SignInNeeded />
  if (problem.code === "method_not_allowed" || problem.code === "unknown_endpoint")
    return <Empty title="Not available on this server" text="The version of this server does not have this feature." />
  return <ProblemNotice problem={problem} retry={isTemporary(problem) ? reload : undefined} />
}
