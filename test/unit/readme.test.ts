import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { SANDBOX_ADDRESSES } from "../../scripts/sandbox/addresses.ts"

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")

test.each(SANDBOX_ADDRESSES)("the README shows what $address answers", ({ address, about, expect: expected }) => {
  const smtp = `${expected.smtp_status} ${expected.smtp_response_code || ""}`.trim()
  const cells = [`\`${address}\``, about, expected.status, expected.sub_status ?? "–", smtp]
  expect(readme).toContain(`| ${cells.join(" | ")} |`)
})
