import { describe, expect, test } from "vitest"
import { usedCredits } from "../support/stack/account.ts"
import { type CallInit, call } from "../support/stack/api.ts"
import { type Account, newAccount, waitForJobEnd } from "../support/stack/jobs.ts"

/** The same content again, sent in another way, and other contents under the same Idempotency-Key. */

type Path = "/bulk/upload" | "/validate/bulk/async"

interface Sent extends CallInit {
  readonly query?: string
}

let made = 0
/** A domain that no other test uses, because stored results are free. */
const newDomain = () => `d${8_200 + made++}.test`
const csv = (domain: string, user = "user1") => `email\r\n${user}@${domain}\r\n`
const list = (domain: string, user = "user1") => JSON.stringify({ emails: [`${user}@${domain}`], smtp: false })

interface Form {
  readonly boundary?: string
  readonly name?: string
  /** In this order; "file" stands for the file. */
  readonly fields?: readonly (readonly [string, string])[]
}

function form(file: string, { boundary = "one", name = "list.csv", fields = [["file", ""]] }: Form = {}): Sent {
  const parts = fields.map(([field, value]) => {
    const isFile = field === "file"
    const named = `content-disposition: form-data; name="${field}"${isFile ? `; filename="${name}"` : ""}`
    return `--${boundary}\r\n${named}\r\n${isFile ? "content-type: text/csv\r\n" : ""}\r\n${isFile ? file : value}\r\n`
  })
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` }
  return { headers, body: `${parts.join("")}--${boundary}--\r\n` }
}
const raw = (file: string, type = "text/csv"): Sent => ({ headers: { "content-type": type }, body: file })
const json = (body: string): Sent => ({ headers: { "content-type": "application/json" }, body })

/** The same body without a length, in pieces. */
function inPieces({ body, ...sent }: Sent, size: number): Sent {
  const bytes = new TextEncoder().encode(body as string)
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
  return { ...sent, body: stream as never, duplex: "half" } as Sent
}

function send(account: Account, path: Path, { query = "", headers, ...sent }: Sent, key: string | null = "key-1") {
  const named: Record<string, string> = key === null ? {} : { "idempotency-key": key }
  return call<{ job_id: string; detail: unknown }>("POST", path, {
    ...sent,
    at: `${path}${query}`,
    headers: { ...(headers as Record<string, string>), ...account.headers, ...named },
  })
}

async function jobsOf({ headers }: Account): Promise<readonly { job_id: string }[]> {
  const { body } = await call<{ jobs: { job_id: string }[] }>("GET", "/bulk/jobs", { headers })
  return body.jobs
}

const MISMATCH = {
  status: 422,
  body: { detail: [{ loc: ["header", "idempotency-key"], type: "idempotency_mismatch" }] },
}

async function expectOneJob(account: Account, jobId: string, credits = 1) {
  await waitForJobEnd(jobId, account.headers)
  expect((await jobsOf(account)).map(({ job_id }) => job_id)).toEqual([jobId])
  expect(await usedCredits(account)).toBe(credits)
}

const OPTIONS = [["smtp", "false"] as const, ["deduplicate", "true"] as const]
const FILE = ["file", ""] as const

type Sends = (domain: string) => readonly [Path, Sent, Sent]

describe("the same content replays the first answer", () => {
  test.each<[string, Sends]>([
    ["an upload", (d) => ["/bulk/upload", form(csv(d)), form(csv(d))]],
    ["a raw file", (d) => ["/bulk/upload", raw(csv(d)), raw(csv(d))]],
    [
      "a raw file of another type for the same format",
      (d) => ["/bulk/upload", raw(csv(d)), raw(csv(d), "application/csv")],
    ],
    ["another boundary", (d) => ["/bulk/upload", form(csv(d)), form(csv(d), { boundary: "another-boundary" })]],
    [
      "another order of the form's fields",
      (d) => [
        "/bulk/upload",
        form(csv(d), { fields: [FILE, ...OPTIONS] }),
        form(csv(d), { fields: [...OPTIONS.toReversed(), FILE], boundary: "two" }),
      ],
    ],
    [
      "another order of the query",
      (d) => [
        "/bulk/upload",
        { ...raw(csv(d)), query: "?smtp=false&deduplicate=true" },
        { ...raw(csv(d)), query: "?deduplicate=true&smtp=false" },
      ],
    ],
    ["a chunked upload after one with a length", (d) => ["/bulk/upload", raw(csv(d)), inPieces(raw(csv(d)), 7)]],
    ["an upload with a length after a chunked one", (d) => ["/bulk/upload", inPieces(form(csv(d)), 50), form(csv(d))]],
    ["a list", (d) => ["/validate/bulk/async", json(list(d)), json(list(d))]],
    ["a list in pieces after a whole one", (d) => ["/validate/bulk/async", json(list(d)), inPieces(json(list(d)), 3)]],
    ["a whole list after one in pieces", (d) => ["/validate/bulk/async", inPieces(json(list(d)), 5), json(list(d))]],
    ["a list in other pieces", (d) => ["/validate/bulk/async", inPieces(json(list(d)), 5), inPieces(json(list(d)), 8)]],
  ])("%s", async (_, sends) => {
    const account = await newAccount()
    const [path, one, again] = sends(newDomain())
    const first = await send(account, path, one)
    const second = await send(account, path, again)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
    expect([first, second].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"])
    await expectOneJob(account, first.body.job_id)
  })

  test.each<[string, Path]>([
    ["an upload", "/bulk/upload"],
    ["a list", "/validate/bulk/async"],
  ])("%s that used the last credits", async (_, path) => {
    const account = await newAccount("free")
    const domain = newDomain()
    const users = Array.from({ length: 100 }, (_, n) => `user${n}@${domain}`)
    const sent = path === "/bulk/upload" ? raw(users.join("\n")) : json(JSON.stringify({ emails: users, smtp: false }))
    const first = await send(account, path, sent)
    expect(first.status).toBe(200)
    const again = await send(account, path, sent)
    expect(again.body).toEqual(first.body)
    expect((await send(account, path, sent, "key-2")).status).not.toBe(200)
    await waitForJobEnd(first.body.job_id, account.headers)
  })
})

describe("other content under the same key is 422, and leaves no job and no charge", () => {
  test.each<[string, Sends]>([
    ["a file of equal length", (d) => ["/bulk/upload", form(csv(d)), form(csv(d, "user2"))]],
    ["a raw file of equal length", (d) => ["/bulk/upload", raw(csv(d)), raw(csv(d, "user2"))]],
    ["a chunked file", (d) => ["/bulk/upload", inPieces(raw(csv(d)), 9), inPieces(raw(csv(d, "user2")), 9)]],
    ["another file name", (d) => ["/bulk/upload", form(csv(d)), form(csv(d), { name: "tsil.csv" })]],
    ["a file declared as plain text", (d) => ["/bulk/upload", raw(csv(d)), raw(csv(d), "text/plain")]],
    [
      "another option of the query",
      (d) => ["/bulk/upload", { ...raw(csv(d)), query: "?smtp=false" }, { ...raw(csv(d)), query: "?sample=true" }],
    ],
    ["a further option of the query", (d) => ["/bulk/upload", raw(csv(d)), { ...raw(csv(d)), query: "?smtp=false" }]],
    [
      "another field of the form",
      (d) => [
        "/bulk/upload",
        form(csv(d), { fields: [FILE, ["smtp", "false"]] }),
        form(csv(d), { fields: [FILE, ["smtp", "true"]] }),
      ],
    ],
    ["a list of equal length", (d) => ["/validate/bulk/async", json(list(d)), json(list(d, "user2"))]],
    [
      "a chunked list",
      (d) => ["/validate/bulk/async", inPieces(json(list(d)), 6), inPieces(json(list(d, "user2")), 6)],
    ],
    [
      "another option of a list",
      (d) => ["/validate/bulk/async", json(list(d)), json(list(d).replace('"smtp":false', '"smtp": true'))],
    ],
  ])("%s", async (_, sends) => {
    const account = await newAccount()
    const [path, one, other] = sends(newDomain())
    const first = await send(account, path, one)
    expect(first.status).toBe(200)
    expect(await send(account, path, other)).toMatchObject(MISMATCH)
    await expectOneJob(account, first.body.job_id)
  })
})

describe.each<[string, Path, (domain: string, user?: string) => Sent]>([
  ["uploads", "/bulk/upload", (d, user) => form(csv(d, user))],
  ["lists", "/validate/bulk/async", (d, user) => inPieces(json(list(d, user)), 20)],
])("parallel %s with one key", (_, path, sent) => {
  test("of the same content create one job", async () => {
    const account = await newAccount()
    const domain = newDomain()
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(account, path, sent(domain))))
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([])
    const made = answers.filter(({ status, headers }) => status === 200 && !headers.has("idempotency-replayed"))
    expect(made).toHaveLength(1)
    await expectOneJob(account, made[0]!.body.job_id)
  })

  test("of different contents create one job, and the others are 422", async () => {
    const account = await newAccount()
    const domain = newDomain()
    const answers = await Promise.all([1, 2, 3].map((n) => send(account, path, sent(domain, `user${n}`))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422, 422])
    await expectOneJob(account, answers.find(({ status }) => status === 200)!.body.job_id)
  })
})

test("without the header, and with another key, the same content is another job", async () => {
  const account = await newAccount()
  const domain = newDomain()
  const jobs = []
  for (const key of [null, null, "key-1", "key-2"])
    jobs.push((await send(account, "/bulk/upload", raw(csv(domain)), key)).body)
  expect(new Set(jobs.map(({ job_id }) => job_id)).size).toBe(4)
})

test("a refused file or list leaves its key free for another one", async () => {
  const account = await newAccount()
  const domain = newDomain()
  for (const [n, [path, bad, good]] of (
    [
      ["/bulk/upload", raw("email\r\n\r\n"), raw(csv(domain))],
      ["/bulk/upload", { ...raw(csv(domain)), query: "?finish_within=x" }, raw(csv(domain))],
      ["/validate/bulk/async", json('{"emails": ["a@b.test"'), json(list(domain))],
    ] as const
  ).entries()) {
    expect((await send(account, path, bad, `refused-${n}`)).status).toBe(422)
    expect((await send(account, path, good, `refused-${n}`)).status).toBe(200)
  }
})
