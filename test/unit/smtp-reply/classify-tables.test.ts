import { expect, test } from "vitest"
import { REPLY_CLASSES } from "../../../schema/vocabulary.ts"
import {
  classifyLine,
  isInvalid,
  type LabelledReply,
  readReplies,
  readUnseenReplies,
  score,
} from "../../../scripts/bench/verdicts/labelled-replies.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

const providers = readReplies("provider-replies.tsv")
const collected = readReplies("replies.tsv")
const unseen = readUnseenReplies()
const aboutUs = readReplies("replies-about-us.tsv")

/** Returns the confusion matrix and the misread lines, as the message of a failed expectation. */
function confusion(replies: readonly LabelledReply[]): string {
  const cells = new Map<string, number>()
  for (const reply of replies) {
    const key = `${reply.classes[0]} -> ${score([reply]).report.match(/read as (\w+)/)?.[1] ?? "ok"}`
    cells.set(key, (cells.get(key) ?? 0) + 1)
  }
  return `${[...cells].map(([key, count]) => `${count}\t${key}`).join("\n")}\n${score(replies).report}`
}

test("provider replies about us or a temporary state never mark an address as invalid; no dead mailbox is missed", () => {
  const ours = providers.filter(({ classes }) => classes.some((word) => word === "refuses_us" || word === "temporary"))
  expect(ours).toHaveLength(97)
  expect(score(ours).falselyInvalid, confusion(ours)).toBe(0)
  for (const word of REPLY_CLASSES.filter((known) => known.startsWith("mailbox_"))) {
    const replies = providers.filter(({ classes }) => classes.includes(word))
    expect(replies.length).toBeGreaterThan(6)
    expect(score(replies).wrong, confusion(replies)).toBe(0)
  }
})

test("every collected reply gets its labelled class", () => {
  expect(collected.length).toBeGreaterThan(490)
  expect(score(collected).wrong, confusion(collected)).toBe(0)
})

test("a block for earlier recipients, or a recipient closed to us, does not mark the address as invalid", () => {
  const ours = aboutUs.filter(({ classes }) => classes.includes("refuses_us"))
  expect(ours.length).toBeGreaterThan(160)
  expect(score(ours).wrong, confusion(ours)).toBe(0)
})

test("a reply about the recipient marks the address as invalid, even with words from such refusals", () => {
  const theirs = aboutUs.filter(({ classes }) => classes.some(isInvalid))
  expect(theirs.length).toBeGreaterThan(115)
  expect(score(theirs).wrong, confusion(theirs)).toBe(0)
})

test("a harmless reply stays harmless as the reason for a rejected recipient", () => {
  const reasons = [...collected, ...aboutUs, ...providers]
    .map(({ line }) => line.replace(/^[2-5]\d\d[ -]/gm, "").replace(/^[45]\.\d\.\d{1,3} /, ""))
    // After the recipient's address, a missing domain is the recipient's.
    .filter((reason) => !/^Domain does not exist/.test(reason) && !isInvalid(classifyLine(`550 ${reason}`).class))
  expect(reasons.length).toBeGreaterThan(500)
  const invalid = reasons.filter((reason) =>
    isInvalid(classifyLine(`550 <them@example.com>: Recipient address rejected: ${reason}`).class),
  )
  expect(invalid).toEqual([])
})

test.each([
  "Unknown host: [192.0.2.7]",
  "5.7.1 You have been temporarily blocked for sending to invalid recipients",
  "Mailbox not available for your IP",
  "not found in recipient's whitelist",
])("550 %s leaves the address unknown", (text) => {
  const { verdict } = verificationOf("alice@example.org", { domain: domainFacts(), mailbox: mailbox(rcpt(550, text)) })
  expect(verdict).toMatchObject({ status: "unknown", subStatus: "policy_rejection" })
})

/** The bounds are the score of the even lines, and may only decrease. */
test("replies that no rule was written for", () => {
  const { odd, even } = unseen
  expect(score(odd).wrong, confusion(odd)).toBe(0)
  const { total, wrong, falselyInvalid, missed } = score(even)
  expect(total).toBe(109)
  expect(wrong, confusion(even)).toBeLessThanOrEqual(4)
  expect(falselyInvalid, confusion(even)).toBe(0)
  expect(missed, confusion(even)).toBeLessThanOrEqual(2)
})
