import { expect, test } from "vitest"
import { newKey, withKey } from "../support/stack/account.ts"
import { call } from "../support/stack/api.ts"

test("a first line that declares the delimiter is not a row, and a long source is cut between characters", async () => {
  const key = await newKey()
  const source = `${"x".repeat(199)}😀`
  const rows = ["sep=;", "E-Mail;reason;source", `sep@d1842.test;unsubscribe;${source}`, "not an address;manual;"]
  const sent = { method: "POST", headers: { "content-type": "text/csv" }, body: rows.join("\r\n") }
  const { body } = await call("POST", "/suppression/import", withKey(key, { at: "/suppression/import", ...sent }))
  expect(body).toMatchObject({ added: 1, rejected: [{ row: 4 }] })
  const at = "/suppression/check?email=sep@d1842.test"
  const found = await call("GET", "/suppression/check", withKey(key, { at }))
  expect(found.body).toMatchObject({ is_suppressed: true, reason: "unsubscribe" })
  const exported = await call("GET", "/suppression/export", withKey(key))
  expect(exported.text).toContain(`sep@d1842.test,unsubscribe,${"x".repeat(199)}\ufffd,`)
})

test.each([
  ["Unicode text, as Excel saves it", Buffer.from("\ufeffemail\tsource\r\njosé@utf8.test\tCafé\r\n", "utf16le")],
  ["Windows-1252", Buffer.from("email;source\r\njosé@utf8.test;Café\r\n", "latin1")],
])("a list in %s is decoded", async (_, rows) => {
  const key = await newKey()
  const sent = { method: "POST", headers: { "content-type": "text/csv" }, body: rows }
  const { body } = await call("POST", "/suppression/import", withKey(key, { at: "/suppression/import", ...sent }))
  expect(body).toMatchObject({ added: 1, rejected: [] })
  const exported = await call("GET", "/suppression/export", withKey(key))
  expect(exported.text).toContain("josé@utf8.test,manual,Café,")
})

test("a form with the file is refused with a request for the file itself", async () => {
  const body = new FormData()
  body.set("file", new Blob(["email\nform@d1842.test\n"], { type: "text/csv" }), "list.csv")
  const sent = { at: "/suppression/import", method: "POST", body }
  const answer = await call("POST", "/suppression/import", withKey(await newKey(), sent))
  expect(answer).toMatchObject({
    status: 415,
    body: { detail: expect.stringContaining("send the CSV as the request body") },
  })
})
