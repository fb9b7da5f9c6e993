import { type StubServer, startStub } from "./stub-server.ts"

export const HIBP_KEY = "hibp-test-key"

/** Breaches by account, in the format of version 3 of the API. */
const BREACHED: Readonly<Record<string, readonly object[]>> = {
  "pwned@mailbox.test": [
    { Name: "Adobe", BreachDate: "2013-10-04", DataClasses: ["Email addresses", "Passwords"], PwnCount: 152445165 },
    { Name: "Forum", BreachDate: "2020-01-31", DataClasses: ["Email addresses"], PwnCount: 12 },
  ],
  "alice@mailbox.test": [{ Name: "Forum", BreachDate: "2020-01-31", DataClasses: ["Email addresses"] }],
}

/** Have I Been Pwned, version 3: 400 for an invalid address, 401, 403, 404 without breaches, 429 with Retry-After. */
export function startHibp(): Promise<StubServer> {
  return startStub(({ path, headers }) => {
    if (headers["hibp-api-key"] !== HIBP_KEY) return { status: 401, json: { statusCode: 401 } }
    if (!headers["user-agent"]) return { status: 403 }
    const account = decodeURIComponent(/^\/breachedaccount\/(.+)$/.exec(path)?.[1] ?? "")
    if (account.startsWith('"')) return { status: 400, json: { statusCode: 400 } }
    if (account.startsWith("slow-down@")) return { status: 429, headers: { "retry-after": "2" } }
    if (account.startsWith("broken@")) return { status: 503 }
    const breaches = BREACHED[account]
    return breaches ? { status: 200, json: breaches } : { status: 404 }
  })
}
