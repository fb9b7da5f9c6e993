import { describe, expect, test } from "vitest"
import { Playbook } from "../../../schema/wire/probe.ts"
import { needsNoRandomRecipient, playbookFor, policyOf } from "../../../src/domain/smtp-reply/playbooks.ts"
import type { Evidence } from "../../../src/domain/verification/evidence.ts"
import { judge } from "../../../src/domain/verification/judge.ts"

describe("playbooks", () => {
  test.each([
    ["gmail-smtp-in.l.google.com", { operator: "google", control: "same-session", recipientsPerSession: 50 }],
    ["alt1.aspmx.l.google.com", { operator: "google", control: "same-session" }],
    ["contoso-com.mail.protection.outlook.com", { operator: "microsoft365", control: "separate-session" }],
    ["outlook-com.olc.protection.outlook.com", { operator: "outlook", sessionsPerHost: 2 }],
    ["mta5.am0.yahoodns.net", { operator: "yahoo", sessionsPerHost: 2 }],
    ["mx3.qq.com", { operator: "qq", pipelining: false, sessionsPerHost: 1 }],
    ["eu-smtp-inbound-1.mimecast.com", { operator: "mimecast", control: "separate-session" }],
    ["mx.example.org", { operator: "mx.example.org", control: "same-session", pipelining: true }],
    ["notgoogle.com", { operator: "notgoogle.com" }],
    ["inbound-smtp.eu-west-1.amazonaws.com", { operator: "amazon" }],
    ["ec2-203-0-113-5.compute-1.amazonaws.com", { operator: "ec2-203-0-113-5.compute-1.amazonaws.com" }],
    ["static.5.113.0.203.clients.your-server.de", { operator: "static.5.113.0.203.clients.your-server.de" }],
    ["mx1.mail.ovh.net", { operator: "ovh" }],
    ["vps-0a1b2c3d.vps.ovh.net", { operator: "vps-0a1b2c3d.vps.ovh.net" }],
    ["vps123456.ovh.net", { operator: "vps123456.ovh.net" }],
    ["ns3012345.ovh.net", { operator: "ns3012345.ovh.net" }],
    ["ik1-123-45678.vs.sakura.ne.jp", { operator: "ik1-123-45678.vs.sakura.ne.jp" }],
    ["ip203-0-113-5.dc.dc.cox.net", { operator: "ip203-0-113-5.dc.dc.cox.net" }],
  ])("%s", (host, expected) => {
    const playbook = playbookFor([{ host }])
    expect(playbook).toMatchObject(expected)
    expect(Playbook.parse(playbook)).toEqual(playbook)
  })

  test.each([
    [["aspmx.l.google.com", "alt1.aspmx.l.google.com"], "google"],
    [["nobody.google.com", "mx.evil.example"], "nobody.google.com"],
    [["mx.evil.example", "aspmx.l.google.com"], "mx.evil.example"],
    // A domain owner can list a host with an operator's name. The replies of the next host are not the operator's.
    [["google", "mx.stranger.test"], "mx.stranger.test"],
    [["web.de", "mx.stranger.test"], "mx.stranger.test"],
    [["mail.ru", "google", "mx.stranger.test"], "mx.stranger.test"],
  ])("%j have the operator %s", (hosts, operator) => {
    expect(playbookFor(hosts.map((host) => ({ host })))).toMatchObject({ operator })
  })

  test("a long unknown host name gives a playbook that is valid on the wire", () => {
    expect(Playbook.safeParse(playbookFor([{ host: `${"a".repeat(60)}.${"b".repeat(60)}.example` }])).success).toBe(
      true,
    )
  })

  test("the policy of a host", () => {
    expect(policyOf("gmail-smtp-in.l.google.com")).toEqual({ neverCatchAll: true, unverifiable: false })
    expect(policyOf("mta6.am0.yahoodns.net")).toMatchObject({ unverifiable: true })
    expect(policyOf(undefined)).toEqual({ neverCatchAll: false, unverifiable: false })
  })
})

describe("the verdict for an accepted recipient", () => {
  const acceptedBy = (mxHost: string, isFree: boolean) =>
    judge({
      address: { ok: true },
      lists: { isFree },
      domain: null,
      probeProblem: null,
      mailbox: {
        outcome: { kind: "reply", stage: "rcpt", reply: { code: 250, enhanced: null, text: "2.1.5 OK", ms: 1 } },
        control: null,
        session: { mxHost },
      },
    } as unknown as Evidence)

  test.each([
    ["gmail-smtp-in.l.google.com", true, "valid", false, null],
    ["gmail-smtp-in.l.google.com", false, "valid", null, "catch_all_inconclusive"],
    ["mta5.am0.yahoodns.net", true, "accept_all", true, "unverifiable_operator"],
    ["mx.example.org", true, "valid", null, "catch_all_inconclusive"],
  ])("%s, a provider's own domain: %s", (host, isFree, status, isCatchAll, finding) => {
    expect(acceptedBy(host, isFree)).toMatchObject({ status, isCatchAll, finding })
  })
})

describe("whether a catch-all probe is needed", () => {
  test.each([
    [["gmail-smtp-in.l.google.com", "alt1.gmail-smtp-in.l.google.com"], true, true],
    [["gmail-smtp-in.l.google.com"], false, false],
    [["nobody.gmail-smtp-in.l.google.com", "mx.evil.example"], false, false],
    [["mta5.am0.yahoodns.net", "mta6.am0.yahoodns.net"], false, true],
    [["nobody.am0.yahoodns.net", "mx.evil.example"], false, false],
    [["aspmx.l.google.com"], true, false],
  ])("%j, a provider's own domain: %s, needs none: %s", (hosts, isFree, needsNone) => {
    expect(
      needsNoRandomRecipient(
        hosts.map((host) => ({ host })),
        isFree,
      ),
    ).toBe(needsNone)
  })
})
