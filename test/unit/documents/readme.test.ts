import { readFileSync, statSync } from "node:fs"
import { expect, test } from "vitest"
import { SANDBOX_ADDRESSES } from "../../../scripts/sandbox/addresses.ts"

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

test("the README has six rows of that table", () => {
  const shown = rowsOf(readme)
  expect(shown).toHaveLength(6)
  expect(shown.filter((row) => !ROWS.includes(row))).toEqual([])
})

test("the README's pictures are small PNG files for light and dark colors", () => {
  const pictures = [...readme.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path]) => path!)
  expect(pictures).toEqual(["docs/images/console-dark.png", "docs/images/console-light.png"])
  for (const path of pictures) {
    expect(readFileSync(new URL(path, root)).subarray(1, 4).toString()).toBe("PNG")
    expect(statSync(new URL(path, root)).size).toBeLessThanOrEqual(200_000)
  }
})
