import { describe, expect, inject, test } from "vitest"
import { GoogleSheet } from "../support/providers/google-sheet.ts"
import { newKey } from "../support/stack/account.ts"

const DAY_MS = 24 * 60 * 60_000
const RESULTS = ["status", "score", "can send", "reason", "checked at"].map((name) => `email ${name}`)

/** A sheet whose user has a key of a new account. */
async function connectedSheet(cells: unknown[][]): Promise<GoogleSheet> {
  const sheet = new GoogleSheet(cells)
  sheet.answers = [`${inject("stackUrl")}/`, ` ${(await newKey()).secret} `]
  sheet.run("setKey")
  return sheet
}

/** The cells of each row, without the times at the end. */
const shown = ({ cells }: GoogleSheet) => cells.slice(1).map((row) => row.slice(0, -1))

/** The addresses of an upload. */
const addressesIn = (upload: string) =>
  upload
    .split("\r\n")
    .slice(1)
    .map((line) => /^"[\w=-]+","(.*)"$/.exec(line)![1])

test("the menu calls functions that exist", () => {
  const sheet = new GoogleSheet([["email"], ["user1@d0711.test"]])
  sheet.run("onOpen")
  expect(sheet.menu.map(([title]) => title)).toEqual([
    "Verify the selected column",
    "Refresh results older than 30 days",
    "Stop",
    "Set URL and key",
  ])
  sheet.answers = []
  for (const [, name] of sheet.menu.slice(2)) expect(() => sheet.run(name!)).not.toThrow()
  for (const [, name] of sheet.menu.slice(0, 2)) expect(() => sheet.run(name!)).toThrow("Set URL and key")
})

describe("the key", () => {
  test("is stored for this user once the service accepts it", async () => {
    const sheet = new GoogleSheet([["email"]])
    sheet.answers = [inject("stackUrl"), "mv_live_unknown"]
    expect(() => sheet.run("setKey")).toThrow("Mailverdict: the API key is invalid or revoked")
    expect(sheet.userProperties).toEqual({})

    const connected = await connectedSheet([["email"]])
    expect(connected.userProperties).toEqual({ url: inject("stackUrl"), key: expect.stringMatching(/^mv_live_\w+$/) })
    expect(connected.messages).toEqual(["Connected to the account of owner@mailbox.test"])
  })
})

