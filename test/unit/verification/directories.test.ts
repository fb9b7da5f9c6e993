import { afterEach, describe, expect, test } from "vitest"
import { createDirectories } from "../../../src/adapters/verification/directories.ts"
import { createAccessTokens } from "../../../src/adapters/verification/directory-api.ts"
import { createGoogleDirectory } from "../../../src/adapters/verification/google-directory.ts"
import { createMicrosoftDirectory } from "../../../src/adapters/verification/microsoft-directory.ts"
import type { Caller } from "../../../src/domain/accounts/caller.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { judgeDirectory } from "../../../src/domain/verification/directory.ts"
import { AppError } from "../../../src/errors.ts"
import { findInDirectory } from "../../../src/services/verification/directory.ts"
import { testContext, testMeter } from "../../support/deps/context.ts"
import {
  ADMIN_SUBJECT,
  MICROSOFT,
  SERVICE_ACCOUNT,
  startGoogle,
  startMicrosoft,
} from "../../support/providers/directory-servers.ts"
import type { StubServer } from "../../support/providers/stub-server.ts"

const servers: StubServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

const address = (text: string) => parseAddress(text) as ValidAddress
const clock = { now: () => Date.now(), sleep: async () => undefined }

function deps(logged: string[] = []) {
  const request = (url: string, init: RequestInit) => fetch(url, init)
  const tokens = createAccessTokens({ fetch: request, clock, tokens: new Map() })
  return { fetch: request, clock, tokens, log: (event: string) => void logged.push(event) }
}

async function google(options: { uses?: number; privateKey?: string } = {}) {
  const server = await startGoogle(options)
  servers.push(server)
  const logged: string[] = []
  const directory = createGoogleDirectory(
    {
      serviceAccount: {
        clientEmail: SERVICE_ACCOUNT.client_email,
        privateKey: options.privateKey ?? SERVICE_ACCOUNT.private_key,
      },
      adminSubject: ADMIN_SUBJECT,
      url: `${server.url}/directory/`,
      tokenUrl: `${server.url}/token`,
    },
    deps(logged),
  )
  return { server, directory, logged }
}

describe("access tokens", () => {
  test("one token serves all lookups while it is valid", async () => {
    const { server, directory } = await google()
    for (const name of ["anna", "team", "nobody"]) await directory.find(address(`${name}@workspace.test`))
    expect(server.calls.filter((call) => call === "POST /token")).toHaveLength(1)
  })

  test("a refused token is fetched again, once", async () => {
    const { server, directory } = await google({ uses: 1 })
    expect(await directory.find(address("anna@workspace.test"))).toMatchObject({ kind: "user" })
    expect(await directory.find(address("anna@workspace.test"))).toMatchObject({ kind: "user" })
    expect(server.calls.filter((call) => call === "POST /token")).toHaveLength(2)
    const refused = await google({ uses: 0 })
    expect(await refused.directory.find(address("anna@workspace.test"))).toMatchObject({ kind: "failure" })
    expect(refused.server.calls).toHaveLength(4)
  })

  test("an unreadable key is a logged failure, not an exception", async () => {
    const { directory, logged } = await google({ privateKey: "no key" })
    expect(await directory.find(address("anna@workspace.test"))).toMatchObject({ kind: "failure" })
    expect(logged).toEqual(["directory_failed"])
  })
})

test("Google: a rate limit says nothing about the domain, although both are 403", async () => {
  const { directory } = await google()
  expect(await directory.find(address("busy@workspace.test"))).toMatchObject({ kind: "failure" })
  expect(await directory.find(address("anna@elsewhere.test"))).toEqual({ kind: "foreign" })
})

async function microsoft(options: Parameters<typeof startMicrosoft>[0] = {}) {
  const server = await startMicrosoft(options)
  servers.push(server)
  const settings = { ...MICROSOFT, url: `${server.url}/v1.0`, loginUrl: server.url }
  return { server, directory: createMicrosoftDirectory(settings, deps()) }
}

test("Graph: a foreign domain is not looked up, so an empty list proves nothing", async () => {
  const { server, directory } = await microsoft()
  expect(await directory.find(address("bob@elsewhere.test"))).toEqual({ kind: "foreign" })
  expect(server.calls).not.toContain("GET /v1.0/users")
  expect(await directory.find(address("nobody@m365.test"))).toEqual({ kind: "nobody" })
  expect(server.calls).toContain("GET /v1.0/groups")
})

test("Graph: a contact has an address like users and groups", async () => {
  const { directory } = await microsoft()
  expect(await directory.find(address("paul@m365.test"))).toEqual({ kind: "contact" })
})

