import { randomBytes } from "node:crypto"
import { makeSecret, SECRET_ENTROPY_BYTES } from "../../src/domain/accounts/credentials.ts"
import { workbook } from "../support/inputs/workbook.ts"

/** Each attack opens so many at once. */
export const CONNECTIONS = 2_000
/** Source addresses in different networks, with fewer connections each than the service accepts from one network. */
export const SOURCES = Array.from({ length: 8 }, (_, n) => `127.${n + 1}.0.1`)

export interface AttackRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Bytes that the header promises and the attacker never sends. */
  readonly missing?: number
}

/** Valid free keys that the attacker has. */
export interface Loot {
  /** Created without a key, each from another source address. */
  readonly anonymous: readonly string[]
  readonly uploaders: readonly string[]
}

export interface Attack {
  readonly name: string
  /** The requests of one connection, sent one after the other. */
  readonly requests: (connection: number, loot: Loot) => AttackRequest[]
  /** Every answer is one of these statuses. A call of the flood that waits too long for the database is 503. */
  readonly refusals: readonly number[]
  /** What each of the two sides may keep of the memory that it has freed, in MB. */
  readonly mayKeepMb: number
}

/** V8 keeps what a flood has allocated: on a slow machine more calls wait at once. At Cloudflare an isolate has so much. */
const ISOLATE_MB = 128
const JSON_TYPE = { "content-type": "application/json" }
const WORKBOOK = { "content-type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" }
const UPLOAD = "/bulk/upload"
/** Paths that no caller may use, and paths that read the body. */
const POSTED = [
  "/no-such-path",
  "/health",
  "/admin/update-intelligence",
  UPLOAD,
  "/keys",
  "/auth/verify",
  "/validate/bulk",
  "/bounce/sendgrid?t=none",
]
const READ = ["/keys", "/auth/verify", "/validate/bulk", "/bounce/sendgrid?t=none"]
/** 6 bytes each: 20 MB unpacked and 29 KB packed. */
const EMPTY_ROWS = 3_200_000
const MEGABYTE = Buffer.alloc(999_999, " ")
/** Every twentieth connection sends an upload instead: they make 2 GB, as the others do. */
const UPLOAD_EVERY = 20
const TWENTY_MEGABYTES = Buffer.alloc(19_999_999, "user@d0001.test\n")

const oneOf = <T>(list: readonly T[], index: number): T => list[index % list.length]!
const token = () => randomBytes(32).toString("base64url")
const inventedKey = () => makeSecret(randomBytes(SECRET_ENTROPY_BYTES))
const post = (path: string, body: object): AttackRequest => ({
  method: "POST",
  path,
  headers: JSON_TYPE,
  body: JSON.stringify(body),
})

/** An ID token with a new key id. Its signature is of no use. */
function idToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const claims = { iss: "https://accounts.google.com", aud: "attack", sub: "1", email: "a@gmail.com", exp: 4e9 }
  return [part({ alg: "RS256", kid: token() }), part(claims), randomBytes(256).toString("base64url")].join(".")
}

/** Every way to present a token that the service has never issued. */
const BOGUS: readonly (() => AttackRequest)[] = [
  () => post("/auth/verify", { token: token() }),
  () => ({ method: "GET", path: "/auth/me", headers: { authorization: `Bearer ${token()}` } }),
  () =>
    post("/fleet/nodes/enrol", {
      ...{ token: token(), id: "node-x", region: "x", url: "https://probe.example.org" },
      public_key: `node-x:${token()}`,
    }),
  () => post(`/bounce/sendgrid?t=${token()}`, []),
  () => post(`/webhooks/mailgun?t=${token()}`, {}),
  () => ({ method: "GET", path: "/auth/google/me", headers: { authorization: `Bearer ${idToken()}` } }),
]

let packed: Uint8Array | null = null

/** No attack: as many callers as in one. Their buffers and the code that they load are part of the memory before it. */
export const CROWD: Attack = {
  name: "callers of a public page",
  requests: () => Array.from({ length: 3 }, () => ({ method: "GET", path: "/auth/google/config" })),
  refusals: [],
  mayKeepMb: ISOLATE_MB,
}

export const ATTACKS: readonly Attack[] = [
  {
    name: "bogus tokens of every kind",
    requests: (n) => [0, 1, 2].map((turn) => oneOf(BOGUS, n + turn)()),
    refusals: [400, 401, 429, 503],
    mayKeepMb: ISOLATE_MB,
  },
  {
    name: "invented keys with a right checksum",
    requests: (n) =>
      ["/validate", "/validate/fast"].map((path) => ({
        method: "GET",
        path: `${path}?email=user${n}@d0002.test`,
        headers: { "x-api-key": inventedKey() },
      })),
    refusals: [401, 429, 503],
    mayKeepMb: ISOLATE_MB,
  },
  {
    name: "a packed workbook of empty rows, by five anonymous keys",
    requests(n, { anonymous }) {
      packed ??= workbook("<row/>".repeat(EMPTY_ROWS))
      const headers = { ...WORKBOOK, "x-api-key": oneOf(anonymous, n) }
      return [{ method: "POST", path: n % 2 ? UPLOAD : "/bulk/preview", headers, body: packed }]
    },
    refusals: [413, 422, 429, 503],
    // And the uploads that all accounts may have in memory.
    mayKeepMb: ISOLATE_MB + 48,
  },
  {
    name: "bodies of 10 bytes that stall after the first",
    requests: (n) => [{ method: "POST", path: oneOf(POSTED, n), headers: JSON_TYPE, body: "{", missing: 9 }],
    refusals: [400, 401, 403, 404, 405, 408, 422, 429, 503],
    mayKeepMb: ISOLATE_MB,
  },
  {
    name: "bodies of 1 MB and uploads of 20 MB, one byte short",
    requests(n, { uploaders }) {
      if (n % UPLOAD_EVERY > 0)
        return [{ method: "POST", path: oneOf(READ, n), headers: JSON_TYPE, body: MEGABYTE, missing: 1 }]
      const headers = { "content-type": "text/csv", "x-api-key": oneOf(uploaders, n / UPLOAD_EVERY) }
      return [{ method: "POST", path: UPLOAD, headers, body: TWENTY_MEGABYTES, missing: 1 }]
    },
    // Uploads of all accounts share 48 MB, so some of ten accounts get 503.
    refusals: [400, 401, 408, 413, 422, 429, 503],
    // The bodies that the service may hold, and the two chunks of each connection that the front may.
    mayKeepMb: 384,
  },
]
