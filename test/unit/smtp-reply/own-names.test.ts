import { describe, expect, test } from "vitest"
import { classifyLine } from "../../../scripts/bench/verdicts/labelled-replies.ts"
import { classifyReply, REPLY_RULES } from "../../../src/domain/smtp-reply/classify-reply.ts"
import { foldAccents } from "../../../src/domain/smtp-reply/fold-text.ts"
import { compilePattern } from "../../../src/domain/smtp-reply/reply-rule.ts"
import { markOwnNames, OWN_NAME_RULES } from "../../../src/domain/smtp-reply/reply-rules-own-names.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"
import { superLinearParts } from "../../support/source/regular-expressions.ts"
import { runToTheEnd } from "../../support/time/bounded-work.ts"

const US = { heloName: "mta1.Probe.example.net", envelopeSender: "Check@probe.example.net" }

function read(line: string, names: typeof US | null = US) {
  const reply = { code: Number(line.slice(0, 3)), enhanced: null, text: line.slice(4), stage: "rcpt" } as const
  return classifyReply(reply, names)
}

/** Replies that mark an address as invalid when NAME is the recipient's domain. */
const INVALIDATING = [
  "550 no such domain NAME",
  "550 5.1.2 No such domain: NAME",
  "550 Domain NAME does not exist",
  "550 domain NAME not found",
  "550 5.1.2 NAME: Host unknown",
  '550 "NAME" does not exist',
  "550 NAME unknown",
  "550 cannot find NAME",
  "550 NAME is undeliverable",
  "550 Could not resolve host NAME",
  "550 non-existent domain NAME.",
  "550-Rejected\n550 Domain name NAME is unknown",
  "550 host or domain name not found. Name service error for name=NAME type=A",
  "550 5.1.2 <zed@list.test>... Invalid MX record for host NAME",
]
const HOST_TEMPLATES = [
  ...INVALIDATING,
  "550 unknown domain NAME",
  "550 unknown domain <NAME>",
  "550 Host NAME not found",
  "550 <NAME>: domain not found",
  "550 5.4.4 Domain 'NAME' has no MX record",
  "550 Invalid domain name: NAME",
  "550 Domain not found: NAME",
  "550 No MX or A records for NAME",
  "550 NAME has expired",
]

const ADDRESS_TEMPLATES = [
  "550 <NAME>: user unknown",
  "550 NAME does not exist",
  "550 5.1.1 NAME... User unknown",
  "550 No such user <NAME>",
  "550 unknown address: NAME",
  '550 Invalid address "NAME"',
  "550 <NAME> is not a valid mailbox",
  "550 <NAME> is undeliverable",
  "550 <NAME>: not listed",
]

describe("a name that a reply reports as missing", () => {
  test.each(HOST_TEMPLATES)("%s is the recipient's or ours", (template) => {
    const theirs = template.replace("NAME", "example.org")
    expect(read(theirs)).toEqual(classifyLine(theirs))
    expect(read(theirs).class === "mailbox_missing").toBe(INVALIDATING.includes(template))
    for (const name of ["mta1.probe.example.net", "probe.example.net", "PROBE.EXAMPLE.NET"])
      expect(read(template.replace("NAME", name)), name).toMatchObject({ class: "refuses_us" })
    expect(read(template.replace("NAME", "mta1.probe.example.net")).reason).toBe("helo")
    expect(read(template.replace("NAME", "probe.example.net")).reason).toBe("sender")
  })

  test.each(ADDRESS_TEMPLATES)("%s is the recipient or our sender", (template) => {
    expect(read(template.replace("NAME", "them@example.org")).class).toBe("mailbox_missing")
    const verdict = read(template.replace("NAME", "check@probe.example.net"))
    expect(verdict).toMatchObject({ class: "refuses_us", reason: "sender" })
  })

  test("is read as the recipient's when our names are unknown or not host names", () => {
    for (const template of HOST_TEMPLATES)
      for (const names of [null, { heloName: "", envelopeSender: "" }, { heloName: "localhost", envelopeSender: "<>" }])
        for (const name of ["probe.example.net", "localhost"]) {
          const line = template.replace("NAME", name)
          expect(read(line, names), line).toEqual(classifyLine(line))
        }
  })
})

test.each([
  "550 5.1.1 <them@example.org>: user unknown; from=<check@probe.example.net> helo=<example.org>",
  "550 Mail from check@probe.example.net to them@example.org: no such user",
  "550 User unknown (probe.example.net)",
  "550 them@example.org: no such user, said to mta1.probe.example.net",
  "550 mta1.probe.example.net [192.0.2.7]: unknown user them@example.org",
  "550 check@probe.example.net: unknown user <them@example.org>",
  "550 no such domain notprobe.example.net",
  "550 no such domain mx.probe.example.net.example.org",
  "550 unknown domain probe.example.network",
  "550 other@probe.example.net does not exist",
])("%s is still about the recipient", (line) => {
  expect(read(line), line).toEqual(classifyLine(line))
})

test("a temporary reply that names us is also about us", () => {
  expect(read("450 4.1.8 Domain probe.example.net not found")).toMatchObject({ class: "refuses_us", reason: "sender" })
})

test("a refusal of our own name leaves the address and the domain's catch-all state unknown", () => {
  const facts = { domain: domainFacts() }
  const ours = rcpt(550, "no such domain probe.example.net")
  const verified = (evidence: ReturnType<typeof mailbox>) =>
    verificationOf("alice@example.org", { ...facts, mailbox: evidence }).verdict
  expect(verified(mailbox(ours))).toMatchObject({ status: "unknown", subStatus: "policy_rejection" })
  expect(verified(mailbox(rcpt(250, "OK"), ours)).isCatchAll).toBeNull()
  expect(verified(mailbox(rcpt(550, "no such domain example.org"))).status).toBe("invalid")
})

test("rules about our names have the same form as the others", () => {
  const others = new Set(REPLY_RULES.map(({ id }) => id))
  for (const { id, pattern = "", seen } of OWN_NAME_RULES) {
    expect(others.has(id)).toBe(false)
    expect(foldAccents(pattern), id).toBe(pattern)
    expect(compilePattern(pattern).source, id).not.toMatch(/\{[a-z]/)
    expect(superLinearParts(compilePattern(pattern)), id).toEqual([])
    expect(read(seen).ruleId).toBe(id)
  }
})

test.each(["mta1.probe.example.net ", "<check@probe.example.net>", "no such domain ", "probe.example.net: unknown "])(
  "a text of many %j takes linear time",
  (part) => {
    runToTheEnd(() => markOwnNames(part.repeat(1_000_000 / part.length), US))
    runToTheEnd(() => read(`550 ${part.repeat(1_000)}`))
  },
)