describe("the selected column", () => {
  test("gets results beside it, and sends no address twice", async () => {
    const sheet = await connectedSheet([
      ["name", "email"],
      ["Ada", "user1@d0711.test"],
      ["Bob", "no-1@d0711.test"],
      ["Cem", " User1@d0711.test "],
      ["Dan", "=1+1"],
      ["Eve", ""],
      ["Fay", "user2@d0711.test; user3@d0711.test"],
      ["Gil", '\'-gil, "x"@d0711.test'],
    ])
    sheet.selected = 2
    sheet.run("verifyColumn")
    sheet.runTriggers()
    expect(sheet.cells[0]).toEqual(["name", "email", ...RESULTS])
    const invalid = ["invalid_syntax", 0, false]
    expect(shown(sheet)).toEqual([
      ["Ada", "user1@d0711.test", "valid", expect.any(Number), true, "mailbox_verified"],
      ["Bob", "no-1@d0711.test", "invalid", expect.any(Number), false, "mailbox_not_found"],
      ["Cem", " User1@d0711.test ", "valid", expect.any(Number), true, "mailbox_verified"],
      ["Dan", "=1+1", ...invalid, "invalid_format"],
      ["Eve", "", "", "", "", ""],
      ["Fay", "user2@d0711.test; user3@d0711.test", ...invalid, "several_addresses"],
      ["Gil", '\'-gil, "x"@d0711.test', ...invalid, expect.stringContaining("invalid_format")],
    ])
    expect(sheet.uploads.map((upload) => addressesIn(upload).length)).toEqual([5])
    expect(sheet.triggers).toEqual([])
    expect(sheet.userProperties).not.toHaveProperty("work")

    // An equal address takes the result of the other row. Only the new one is sent.
    sheet.cells.push(["Hal", "USER1@d0711.test"], ["Ida", "user4@d0711.test"])
    sheet.run("verifyColumn")
    sheet.runTriggers()
    expect(sheet.uploads.slice(1).map(addressesIn)).toEqual([["user4@d0711.test"]])
    expect(shown(sheet).slice(-2)).toEqual([
      ["Hal", "USER1@d0711.test", "valid", expect.any(Number), true, "mailbox_verified"],
      ["Ida", "user4@d0711.test", "valid", expect.any(Number), true, "mailbox_verified"],
    ])
    sheet.run("verifyColumn")
    expect(sheet.uploads).toHaveLength(2)
  })

  test("continues after the 6 minutes of a run, also when rows were moved", async () => {
    const sheet = await connectedSheet([["email"], ["sheet@tempfail.test"], ["user1@d0712.test"]])
    sheet.overslept = 10 * 60_000
    sheet.run("verifyColumn")
    expect(sheet.messages.at(-1)).toBe("Goes on with email in the background.")
    expect(sheet.triggers).toEqual(["continueWork"])
    sheet.cells.splice(1, 2, ...sheet.cells.slice(1).reverse(), ["user2@d0712.test"])
    sheet.overslept = 0
    sheet.runTriggers()
    expect(shown(sheet).map(([email, status]) => [email, status])).toEqual([
      ["user1@d0712.test", "valid"],
      ["sheet@tempfail.test", "unknown"],
      ["user2@d0712.test", "valid"],
    ])
    expect(sheet.uploads.map(addressesIn)).toEqual([["sheet@tempfail.test", "user1@d0712.test"], ["user2@d0712.test"]])
    expect(sheet.messages.at(-1)).toBe("Each address in email has a result.")
    expect(sheet.triggers).toEqual([])
  })

  test("is refreshed where results are older than 30 days", async () => {
    const sheet = await connectedSheet([["email"], ["user1@d0713.test"]])
    sheet.run("verifyColumn")
    sheet.runTriggers()
    sheet.advance(20 * DAY_MS)
    sheet.cells.push(["user2@d0713.test"])
    sheet.run("verifyColumn")
    sheet.runTriggers()
    sheet.advance(20 * DAY_MS)
    sheet.cells[1]![1] = "outdated"
    sheet.run("refreshColumn")
    sheet.runTriggers()
    expect(sheet.uploads.map(addressesIn)).toEqual([["user1@d0713.test"], ["user2@d0713.test"], ["user1@d0713.test"]])
    expect(shown(sheet).map(([email, status]) => [email, status])).toEqual([
      ["user1@d0713.test", "valid"],
      ["user2@d0713.test", "valid"],
    ])
  })

  test("loses the result of an address that is edited", async () => {
    const sheet = await connectedSheet([["email", "note"], ["user1@d0714.test"], ["user2@d0714.test"]])
    sheet.run("verifyColumn")
    sheet.runTriggers()
    sheet.run("onEdit", { range: sheet.range(3, 2) })
    expect(sheet.cells.map((row) => row[2])).toEqual(["email status", "valid", "valid"])
    sheet.run("onEdit", { range: sheet.range(1, 1, 2) })
    expect(sheet.cells.map((row) => row[2])).toEqual(["email status", "", "valid"])
  })

  test("names what is wrong, and can be stopped", async () => {
    const sheet = await connectedSheet([["email", ""], ["user1@d0714.test"]])
    sheet.selected = 2
    expect(() => sheet.run("verifyColumn")).toThrow("Row 1 of the selected column has no header")
    sheet.selected = 1
    const { key } = sheet.userProperties
    sheet.userProperties.key = "mv_live_revoked"
    expect(() => sheet.run("verifyColumn")).toThrow("Mailverdict: the API key is invalid or revoked")
    expect(sheet.triggers).toEqual([])
    expect(sheet.userProperties).toHaveProperty("work")
    // A trigger tries again what may pass by itself.
    sheet.userProperties.url = "http://127.0.0.1:1"
    expect(() => sheet.run("verifyColumn")).toThrow()
    expect(sheet.triggers).toEqual(["continueWork"])
    sheet.userProperties.url = inject("stackUrl")
    sheet.run("stopWork")
    expect(sheet.userProperties).not.toHaveProperty("work")
    sheet.userProperties.key = key!
    sheet.run("verifyColumn")
    sheet.runTriggers()
    expect(sheet.cells[1]![1]).toBe("valid")
  })
})

test("=MAILVERDICT returns status, score and whether to send, and verifies an address once", async () => {
  const sheet = await connectedSheet([["email"]])
  expect(sheet.run("MAILVERDICT", "")).toBe("")
  const before = sheet.requests.length
  const first = sheet.run("MAILVERDICT", "no-1@d0714.test")
  expect(first).toEqual([["invalid", expect.any(Number), false]])
  expect(sheet.run("MAILVERDICT", "no-1@d0714.test ")).toEqual(first)
  expect(sheet.requests.length - before).toBe(1)
})
