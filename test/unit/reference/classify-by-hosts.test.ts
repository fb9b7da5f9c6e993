import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ListClass } from "../../../schema/vocabulary.ts"
import { parseAddress } from "../../../src/domain/address/parse.ts"
import { BUILT_IN, listsWith } from "../../../src/domain/reference/active-lists.ts"
import { classifyAddress } from "../../../src/domain/reference/classify.ts"
import { classifyByHosts } from "../../../src/domain/reference/classify-by-hosts.ts"
import { DISPOSABLE_CORE } from "../../../src/domain/reference/reviewed-domains.ts"
import { OPERATORS } from "../../../src/domain/smtp-reply/operators-table.ts"
import { table } from "./classes.ts"

const GOOGLE = ["aspmx.l.google.com", "alt1.aspmx.l.google.com"]
const at = (domain: string, hosts: readonly string[], lists = BUILT_IN) =>
  classifyByHosts(parseAddress(`jane@${domain}`), hosts, undefined, lists)
const listed = (domain: string, origin: "fetched" | "operator", listClass: ListClass = "disposable") =>
  listsWith([{ domain, origin, class: listClass }])

/** Names of the packed list that the hand-reviewed core lacks. */
const PACKED = table("00jac.com 10min.email 20minutesmail.com 1secmail.website 1smail.top 123mails.org temp-mail.world")

describe("a listed domain", () => {
  test.each([
    ["Google Workspace", GOOGLE],
    ["Microsoft 365", ["example-com.mail.protection.outlook.com"]],
    ["Zoho", ["mx.zoho.eu", "mx2.zoho.eu"]],
    ["Proofpoint", ["mxa-00123401.gslb.pphosted.com"]],
    ["Mimecast", ["eu-smtp-inbound-1.mimecast.com"]],
    ["Mimecast before Google", ["eu-smtp-inbound-1.mimecast.com", "ASPMX.L.GOOGLE.COM"]],
  ])("is honest at the hosts of %s", (_, hosts) => {
    for (const domain of PACKED)
      expect(at(domain, hosts)).toMatchObject({ isDisposable: false, isCorporate: true, isFree: false })
  })

  test.each([
    ["unknown hosts", []],
    ["its own host", ["mail.00jac.com"]],
    ["Cloudflare's forwarding", ["route1.mx.cloudflare.net"]],
    ["ImprovMX", ["mx1.improvmx.com"]],
    ["Mailgun", ["mxa.mailgun.org"]],
    ["Amazon SES", ["inbound-smtp.us-east-1.amazonaws.com"]],
    ["OVH", ["mx1.mail.ovh.net"]],
    ["a public provider", ["eur.olc.protection.outlook.com"]],
    ["Google as the backup of its own host", ["mail.00jac.com", ...GOOGLE]],
    ["its own host as the backup of Google", [...GOOGLE, "mail.00jac.com"]],
    ["a host with a name like Google's", ["aspmx.l.google.com.mail.example.org"]],
  ])("stays disposable at %s", (_, hosts) => {
    for (const domain of PACKED) expect(at(domain, hosts).isDisposable).toBe(true)
  })

  test("stays disposable anywhere when it is reviewed by hand", () => {
    const overruled = [...DISPOSABLE_CORE].filter((domain) => !at(domain, GOOGLE).isDisposable)
    expect(overruled).toEqual([])
    expect(at("box7.mailinator.com", GOOGLE).isDisposable).toBe(true)
  })

  test.each([
    ["a fetched name", "fetched", false],
    ["the operator's override", "operator", true],
  ] as const)("%s at a business operator is disposable: %s", (_, origin, isDisposable) => {
    expect(at("eu.notion.so", GOOGLE, listed("notion.so", origin)).isDisposable).toBe(isDisposable)
    expect(at("eu.notion.so", ["mx.notion.so"], listed("notion.so", origin)).isDisposable).toBe(true)
  })
})

describe("an unlisted domain", () => {
  test("is disposable at hosts that serve only disposable inboxes", () => {
    expect(at("acme-machines.com", ["mail.mailinator.com"])).toMatchObject({ isDisposable: true, isCorporate: false })
    expect(at("acme-machines.com", GOOGLE)).toEqual(classifyAddress(parseAddress("jane@acme-machines.com")))
  })

  test.each([
    ["gmail.com", "isFree"],
    ["duck.com", "isRelay"],
  ] as const)("%s keeps its class", (domain, kept) => {
    expect(at(domain, ["mail.mailinator.com"])).toMatchObject({ [kept]: true, isDisposable: false })
  })

  test("a malformed address has no class", () => {
    expect(classifyByHosts(parseAddress("no-at-sign"), ["mail.mailinator.com"]).isDisposable).toBe(false)
  })
})

test("hosts never make a listed domain anything but disposable or corporate, whatever their number and order", () => {
  const hosts = fc.array(fc.constantFrom(...OPERATORS.map(([suffix]) => `mx1.${suffix}`), "mx.own.example"))
  fc.assert(
    fc.property(fc.constantFrom(...PACKED), hosts, (domain, mx) => {
      const found = at(domain, mx)
      expect(found.isDisposable).toBe(!found.isCorporate)
      expect(at(domain, mx.toReversed())).toEqual(found)
      expect(at(domain, [...mx, "mx.own.example"]).isDisposable).toBe(true)
    }),
  )
})
