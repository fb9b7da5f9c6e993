import { expect, test } from "vitest"
import { REPLY_CLASSES } from "../../../schema/vocabulary.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/evidence.ts"
import { classifyLine, condemns, type LabelledReply, readReplies, score } from "./read-replies.ts"

const providers = readReplies("./provider-replies.tsv")
const collected = readReplies("./replies.tsv")
const unseen = readReplies("./replies-unseen.tsv")
const aboutUs = readReplies("./replies-about-us.tsv")

/** Label by reading, only worth printing when an expectation fails. */
function confusion(replies: readonly LabelledReply[]): string {
  const cells = new Map<string, number>()
  for (const reply of replies) {
    const key = `${reply.classes[0]} -> ${score([reply]).report.match(/read as (\w+)/)?.[1] ?? "ok"}`
    cells.set(key, (cells.get(key) ?? 0) + 1)
  }
  return `${[...cells].map(([key, count]) => `${count}\t${key}`).join("\n")}\n${score(replies).report}`
}

test("no provider reply about us or a passing state condemns an address, and every dead mailbox is found", () => {
  const ours = providers.filter(({ classes }) => classes.some((word) => word === "refuses_us" || word === "temporary"))
  expect(ours).toHaveLength(97)
  expect(score(ours).falselyInvalid, confusion(ours)).toBe(0)
  for (const word of REPLY_CLASSES.filter((known) => known.startsWith("mailbox_"))) {
    const replies = providers.filter(({ classes }) => classes.includes(word))
    expect(replies.length).toBeGreaterThan(6)
    expect(score(replies).wrong, confusion(replies)).toBe(0)
  }
})

test("the collected replies are all read as labelled", () => {
  expect(collected.length).toBeGreaterThan(490)
  expect(score(collected).wrong, confusion(collected)).toBe(0)
})

test("a block for asking after others, or a recipient who is there for others only, condemns no address", () => {
  const ours = aboutUs.filter(({ classes }) => classes.includes("refuses_us"))
  expect(ours.length).toBeGreaterThan(160)
  expect(score(ours).wrong, confusion(ours)).toBe(0)
})

test("a reply about the recipient still condemns, whatever it adds in words like those", () => {
  const theirs = aboutUs.filter(({ classes }) => classes.some(condemns))
  expect(theirs.length).toBeGreaterThan(115)
  expect(score(theirs).wrong, confusion(theirs)).toBe(0)
})

test("what condemns no address condemns none either where it is the reason a recipient is rejected for", () => {
  const reasons = [...collected, ...aboutUs, ...providers]
    .map(({ line }) => line.replace(/^[2-5]\d\d[ -]/gm, "").replace(/^[45]\.\d\.\d{1,3} /, ""))
    // A domain that does not exist is the recipient's once its address has been named.
    .filter((reason) => !/^Domain does not exist/.test(reason) && !condemns(classifyLine(`550 ${reason}`).class))
  expect(reasons.length).toBeGreaterThan(500)
  const condemned = reasons.filter((reason) =>
    condemns(classifyLine(`550 <them@example.com>: Recipient address rejected: ${reason}`).class),
  )
  expect(condemned).toEqual([])
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

/** Rules are changed for odd lines only. The bounds are what the even ones score, and only ever go down. */
test("replies no rule was written for", () => {
  const odd = unseen.filter((_, index) => index % 2 === 0)
  const even = unseen.filter((_, index) => index % 2 === 1)
  expect(score(odd).wrong, confusion(odd)).toBe(0)
  const { total, wrong, falselyInvalid, missed } = score(even)
  expect(total).toBe(109)
  expect(wrong, confusion(even)).toBeLessThanOrEqual(4)
  expect(falselyInvalid, confusion(even)).toBe(0)
  expect(missed, confusion(even)).toBeLessThanOrEqual(2)
})
