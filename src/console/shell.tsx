import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { useGet } from "./api/call.ts"
import type { Credits } from "./api/shapes.ts"
import { ActionButton, Button, Link } from "./parts/buttons.tsx"
import { OPERATOR_PAGES } from "./route.ts"
import { useSession } from "./session.tsx"
import { ThemeSwitch } from "./theme.tsx"
import { credits, plain } from "./words.ts"

const ICON_URL = new URL("./icon.svg", import.meta.url).href

type Group = readonly [title: string, pages: readonly (readonly [step: string, title: string, ...rest: string[]])[]]

/** Pages by their first step of the path. */
const GROUPS: readonly Group[] = [
  [
    "Verification",
    [
      ["", "Verify"],
      ["lists", "Lists"],
      ["find", "Find"],
      ["domain", "Domain check"],
      ["suppression", "Suppression"],
    ],
  ],
  [
    "Account",
    [
      ["account", "Account"],
      ["keys", "API keys"],
      ["usage", "Usage"],
      ["billing", "Plans and billing"],
      ["webhooks", "Webhooks"],
      ["integrations", "Integrations"],
      ["data", "Data protection"],
      ["audit", "Audit trail"],
    ],
  ],
]

/** An account's own nodes. The operator's page shows them too. */
const OWN_NODES = ["fleet", "Probe nodes"] as const
const [VERIFICATION, ACCOUNT] = GROUPS as readonly [Group, Group]
const CUSTOMER: readonly Group[] = [VERIFICATION, [ACCOUNT[0], [...ACCOUNT[1], OWN_NODES]]]
const OPERATOR: Group = ["Operator mode", OPERATOR_PAGES]

export function Shell({ current, children }: { current: string; children: ComponentChildren }) {
  const [open, setOpen] = useState(false)
  const { isOperator } = useSession()
  const nav = useRef<HTMLElement>(null)
  // The link of the page may lie below the visible ones.
  useEffect(() => nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" }))
  useEffect(() => {
    const close = () => setOpen(false)
    addEventListener("hashchange", close)
    return () => removeEventListener("hashchange", close)
  }, [])
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("main h1")?.focus()}>
        Skip to content
      </button>
      <header class="side">
        <a class="brand" href="#/">
          <img src={ICON_URL} alt="" />
          Mailverdict
        </a>
        <button
          type="button"
          class="button quiet menu-button"
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          Menu
        </button>
        <div id="menu" class={open ? "menu open" : "menu"}>
          <nav aria-label="Pages" class="stack" ref={nav}>
            {(isOperator ? [OPERATOR, ...GROUPS] : CUSTOMER).map(([title, pages]) => (
              <div class="nav-group" key={title}>
                <h2>{title}</h2>
                {pages.map(([step, words]) => (
                  <a
                    key={step}
                    href={`#/${step}`}
                    aria-current={step === current ? "page" : undefined}
                    onClick={() => setOpen(false)}
                  >
                    {words}
                  </a>
                ))}
              </div>
            ))}
          </nav>
          <div class="side-foot">
            <AccountInfo current={current} />
            <Link label="API reference" to="/docs" class="small" />
            <OperatorLink />
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main id="main" class="main">
        {children}
      </main>
    </div>
  )
}

function AccountInfo({ current }: { current: string }) {
  const { account, signOut } = useSession()
  if (account === undefined) return null
  if (account === null) return <Link label="Sign in" to="#/sign-in" class="button" />
  return (
    <div class="account">
      <b class="break">{account.email}</b>
      <span class="soft">
        {plain(account.tier)} plan, {account.signed_in_by === "key" ? "API key" : "email link"}
      </span>
      <Balance key={account.account_id} current={current} />
      <div class="row">
        <ActionButton label="Sign out" class="button quiet" onAct={signOut} />
      </div>
    </div>
  )
}

/** What is left of the month's credits, loaded again with each page. */
function Balance({ current }: { current: string }) {
  const load = useGet<Credits>("/usage", { version: current, keepPrevious: true })
  if (load.state !== "ready") return null
  const left = load.value.credits_available
  return <Link label={left === null ? "No limit on credits" : `${credits(left)} left`} to="#/billing" class="soft" />
}

function OperatorLink() {
  const { isOperator, leaveOperator } = useSession()
  if (!isOperator) return <Link label="Operator" to="#/operator" class="small" />
  return <Button label="Leave operator mode" class="button quiet" onClick={leaveOperator} />
}
