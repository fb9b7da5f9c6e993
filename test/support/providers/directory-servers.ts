import { generateKeyPairSync } from "node:crypto"
import { importSPKI, jwtVerify } from "jose"
import { type Given, type StubRequest, type StubServer, startStub } from "./stub-server.ts"

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
})

export const SERVICE_ACCOUNT = { client_email: "verdict@project.iam.gserviceaccount.com", private_key: privateKey }
export const ADMIN_SUBJECT = "admin@workspace.test"

const USERS: Readonly<Record<string, object>> = {
  "anna@workspace.test": { primaryEmail: "anna@workspace.test", isMailboxSetup: true },
  "anna.alias@workspace.test": { primaryEmail: "anna@workspace.test", isMailboxSetup: true },
  "gone@workspace.test": { primaryEmail: "gone@workspace.test", suspended: true },
  "unlicensed@workspace.test": { primaryEmail: "unlicensed@workspace.test", isMailboxSetup: false },
}
const GROUPS = new Set(["team@workspace.test"])
const GOOGLE_SCOPES = "https://www.googleapis.com/auth/admin.directory.user.readonly"

/** Google's token endpoint and Directory API. A token is valid for `uses` calls: tests observe its renewal. */
export function startGoogle({ uses = Number.POSITIVE_INFINITY }: { uses?: number } = {}): Promise<StubServer> {
  let left = 0
  return startStub(async (asked) => {
    if (asked.path === "/token") {
      left = uses
      return grantGoogle(asked)
    }
    if (asked.headers.authorization !== "Bearer google-token" || left-- <= 0) return { status: 401 }
    const [, collection, key] = /^\/directory\/(users|groups)\/(.+)$/.exec(decodeURIComponent(asked.path)) ?? []
    if (!key?.endsWith("@workspace.test")) return refusal("forbidden")
    // Google also reports limits as 403 (developers.google.com/workspace/admin/directory, "Limits and quotas").
    if (key.startsWith("busy@")) return refusal("quotaExceeded")
    if (collection === "users") return USERS[key] ? { status: 200, json: USERS[key] } : { status: 404 }
    if (key.startsWith("no-scope@")) return { status: 403 }
    return GROUPS.has(key) ? { status: 200, json: { email: key } } : { status: 404 }
  })
}

function refusal(reason: string): Given {
  return { status: 403, json: { error: { code: 403, message: "No.", errors: [{ domain: "global", reason }] } } }
}

async function grantGoogle({ body, headers }: StubRequest): Promise<Given> {
  const form = new URLSearchParams(body)
  if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") return { status: 400 }
  try {
    const { payload, protectedHeader } = await jwtVerify(
      form.get("assertion") ?? "",
      await importSPKI(publicKey, "RS256"),
      { audience: `http://${headers.host}/token`, issuer: SERVICE_ACCOUNT.client_email, subject: ADMIN_SUBJECT },
    )
    const isGranted = String(payload.scope).split(" ").includes(GOOGLE_SCOPES)
    if (!isGranted || protectedHeader.alg !== "RS256" || payload.exp! - payload.iat! > 3_600) return { status: 401 }
    return { status: 200, json: { access_token: "google-token", expires_in: 3_600, token_type: "Bearer" } }
  } catch {
    return { status: 400, json: { error: "invalid_grant" } }
  }
}

export const MICROSOFT = { tenantId: "tenant-1", clientId: "client-1", clientSecret: "secret-1" }

/** Both directories, with the settings that lead to them. */
export async function startDirectories() {
  const [google, microsoft] = await Promise.all([startGoogle(), startMicrosoft()])
  return {
    urls: { google: google.url, microsoft: microsoft.url },
    settings: {
      GOOGLE_SERVICE_ACCOUNT: JSON.stringify(SERVICE_ACCOUNT),
      GOOGLE_ADMIN_SUBJECT: ADMIN_SUBJECT,
      GOOGLE_DIRECTORY_URL: `${google.url}/directory`,
      GOOGLE_TOKEN_URL: `${google.url}/token`,
      MS_TENANT_ID: MICROSOFT.tenantId,
      MS_CLIENT_ID: MICROSOFT.clientId,
      MS_CLIENT_SECRET: MICROSOFT.clientSecret,
      MS_GRAPH_URL: `${microsoft.url}/v1.0`,
      MS_LOGIN_URL: microsoft.url,
    },
    stop: () => Promise.all([google.stop(), microsoft.stop()]),
  }
}

