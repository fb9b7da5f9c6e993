import { generateKeyPairSync } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { generateKeyPair } from "../../../schema/wire/keys.ts"
import { createContext } from "../../../src/adapters/create-context.ts"
import type { Context } from "../../../src/context.ts"
import { parseAddress, type ValidAddress } from "../../../src/domain/address/parse.ts"
import { type Bindings, readConfig } from "../../../src/env.ts"
import { type StubServer, startStub } from "../../support/providers/stub-server.ts"

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 })
const ACCOUNT = { client_email: "a@b.c", private_key: privateKey.export({ type: "pkcs8", format: "pem" }) }

/** Every external service is enabled; public defaults stay. */
const SETTINGS = {
  LIBSQL_URL: "http://127.0.0.1:1",
  KEY_PEPPER: "p".repeat(32),
  HIBP_API_KEY: "key",
  MS_CREDENTIAL_CHECK: "1",
  MS_CREDENTIAL_URL: "https://login.microsoftonline.com/common/GetCredentialType",
  GOOGLE_SERVICE_ACCOUNT: JSON.stringify(ACCOUNT),
  GOOGLE_ADMIN_SUBJECT: "admin@mailverdict.com",
  MS_TENANT_ID: "tenant",
  MS_CLIENT_ID: "client",
  MS_CLIENT_SECRET: "secret",
}

const BOOTSTRAP = { services: [[["com", "net", "org", "test"], ["https://rdap.registry.net/"]]] }

let internet: StubServer
let config: Parameters<typeof createContext>[0]
beforeAll(async () => {
  internet = await startStub(({ path }) => {
    if (path === "/rdap/dns.json") return { status: 200, json: BOOTSTRAP }
    if (path.endsWith("/token")) return { status: 200, json: { access_token: "t", expires_in: 3_600 } }
    return { status: 404, json: {} }
  })
  const read = await readConfig({ ...SETTINGS, EDGE_SIGNING_KEY: (await generateKeyPair("edge-1")).signingKey })
  if (!read.ok) throw new Error(read.problems.join("\n"))
  config = read.config
})
afterAll(() => internet.stop())

/** The Worker's adapters; a stub server replaces the internet for every host. */
function context(): Context {
  const OUTBOUND = {
    fetch: (url: string, init: RequestInit) => {
      const { pathname, search } = new URL(url)
      return fetch(`${internet.url}${pathname}${search}`, init)
    },
  }
  return createContext(config, {
    requestId: "r",
    bindings: { OUTBOUND } as unknown as Bindings,
    background: () => undefined,
  })
}

const domainOf = (email: string) => email.slice(email.lastIndexOf("@") + 1)

const SERVICES: Readonly<Record<string, (ctx: Context, email: string) => Promise<unknown>>> = {
  Gravatar: ({ gravatar }, email) => gravatar.has(email),
  RDAP: ({ rdap }, email) => rdap.registration(domainOf(email)),
  "Have I Been Pwned": ({ breachService }, email) => breachService!.breachesOf(email),
  "Microsoft's sign-in page": ({ credentialType }, email) => credentialType!.query(email),
  "Google Workspace": ({ directories: { google } }, email) =>
    google.isConfigured ? google.directory.find(parseAddress(email) as ValidAddress) : Promise.reject(google.missing),
  "Microsoft Graph": ({ directories: { microsoft } }, email) =>
    microsoft.isConfigured
      ? microsoft.directory.find(parseAddress(email) as ValidAddress)
      : Promise.reject(microsoft.missing),
}

describe.each(Object.entries(SERVICES))("%s", (_, ask) => {
  let before: number
  beforeEach(() => {
    before = internet.calls.length
  })

  test.each([
    "alice@mailbox.test",
    "bob@mail.example",
    "carol@nowhere.invalid",
    "dave@app.localhost",
    "erin@example.com",
  ])("is not queried about %s", async (email) => {
    await ask(context(), email)
    expect(internet.calls.slice(before)).toEqual([])
  })

  test("is queried about a public name", async () => {
    await ask(context(), "alice@mailverdict.com")
    expect(internet.calls.slice(before)).not.toEqual([])
  })
})