test("Graph: a missing permission is reported as such, not as a foreign domain", async () => {
  for (const denied of ["organization", "users"] as const) {
    const { directory } = await microsoft({ denied: [denied] })
    const failure = { kind: "failure", reason: `the directory denies access to ${denied}` }
    expect(await directory.find(address("bob@m365.test"))).toEqual(failure)
  }
})

test.each(["groups", "contacts"] as const)(
  "Graph: without access to its %s no address is proven missing",
  async (denied) => {
    const { directory } = await microsoft({ denied: [denied] })
    const failure = { kind: "failure", reason: `the directory denies access to ${denied}` }
    expect(await directory.find(address("nobody@m365.test"))).toEqual(failure)
    expect(await directory.find(address("bob@m365.test"))).toMatchObject({ kind: "user" })
  },
)

type Share = Parameters<typeof createDirectories>[0]["share"]
type Name = "google" | "microsoft"

async function configuredBoth(share: Share) {
  const [google, microsoft] = await Promise.all([startGoogle(), startMicrosoft()])
  servers.push(google, microsoft)
  const { client_email: clientEmail, private_key: privateKey } = SERVICE_ACCOUNT
  return createDirectories(
    {
      share,
      google: {
        ...{ serviceAccount: { clientEmail, privateKey }, adminSubject: ADMIN_SUBJECT },
        ...{ url: `${google.url}/directory`, tokenUrl: `${google.url}/token` },
      },
      microsoft: { ...MICROSOFT, url: `${microsoft.url}/v1.0`, loginUrl: microsoft.url },
    },
    { fetch: (url, init) => fetch(url, init), clock, log: () => undefined },
  )
}

describe("what an account learns", () => {
  async function findAs(caller: Caller, share: Share) {
    const directories = await configuredBoth(share)
    const neighbors = { acceptsEverything: async () => false }
    const store = {
      suppressions: {},
      accountErasures: { has: async () => false },
      neighbors,
      resultLists: { findBriefs: async () => new Map() },
    }
    const ctx = testContext({ clock, directories, digests: {}, store })
    return (name: Name, email: string) => findInDirectory(ctx, testMeter(), { email, name, caller })
  }
  const account = { kind: "member", accountId: "acc_1" } as Caller
  const EXISTS = { status: "valid", exists: true, reason: "the directory has this address" }
  const MISSING = { status: "invalid", exists: false, reason: expect.stringContaining("receives mail") }
  const UNCLEAR = { status: "unknown", exists: null }

  test.each([
    ["google", "anna@workspace.test", { kind: "entry" }, EXISTS],
    ["google", "anna.alias@workspace.test", { kind: "entry" }, EXISTS],
    ["google", "team@workspace.test", { kind: "entry" }, EXISTS],
    ["google", "gone@workspace.test", { kind: "nobody" }, MISSING],
    ["google", "unlicensed@workspace.test", { kind: "nobody" }, MISSING],
    ["google", "nobody@workspace.test", { kind: "nobody" }, MISSING],
    ["google", "no-scope@workspace.test", { kind: "failure", reason: "the directory has no clear answer" }, UNCLEAR],
    ["google", "anna@elsewhere.test", { kind: "foreign" }, UNCLEAR],
    ["microsoft", "bob@m365.test", { kind: "entry" }, EXISTS],
    ["microsoft", "paul@m365.test", { kind: "entry" }, EXISTS],
    ["microsoft", "sign-in-only@m365.test", { kind: "nobody" }, MISSING],
  ] as const)("existence of %s %s", async (name, email, answer, verdict) => {
    const found = await (await findAs(account, "existence"))(name, email)
    expect(found.answer).toEqual(answer)
    expect(found.verdict).toMatchObject(verdict)
  })

  test("existence: a tag does not tell a user from a group, or a suspended user from none", async () => {
    const find = await findAs(account, "existence")
    const answers = async (...names: string[]) =>
      Promise.all(names.map(async (name) => (await find("google", `${name}+news@workspace.test`)).answer))
    const [user, group] = await answers("anna", "team")
    expect(user).toMatchObject({ kind: "failure" })
    expect(group).toEqual(user)
    expect(await answers("gone", "no-one")).toEqual([{ kind: "nobody" }, { kind: "nobody" }])
  })

  test("none: nothing, and no directory is queried; all: everything", async () => {
    await expect((await findAs(account, "none"))("google", "gone@workspace.test")).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("DIRECTORY_SHARE"),
    })
    expect(servers[0]!.calls).toEqual([])
    const { answer } = await (await findAs(account, "all"))("google", "gone@workspace.test")
    expect(answer).toMatchObject({ kind: "user", state: "suspended" })
  })

  test.each(["none", "existence", "all"] as const)("%s: the operator learns everything", async (share) => {
    const { answer } = await (await findAs({ kind: "admin" }, share))("google", "anna.alias@workspace.test")
    expect(answer).toMatchObject({ kind: "user", isAlias: true })
  })
})

