import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useAction } from "./api/load.ts"
import { OPERATOR_PAGES } from "./pages/operator/pages.ts"
import { ProblemNotice } from "./parts/notice.tsx"
import { useSession } from "./session.tsx"
import { ThemeSwitch } from "./theme.tsx"

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

const OPERATOR: Group = ["Operator", OPERATOR_PAGES]

export function Shell({ current, children }: { current: string; children: ComponentChildren }) {
  const [open, setOpen] = useState(false)
  const { isOperator } = useSession()
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
          <nav aria-label="Pages" class="stack">
            {(isOperator ? [...GROUPS, OPERATOR] : GROUPS).map(([title, pages]) => (
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
            <AccountInfo />
            <a class="small" href="/docs">
              API reference
            </a>
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

function AccountInfo() {
  const { account, signOut } = useSession()
  const { busy, problem, run } = useAction(signOut)
  if (account === undefined) return null
  if (account === null)
    return (
      <a class="button" href="#/sign-in">
        Sign in
      </a>
    )
  return (
    <div class="account">
      <b class="break">{account.email}</b>
      <span class="soft">
        {account.tier} plan, {account.signed_in_by === "key" ? "API key" : "email link"}
      </span>
      <div>
        <button type="button" class="button quiet" aria-disabled={busy} onClick={() => void run()}>
          {account.signed_in_by === "key" ? "Remove the key" : "Sign out"}
        </button>
      </div>
      <ProblemNotice problem={problem} />
    </div>
  )
}

function OperatorLink() {
  const { isOperator, leaveOperator } = useSession()
  if (!isOperator)
    return (
      <a class="small" href="#/operator">
        Operator
      </a>
    )
  return (
    <button type="button" class="button quiet" onClick={leaveOperator}>
      Leave operator mode
    </button>
  )
}
