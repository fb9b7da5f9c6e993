import { hubspotRateLimit, startHubspot } from "./hubspot-server.ts"
import { startKlaviyo } from "./klaviyo-server.ts"
import { startMailchimp } from "./mailchimp-server.ts"
import { startSalesforce } from "./salesforce-server.ts"
import { startSlack } from "./slack-server.ts"

export type ConnectedTool = "hubspot" | "salesforce" | "mailchimp" | "klaviyo" | "slack"

/** Tokens of portals: one whose first call meets the rate limit, one too large for a free account, one that fails. */
export const PORTALS = {
  usual: "pat-na1-usual-0f9e8d7c",
  large: "pat-na1-large-1a2b3c4d",
  down: "pat-na1-down-5e6f7a8b",
  page: "pat-na1-page-9c0d1e2f",
  empty: "pat-na1-empty-3a4b5c6d",
  locked: "pat-na1-locked-7e8f9a0b",
} as const
export const REFRESH_TOKEN = "5Aep861-refresh"

const PEOPLE = ["alice@mailbox.test", "nobody@mailbox.test", "not an address", "anyone@no-such-domain.test"]
const named = PEOPLE.map((email, n) => ({ id: String(1 + n), email }))
const largePortal = Array.from({ length: 240 }, (_, n) => ({ id: String(1 + n), email: `nobody-${n}@mailbox.test` }))

/** What a proxy or a login answers in place of the API. */
const PAGE = "<!doctype html><title>Maintenance</title>"

/** Stub servers of the integrations, each with the same contacts, and the settings with their addresses. */
export async function startConnectedTools() {
  const [hubspot, salesforce, mailchimp, klaviyo, slack] = await Promise.all([
    startHubspot({
      [PORTALS.usual]: { contacts: named, faults: [hubspotRateLimit("1")] },
      [PORTALS.large]: { contacts: largePortal },
      [PORTALS.down]: { contacts: [], faults: Array.from({ length: 100 }, () => ({ status: 502 })) },
      [PORTALS.page]: { contacts: [], faults: Array.from({ length: 100 }, () => ({ status: 200, text: PAGE })) },
      [PORTALS.empty]: { contacts: [] },
      [PORTALS.locked]: { contacts: named, locked: named.map(({ id }) => id) },
    }),
    startSalesforce({
      contacts: PEOPLE.map((Email, n) => ({ Id: `00300000000000${n}`, Email })),
      refreshToken: REFRESH_TOKEN,
      rotates: true,
    }),
    startMailchimp({ members: named }),
    startKlaviyo({ profiles: named }),
    startSlack(),
  ])
  const servers = { hubspot, salesforce, mailchimp, klaviyo, slack }
  const urls = Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, url]))
  return {
    urls: urls as Readonly<Record<ConnectedTool, string>>,
    settings: {
      HUBSPOT_URL: hubspot.url,
      SALESFORCE_LOGIN_URL: salesforce.url,
      MAILCHIMP_URL: `${mailchimp.url}/{dc}/3.0`,
      KLAVIYO_URL: klaviyo.url,
      SLACK_URL: `${slack.url}/api`,
    },
    stop: () => Promise.all(Object.values(servers).map((server) => server.stop())),
  }
}
