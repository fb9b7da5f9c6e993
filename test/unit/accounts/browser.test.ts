import { expect, test } from "vitest"
import {
  type Browser,
  browserText,
  hasSignedIn,
  readBrowser,
  withSignIn,
} from "../../../src/domain/accounts/credentials.ts"
import { createDigests } from "../../../src/domain/accounts/crypto.ts"

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)]
const FRESH: Browser = { id: "abcdefghijklmnopqrstuv", proofs: [] }
const mailbox = (n: number) => `person${n}@inbox.test`

test("a browser proves the last five mailboxes that it signed in to, also through its cookie", async () => {
  const digests = await createDigests([OLD])
  let browser = FRESH
  for (const n of [0, 1, 2, 3, 4, 5, 1]) browser = await withSignIn(digests, browser, mailbox(n))
  const read = readBrowser(browserText(browser))!
  expect(read).toEqual(browser)
  const proven = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((n) => hasSignedIn(digests, read, mailbox(n))))
  expect(proven).toEqual([false, true, true, true, true, true, false])
})

test("a proof is of one browser, and outlives a change of the pepper once", async () => {
  const [before, during, after] = [
    await createDigests([OLD]),
    await createDigests([NEW, OLD]),
    await createDigests([NEW]),
  ]
  const browser = await withSignIn(before, FRESH, mailbox(1))
  expect(await hasSignedIn(before, { ...browser, id: "another-browser-------" }, mailbox(1))).toBe(false)
  expect(await hasSignedIn(during, browser, mailbox(1))).toBe(true)
  expect(await hasSignedIn(after, browser, mailbox(1))).toBe(false)
  const renewed = await withSignIn(during, browser, mailbox(1))
  expect(renewed.proofs).toHaveLength(1)
  expect(await hasSignedIn(after, renewed, mailbox(1))).toBe(true)
})

const proof = "0123456789abcdef0123456789abcdef"
test.each([
  "",
  "short",
  `${FRESH.id}.`,
  `${FRESH.id}.xyz`,
  `${FRESH.id}.${proof.toUpperCase()}`,
  `${FRESH.id}.${Array(6).fill(proof).join(".")}`,
  `${FRESH.id}\n`,
])("a cookie %j is of no browser", (text) => {
  expect(readBrowser(text)).toBeNull()
})
