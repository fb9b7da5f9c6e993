import { readFileSync } from "node:fs"
import { ANY_SENDING_PROVIDER } from "../../../schema/sending-providers.ts"

/** A group of operations in the document. Its name is in the routes, its title in the reference. */
interface Tag {
  readonly name: string
  readonly title: string
  readonly description: string
}

interface TagGroup {
  readonly name: string
  readonly tags: readonly Tag[]
}

/** The groups in the order in which the reference shows them. The guides precede them. */
export const TAG_GROUPS: readonly TagGroup[] = [
  {
    name: "Verify",
    tags: [
      {
        name: "verification",
        title: "Single addresses",
        description:
          "Verify one address at a time. `GET /validate` is the whole verification. The others answer sooner or shorter: from the cache, by syntax and DNS, or in the background.",
      },
      {
        name: "bulk",
        title: "Lists",
        description:
          "Verify many addresses at once. A call with up to 100 or 5,000 addresses answers at once. A job takes any number, or a file. The guide [Lists](#tag/guide-lists) compares them.",
      },
      {
        name: "finder",
        title: "Finder",
        description:
          "Find the address of a person at a company, and learn how a company builds its addresses. A found address costs 5 credits, an uncertain one nothing.",
      },
      {
        name: "signals",
        title: "Signals and domains",
        description:
          "Single signals of an address, a name or a domain: mail records, blocklists, age, formats, activity. Most are free. They count as one request each.",
      },
    ],
  },
  {
    name: "Your mail",
    tags: [
      {
        name: "suppression",
        title: "Suppression",
        description:
          "Addresses and domains that you never mail. A suppressed address has `can_send: false` in every answer to your account, from the next call on. All calls are free.",
      },
      {
        name: "feedback",
        title: "Feedback",
        description:
          "Report what happened to your mail. Reports correct the next verdicts of your account and train the models. All calls are free.",
      },
      {
        name: "provider-events",
        title: "Provider events",
        description: `Let ${ANY_SENDING_PROVIDER} report events by themselves. Create a receiver, and enter its URL at the provider.`,
      },
    ],
  },
  {
    name: "Connect",
    tags: [
      {
        name: "webhooks",
        title: "Webhooks",
        description:
          "Get a signed request when a list or a verification ends. The guide [Webhooks](#tag/guide-webhooks) has the events and the signature.",
      },
      {
        name: "integrations",
        title: "Integrations",
        description:
          "Verify the contacts of a CRM or a marketing tool in place, and send messages to Slack or Zapier. Verifications cost the usual credits.",
      },
    ],
  },
  {
    name: "Account",
    tags: [
      {
        name: "keys",
        title: "API keys",
        description:
          "Create, restrict, rotate and revoke keys. A key's secret is shown once. The guide [Authentication](#tag/guide-authentication) explains how a key joins an account.",
      },
      {
        name: "sign-in",
        title: "Sign-in",
        description:
          "Sign in by a mailed link or with Google. A session is needed only for what a leaked key must not do, such as deleting the account.",
      },
      {
        name: "account",
        title: "Account and usage",
        description: "Credits, statistics, history, alerts, export and the end of your account. All calls are free.",
      },
      {
        name: "billing",
        title: "Plans and billing",
        description: "Plans, prices, payment pages and invoices. Payments happen on the pages of the processor.",
      },
      {
        name: "compliance",
        title: "Data protection",
        description:
          "Export and erase what is stored about an address or a domain. With a key, the calls cover your account's data. The operator's calls need the admin secret.",
      },
      {
        name: "statistics",
        title: "Stored data",
        description:
          "Counts of verifications, and stored results. With a key, the calls cover your account. With the admin secret, they cover the whole service.",
      },
    ],
  },
  {
    name: "Operate",
    tags: [
      {
        name: "service",
        title: "Health",
        description: "Whether the service works. It needs no key and suits a monitor.",
      },
      {
        name: "fleet",
        title: "Probe nodes",
        description:
          "The machines that speak SMTP with mail servers. A key has the account's own nodes, the admin secret the whole fleet.",
      },
      {
        name: "senders",
        title: "Source addresses",
        description:
          "The IP addresses and sender domains that probes come from, with their blocklist entries and deferred addresses.",
      },
      {
        name: "learning",
        title: "Models",
        description:
          "How well the models predict, and their training. A benchmark compares verdicts with known results.",
      },
      {
        name: "admin",
        title: "Administration",
        description:
          "Accounts, jobs, settings and domain lists of the whole service. Every call needs the admin secret.",
      },
    ],
  },
]

/** The first text of the reference, in Markdown. */
export const INTRODUCTION = textOf("introduction")

/** Guides are groups without operations, so that they are part of the document and of its readers' navigation. */
export const GUIDES: TagGroup = {
  name: "Guides",
  tags: ["Authentication", "Errors", "Limits", "Idempotency", "Lists", "Webhooks"].map((title): Tag => {
    const name = title.toLowerCase()
    return { name: `guide-${name}`, title, description: textOf(name) }
  }),
}

function textOf(name: string): string {
  return readFileSync(new URL(`guides/${name}.md`, import.meta.url), "utf8").trim()
}
