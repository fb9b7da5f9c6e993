import { expect, test } from "vitest"
import { creditsFor } from "../../../src/domain/bulk/credits.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const answered = (code: number, text: string, address = "ann@example.org") =>
  verificationOf(address, { domain: domainFacts(), mailbox: mailbox(rcpt(code, text), rcpt(code, text)) })
const VALID_OR_NOT = [answered(250, "Ok"), answered(550, "5.1.1 no such user")]

test("a verified result costs one credit; cached and unknown results and malformed addresses are free", () => {
  const free = [
    ...VALID_OR_NOT.map((one) => ({ ...one, cached: true })),
    answered(450, "4.2.0 greylisted"),
    verificationOf("no address", {}),
  ]
  expect(free.map(({ verdict }) => verdict.status)).toEqual(["accept_all", "invalid", "unknown", "invalid_syntax"])
  expect(creditsFor([...VALID_OR_NOT, ...free])).toBe(2)
  for (const one of VALID_OR_NOT) expect(creditsFor([one])).toBe(1)
})
