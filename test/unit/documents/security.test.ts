import { existsSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"

const root = new URL("../../../", import.meta.url).pathname
const text = readFileSync(`${root}SECURITY.md`, "utf8")
const named = [...new Set([...text.matchAll(/`((?:test|scripts)\/[\w./-]+\.ts)\b/g)].map(([, file]) => file!))]

test("every line of the threat model names existing tests", () => {
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((file) => !existsSync(root + file))).toEqual([])
  // One suite prints the whole table of attacks.
  const lines = text
    .replace(/^## Repeated attacks$.*?(?=^## )/ms, "")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (may|Package that reads) \|/.test(line))
  expect(lines.filter((line) => !/`test\/[\w./-]+\.test\.ts`/.test(line))).toEqual([])
})
