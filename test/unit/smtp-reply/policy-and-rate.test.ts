import { describe, expect, test } from "vitest"
import { classifyLine } from "../../../scripts/bench/verdicts/labelled-replies.ts"

describe("a refusal by policy with a code of security leaves the address unknown", () => {
  const subjects = [
    "Mailbox name",
    "Recipient",
    "User",
    "Address",
    "The e-mail account",
    "<them@example.com>: Recipient address rejected: mailbox",
  ]
  const states = [
    "not allowed",
    "not valid",
    "invalid",
    "unknown",
    "not found",
    "unavailable",
    "does not exist",
    "disabled",
  ]
  const policies = [
    "by policy",
    "by local policy",
    "per our policy",
    "under the recipient's mail policy",
    "due to policy",
    "according to company policy",
    "by administrative policies",
  ]
  const codes = ["550 5.7.1", "554 5.7.1", "553 5.7.0", "550 5.7.133", "550"]

  test.each(policies)("%s", (policy) => {
    const lines = codes.flatMap((code) =>
      subjects.flatMap((subject) => states.map((state) => `${code} ${subject} ${state} ${policy}`)),
    )
    expect(lines.filter((line) => classifyLine(line).class !== "refuses_us")).toEqual([])
  })
})

describe("a recipient that receives too fast is not disabled", () => {
  const nouns = ["email", "mail", "messages", "e-mail", "too many messages"]
  const rates = [
    "at a rate that prevents additional messages from being delivered",
    "too quickly",
    "too fast",
    "at an unusual rate",
  ]
  test.each(["user you are trying to contact", "Gmail user", "recipient", "account", "mailbox"])("the %s", (who) => {
    const lines = nouns.flatMap((noun) => rates.map((rate) => `550 5.2.1 The ${who} is receiving ${noun} ${rate}.`))
    expect(lines.filter((line) => classifyLine(line).class !== "temporary")).toEqual([])
  })
})