const TENANT_USERS: readonly { userPrincipalName: string; mail: string | null; proxyAddresses: string[] }[] = [
  {
    userPrincipalName: "bob@m365.test",
    mail: "bob@m365.test",
    proxyAddresses: ["SMTP:Bob@m365.test", "smtp:robert@m365.test"],
  },
  { userPrincipalName: "sign-in-only@m365.test", mail: null, proxyAddresses: [] },
  { userPrincipalName: "o'brien@m365.test", mail: "o'brien@m365.test", proxyAddresses: ["SMTP:o'brien@m365.test"] },
]
/** A person outside the tenant with an address in it: mail to this address is forwarded. */
const TENANT_CONTACTS = [
  { mail: "paul@partner.test", proxyAddresses: ["SMTP:paul@partner.test", "smtp:paul@m365.test"] },
]
const TENANT_GROUPS = [{ mail: "all@m365.test", proxyAddresses: ["SMTP:all@m365.test"] }]

/** Microsoft's token endpoint and Graph. Lists are empty for other domains too; `denied` lists give 403. */
export function startMicrosoft({
  denied = [],
}: {
  denied?: readonly ("organization" | "users" | "groups" | "contacts")[]
} = {}): Promise<StubServer> {
  return startStub((asked) => {
    if (asked.path === `/${MICROSOFT.tenantId}/oauth2/v2.0/token`) return grantMicrosoft(asked)
    if (asked.headers.authorization !== "Bearer graph-token") return { status: 401 }
    if (denied.some((collection) => asked.path === `/v1.0/${collection}`))
      return { status: 403, json: { error: { code: "Authorization_RequestDenied", message: "No." } } }
    if (asked.path === "/v1.0/organization")
      return { status: 200, json: { value: [{ verifiedDomains: [{ name: "m365.test" }] }] } }
    // Graph rejects an advanced query without these two marks (Request_UnsupportedQuery).
    if (asked.headers.consistencylevel !== "eventual" || asked.query.get("$count") !== "true") return { status: 400 }
    const wanted = [...(asked.query.get("$filter") ?? "").matchAll(/eq '((?:[^']|'')*)'/g)].map(([, text]) =>
      text!.replaceAll("''", "'").toLowerCase(),
    )
    const isWanted = (held: readonly string[]) => held.some((one) => wanted.includes(one.toLowerCase()))
    if (asked.path === "/v1.0/users")
      return {
        status: 200,
        json: { value: TENANT_USERS.filter((user) => isWanted([user.userPrincipalName, ...user.proxyAddresses])) },
      }
    if (asked.path === "/v1.0/groups")
      return { status: 200, json: { value: TENANT_GROUPS.filter(({ proxyAddresses }) => isWanted(proxyAddresses)) } }
    if (asked.path === "/v1.0/contacts")
      return {
        status: 200,
        json: { value: TENANT_CONTACTS.filter(({ proxyAddresses }) => isWanted(proxyAddresses)) },
      }
    return { status: 404 }
  })
}

function grantMicrosoft({ body, headers }: StubRequest): Given {
  const form = Object.fromEntries(new URLSearchParams(body))
  const isRight =
    form.grant_type === "client_credentials" &&
    form.client_id === MICROSOFT.clientId &&
    form.client_secret === MICROSOFT.clientSecret &&
    form.scope === `http://${headers.host}/.default`
  return isRight
    ? { status: 200, json: { access_token: "graph-token", expires_in: 3_599 } }
    : { status: 401, json: { error: "invalid_client" } }
}
