import { beforeAll, describe, expect, test } from "vitest"
import { newKey, type TestKey } from "../support/stack/account.ts"
import { call, postJson } from "../support/stack/api.ts"
import { mailedToken } from "../support/stack/mailed-link.ts"
import { OwnPage } from "../support/stack/own-page.ts"

const freshAddress = () => `browser-${crypto.randomUUID().slice(0, 8)}@inbox.test`

interface Session {
  readonly session_token: string
  readonly account_id: string
}

async function requestLink(page: OwnPage, email: string, headers?: Record<string, string>): Promise<string> {
  expect((await page.post("/auth/request", { email }, headers)).status).toBe(200)
  return mailedToken(email)
}

async function signedIn(email: string): Promise<OwnPage> {
  const page = new OwnPage()
  expect((await page.post("/auth/verify", { token: await requestLink(page, email) })).status).toBe(200)
  return page
}

describe("a link", () => {
  test("signs in at once in the browser that requested it", async () => {
    const page = await signedIn(freshAddress())
    expect([...page.cookies.keys()].toSorted()).toEqual(["__Host-browser", "__Host-sid"])
    expect((await page.call("GET", "/auth/me")).body).toMatchObject({ signed_in_by: "session" })
  })

  test("needs a confirmation of its mailbox in another browser, and is not used up before", async () => {
    const email = freshAddress()
    const token = await requestLink(new OwnPage(), email)
    for (const page of [new OwnPage(), await signedIn(freshAddress())]) {
      const before = page.cookies.get("__Host-sid")
      expect(await page.post("/auth/verify", { token })).toMatchObject({
        status: 409,
        body: { email, code: "confirmation_required" },
      })
      expect(page.cookies.get("__Host-sid")).toBe(before)
    }
    const other = new OwnPage()
    expect((await other.post("/auth/verify", { token, confirm: true })).body).toMatchObject({ email })
    expect((await other.call("GET", "/auth/me")).body).toMatchObject({ email })
    expect((await other.post("/auth/verify", { token })).status).toBe(401)
    expect((await other.post("/auth/verify", { token, confirm: true })).status).toBe(401)
  })

  test("of a page of another site is bound to no browser of its visitor", async () => {
    const [visitor, email] = [await signedIn(freshAddress()), freshAddress()]
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
    const token = await requestLink(visitor, email, foreign)
    expect((await visitor.post("/auth/verify", { token })).status).toBe(409)
  })

  test("signs in a program without a confirmation, and gives a page of another site no cookie", async () => {
    const senders = [{}, { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, { origin: "null" }]
    for (const [index, sender] of senders.entries()) {
      const email = freshAddress()
      const token = await requestLink(new OwnPage(), email)
      const init = postJson({ token })
      const headers = { ...(init.headers as Record<string, string>), ...sender }
      const answer = await call<Session>("POST", "/auth/verify", { ...init, headers })
      expect(answer.status).toBe(200)
      expect(answer.headers.getSetCookie().map((text) => text.split("=")[0])).toEqual(index === 0 ? ["__Host-sid"] : [])
      const bearer = { authorization: `Bearer ${answer.body.session_token}` }
      expect((await call("GET", "/auth/me", { headers: bearer })).body).toMatchObject({ email })
    }
  })

  test.each([
    ["a signed-in browser", () => signedIn(freshAddress())],
    ["a new browser", async () => new OwnPage()],
  ])("has the cookie of %s stay with this host, hidden from scripts", async (_, open) => {
    const page = await open()
    const answer = await page.post("/auth/request", { email: freshAddress() })
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-browser=[\w.-]+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ])
  })
})

describe("the key that requested the link", () => {
  const offered = async (page: OwnPage) =>
    (await page.call<{ keys: { key_id: string; requested_sign_in: boolean }[] }>("GET", "/me/unconfirmed-keys")).body
      .keys

  let key: TestKey
  beforeAll(async () => {
    key = await newKey("free")
  })

  test("is offered and marked where this browser requested it", async () => {
    const page = new OwnPage()
    const token = await requestLink(page, freshAddress(), { "x-api-key": key.secret })
    expect((await page.post("/auth/verify", { token })).body).toMatchObject({ unconfirmed_keys: 1 })
    expect(await offered(page)).toMatchObject([{ key_id: key.keyId, requested_sign_in: true }])
  })

  test("is neither where a stranger requested it in another browser", async () => {
    const token = await requestLink(new OwnPage(), freshAddress(), { "x-api-key": key.secret })
    const page = new OwnPage()
    expect((await page.post("/auth/verify", { token, confirm: true })).body).toMatchObject({ unconfirmed_keys: 0 })
    expect(await offered(page)).toEqual([])
  })
})

describe("a stranger who requests links for a mailbox", () => {
  /** Until the mailbox gets no more. */
  async function flood(email: string): Promise<void> {
    const statuses = []
    for (let n = 0; n < 7; n++) statuses.push((await new OwnPage().post("/auth/request", { email })).status)
    expect(statuses.slice(-1)).toEqual([429])
  }

  test("does not stop a browser that signed in before, also after a sign-out", async () => {
    const email = freshAddress()
    const page = await signedIn(email)
    expect((await page.post("/auth/logout", {})).status).toBe(200)
    await flood(email)
    const token = await requestLink(page, email)
    expect((await page.post("/auth/verify", { token })).body).toMatchObject({ email })
  })

  test("does not stop that browser by using up the limit of its network", async () => {
    const email = freshAddress()
    const page = await signedIn(email)
    const flooding = Array.from({ length: 9 }, () =>
      new OwnPage().post("/auth/request", { email: freshAddress() }, { "x-real-ip": page.ip }),
    )
    expect((await Promise.all(flooding)).map(({ status }) => status)).toContain(429)
    await requestLink(page, email)
  })

  test("leaves a new browser the last link that was mailed", async () => {
    const email = freshAddress()
    await flood(email)
    const page = new OwnPage()
    expect((await page.post("/auth/request", { email })).status).toBe(429)
    const token = await mailedToken(email)
    expect((await page.post("/auth/verify", { token })).body).toMatchObject({ email })
    expect((await page.post("/auth/verify", { token, confirm: true })).status).toBe(200)
  })

  test("cannot copy the proof to another browser, or forge it", async () => {
    const email = freshAddress()
    const page = await signedIn(email)
    await flood(email)
    const [id, proof] = page.cookies.get("__Host-browser")!.split(".")
    for (const cookie of [id!, `${[...id!].toReversed().join("")}.${proof}`, `${id}.${"0".repeat(32)}`]) {
      const forger = new OwnPage()
      forger.cookies.set("__Host-browser", cookie)
      expect((await forger.post("/auth/request", { email })).status).toBe(429)
    }
  })
})
