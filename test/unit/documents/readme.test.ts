import { readFileSync, statSync } from "node:fs"
import { expect, test } from "vitest"
import { SANDBOX_ADDRESSES } from "../../../scripts/sandbox/addresses.ts"
import { readServerCases } from "../../support/mail/mta-cases.ts"

const root = new URL("../../../", import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), "utf8")
const readme = read("README.md")
const rowsOf = (text: string) => text.split("\n").filter((line) => /^\| `[^`]*\.test` \|/.test(line))

const ROWS = SANDBOX_ADDRESSES.map(({ address, about, expect: expected }) => {
  const smtp = `${expected.smtp_status} ${expected.smtp_response_code || ""}`.trim()
  return `| ${[`\`${address}\``, about, expected.status, expected.sub_status ?? "–", smtp].join(" | ")} |`
})

test("docs/sandbox.md has a row for each sandbox address, and no other", () => {
  expect(rowsOf(read("docs/sandbox.md"))).toEqual(ROWS)
})

test("the README has the figures of docs/comparison.md", () => {
  const cellsOf = (text: string, row: RegExp) =>
    row
      .exec(text)![0]
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  const comparison = read("docs/comparison.md")
  const measured = ["Mailverdict", "check-if-email-exists", "email-verifier"].map((name) =>
    cellsOf(comparison, new RegExp(`^\\| ${name}.* \\| \\d.*$`, "m")),
  )
  expect(cellsOf(readme, /^\| right, of 53 sandbox addresses .*$/m).slice(1, 4)).toEqual(
    measured.map((cells) => cells[2]),
  )
  expect(cellsOf(readme, /^\| grave errors there .*$/m).slice(1, 4)).toEqual(measured.map((cells) => cells[5]))
  expect(SANDBOX_ADDRESSES).toHaveLength(53)
})

test("README and comparison quote the same run of bench:verdicts, with our row and the cases of today", () => {
  const comparison = read("docs/comparison.md")
  const numbersIn = (cells: string) => cells.split("|").map(Number)
  const [, run, table] = /^(Measured on \w+ \d+, \d{4}, at commit [0-9a-f]{8}):\n\n((?:\|.*\n)+)/m.exec(comparison)!
  const rows = [...table!.matchAll(/^\| (.+?) \|((?: \d+ \|)+)$/gm)].map(([, name, cells]) => {
    const [number, right, cautious, unproven, grave] = numbersIn(cells!.slice(0, -1))
    return { name: name!, number: number!, right: right!, cautious: cautious!, unproven: unproven!, grave: grave! }
  })
  const sumOf = (column: "cautious" | "unproven" | "grave") => rows.reduce((sum, row) => sum + row[column], 0)
  const right = rows.map((row) => `${row.right} of ${row.number} ${row.name}`).join(", ")
  const others = `Cautious: ${sumOf("cautious")}. Unproven: ${sumOf("unproven")}. Grave: ${sumOf("grave")}.`
  expect(readme.replace(/\s+/g, " ")).toContain(`${run}. Right: ${right}. ${others}`)

  const ours = numbersIn(/^\| Mailverdict \| [\d.]+ \|(.*)\|$/m.exec(comparison)![1]!)
  expect(rows.map(({ name }) => name)).toEqual([
    "sandbox addresses",
    "cases at Postfix, Exim and OpenSMTPD",
    "known labelled replies",
    "unseen labelled replies",
  ])
  expect(Object.values(rows[0]!).slice(1)).toEqual([SANDBOX_ADDRESSES.length, ...ours.slice(0, 4)])
  expect(rows[1]!.number).toBe(readServerCases().length)
  for (const row of rows) expect(row.right + row.cautious + row.unproven + row.grave, row.name).toBe(row.number)
})

test.each([
  ["README.md", ["console"]],
  ["docs/console.md", ["list", "node"]],
])("the pictures of %s are small PNG files for light and dark colors", (page, names) => {
  const pictures = [...read(page).matchAll(/(?:src|srcset)="([^"]+)"/g)].map(
    ([, path]) => new URL(path!, new URL(page, root)),
  )
  const files = names.flatMap((name) => ["dark", "light"].map((look) => `docs/images/${name}-${look}.png`))
  expect(pictures.map(({ href }) => href)).toEqual(files.map((file) => new URL(file, root).href))
  for (const picture of pictures) {
    expect(readFileSync(picture).subarray(1, 4).toString()).toBe("PNG")
    expect(statSync(picture).size).toBeLessThanOrEqual(200_000)
  }
})