describe("a tagged address, which no directory lists", () => {
  async function both() {
    const configured = await configuredBoth("none")
    return (name: Name, email: string) => {
      const found = configured[name]
      return found.isConfigured ? found.directory.find(address(email)) : expect.fail("configured")
    }
  }

  test("belongs to the user at Google, and possibly at Microsoft", async () => {
    const find = await both()
    const own = { kind: "user", isAlias: true, state: "active" }
    expect(await find("google", "anna+news@workspace.test")).toEqual(own)
    expect(await find("google", "anna.alias+a+b@workspace.test")).toEqual(own)
    expect(await find("microsoft", "bob+news@m365.test")).toMatchObject({ kind: "failure" })
  })

  test("of a group or a contact is undecided, of a missing user is missing, and of a suspended user is suspended", async () => {
    const find = await both()
    expect(await find("google", "team+news@workspace.test")).toMatchObject({ kind: "failure" })
    expect(await find("microsoft", "paul+news@m365.test")).toMatchObject({ kind: "failure" })
    expect(await find("google", "gone+news@workspace.test")).toMatchObject({ kind: "user", state: "suspended" })
    expect(await find("google", "no-one+news@workspace.test")).toEqual({ kind: "nobody" })
    expect(await find("microsoft", "no-one+news@m365.test")).toEqual({ kind: "nobody" })
    expect(await find("google", '"anna+news"@workspace.test')).toEqual({ kind: "user", isAlias: true, state: "active" })
    expect(await find("google", "+news@workspace.test")).toEqual({ kind: "nobody" })
  })
})

describe("the weight of an answer", () => {
  test.each([
    [{ kind: "user", isAlias: false, state: "active" }, null, "valid"],
    [{ kind: "user", isAlias: false, state: "suspended" }, null, "invalid"],
    [{ kind: "user", isAlias: false, state: "without_mailbox" }, null, "unknown"],
    [{ kind: "group" }, null, "valid"],
    [{ kind: "contact" }, null, "valid"],
    [{ kind: "entry" }, null, "valid"],
    [{ kind: "nobody" }, false, "invalid"],
    [{ kind: "nobody" }, null, "invalid"],
    [{ kind: "nobody" }, true, "unknown"],
    [{ kind: "foreign" }, null, "unknown"],
    [{ kind: "failure", reason: "x" }, null, "unknown"],
  ] as const)("%o, accepted %s: %s", (answer, isAccepted, status) => {
    const verdict = judgeDirectory(answer, { confirmed: "m365_confirmed", isAccepted })
    expect(verdict.status).toBe(status)
    expect(verdict.subStatus).toBe(
      status === "valid" ? "m365_confirmed" : status === "invalid" ? "mailbox_not_found" : null,
    )
  })
})

test("an address that the mail server accepts is not missing, because a directory does not list every recipient", async () => {
  const { directory } = await microsoft()
  const find = (email: string) =>
    findInDirectory(
      testContext({
        clock,
        directories: {
          microsoft: { isConfigured: true, directory, shared: null },
          google: { isConfigured: false, missing: [] },
        },
        digests: {},
        store: {
          suppressions: {},
          accountErasures: {},
          neighbors: { acceptsEverything: async () => false },
          resultLists: { findBriefs: async () => new Map([["everyone@m365.test", { status: "valid" }]]) },
        },
      }),
      testMeter(),
      { email, name: "microsoft", caller: { kind: "admin" } },
    )
  expect((await find("Everyone@m365.test")).verdict).toMatchObject({ status: "unknown", exists: null })
  expect((await find("nobody@m365.test")).verdict).toMatchObject({ status: "invalid", exists: false })
})

test("a directory without settings names the missing ones", async () => {
  const missing = { isConfigured: false, missing: ["MS_CLIENT_ID", "MS_CLIENT_SECRET"] } as const
  const unused = new Proxy({}, { get: () => expect.fail("no directory is queried") }) as never
  const finding = findInDirectory(
    testContext({
      clock,
      directories: { google: missing, microsoft: missing },
      store: { neighbors: unused, resultLists: unused },
    }),
    testMeter({ reserve: () => expect.fail("nothing is reserved") }),
    { email: "alice@mailbox.test", name: "microsoft", caller: { kind: "admin" } },
  )
  await expect(finding).rejects.toThrow(AppError)
  await expect(finding).rejects.toMatchObject({
    code: "not_configured",
    message: expect.stringMatching(/MS_CLIENT_ID, MS_CLIENT_SECRET/),
  })
})
