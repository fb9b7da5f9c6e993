import { expect, test } from "vitest"
import type { RemoteKeyLimiter } from "../../../src/adapters/accounts/key-limiters.ts"
import type { SessionStore } from "../../../src/adapters/store/accounts/sessions.ts"
import { type Browser, withSignIn } from "../../../src/domain/accounts/credentials.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"
import { authorize, type Rate, type Window } from "../../../src/domain/accounts/rate-limits.ts"
import { requestSignIn } from "../../../src/services/accounts/sign-in.ts"
import { testContext } from "../../support/deps/context.ts"

const MINUTE_MS = 60_000

interface Request {
  readonly email: string
  readonly clientIp?: string
  /** The mailboxes that the requesting browser signed in to before. Without it, a program requests. */
  readonly browserOf?: readonly string[]
}

/** A sign-in service with a manual clock. */
async function signInService() {
  const world = { now: 1, sent: [] as string[] }
  const windows = new Map<string, Window>()
  const keyLimiters = {
    ofAction: (action: string) => ({
      count: async (rate: Rate) => {
        const counted = authorize(windows.get(action) ?? [], rate, { now: world.now })
        if (counted.accepted) windows.set(action, counted.window)
        return counted
      },
    }),
  }
  const digests = await createDigests(["p".repeat(32)])
  const ctx = testContext({
    digests,
    keyLimiters: keyLimiters as unknown as Record<"ofAction" | "ofKey" | "ofSubject", () => RemoteKeyLimiter>,
    mailer: { send: async ({ to }: { to: string }) => void world.sent.push(to) },
    randomToken: () => "token",
    store: { sessions: { createLink: async () => undefined } as unknown as SessionStore },
    config: { baseUrl: "https://api.example.com" },
  })
  async function browserOf(mailboxes: readonly string[] | undefined): Promise<Browser | null> {
    let browser: Browser | null = mailboxes ? { id: "b".repeat(22), proofs: [] } : null
    for (const one of mailboxes ?? []) browser = browser && (await withSignIn(digests, browser, one))
    return browser
  }
  async function request({ email, clientIp, browserOf: mailboxes }: Request): Promise<"sent" | "free_work_exceeded"> {
    const browser = await browserOf(mailboxes)
    const failure = await requestSignIn(ctx, { email, keyId: null, clientIp, browser }).then(
      () => null,
      (error: { code: string }) => error.code,
    )
    if (failure !== null) expect(failure).toBe("free_work_exceeded")
    return failure === null ? "sent" : "free_work_exceeded"
  }
  return { world, request }
}

const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const mailbox = (n: number) => `person${n}@inbox.test`

const OWNER = { email: "owner@inbox.test" }
const KNOWN = "192.0.2.1"

test.each<{ what: string; flood: Request[]; next: Request; expected: "sent" | "free_work_exceeded"; mails: number }>([
  {
    what: "five requests of unknown clients leave the sign-in open for an owner",
    flood: times(5, (n) => ({ email: mailbox(n) })),
    next: OWNER,
    expected: "sent",
    mails: 6,
  },
  {
    what: "a flood of unknown clients stays within the global limit",
    flood: times(500, (n) => ({ email: mailbox(n) })),
    next: OWNER,
    expected: "free_work_exceeded",
    mails: 60,
  },
  {
    what: "a flood of unknown clients does not touch a client with a known address",
    flood: times(500, (n) => ({ email: mailbox(n) })),
    next: { ...OWNER, clientIp: KNOWN },
    expected: "sent",
    mails: 61,
  },
  {
    what: "an address that cannot be read counts as unknown",
    flood: times(100, (n) => ({ email: mailbox(n), clientIp: `nonsense-${n}` })),
    next: OWNER,
    expected: "free_work_exceeded",
    mails: 60,
  },
  {
    what: "a known client sends five requests a minute",
    flood: times(5, (n) => ({ email: mailbox(n), clientIp: KNOWN })),
    next: { ...OWNER, clientIp: KNOWN },
    expected: "free_work_exceeded",
    mails: 5,
  },
  {
    what: "a mailbox gets five links from unknown clients",
    flood: times(5, () => OWNER),
    next: OWNER,
    expected: "free_work_exceeded",
    mails: 5,
  },
  {
    what: "a mailbox gets five links from any number of known clients",
    flood: times(5, (n) => ({ ...OWNER, clientIp: `192.0.2.${n}` })),
    next: { ...OWNER, clientIp: "192.0.2.99" },
    expected: "free_work_exceeded",
    mails: 5,
  },
  {
    what: "a mailbox's strangers, in one network with its owner, leave the owner's browser its links",
    flood: times(50, () => ({ ...OWNER, clientIp: KNOWN })),
    next: { ...OWNER, clientIp: KNOWN, browserOf: ["other@inbox.test", OWNER.email] },
    expected: "sent",
    mails: 6,
  },
  {
    what: "a flood of unknown clients leaves the owner's browser its links",
    flood: times(500, (n) => ({ email: mailbox(n) })),
    next: { ...OWNER, browserOf: [OWNER.email] },
    expected: "sent",
    mails: 61,
  },
  {
    what: "a browser that signed in to other mailboxes is a stranger",
    flood: times(5, (n) => ({ ...OWNER, clientIp: `192.0.2.${n}` })),
    next: { ...OWNER, clientIp: "192.0.2.99", browserOf: ["other@inbox.test"] },
    expected: "free_work_exceeded",
    mails: 5,
  },
  {
    what: "the browsers that signed in to a mailbox have five links together, beside those of strangers",
    flood: times(20, (n) => ({ ...OWNER, clientIp: `192.0.2.${n}`, ...(n % 2 ? { browserOf: [OWNER.email] } : {}) })),
    next: { ...OWNER, browserOf: [OWNER.email] },
    expected: "free_work_exceeded",
    mails: 10,
  },
])("$what", async ({ flood, next, expected, mails }) => {
  const { world, request } = await signInService()
  for (const each of flood) await request(each)
  expect(await request(next)).toBe(expected)
  expect(world.sent).toHaveLength(mails)
})

test("a flood ends with its minute, and its refusals do not count against a mailbox", async () => {
  const { world, request } = await signInService()
  for (const n of times(60, (n) => n)) await request({ email: mailbox(n) })
  for (const each of times(10, () => OWNER)) expect(await request(each)).toBe("free_work_exceeded")
  world.now += MINUTE_MS
  for (const each of times(5, () => OWNER)) expect(await request(each)).toBe("sent")
})
