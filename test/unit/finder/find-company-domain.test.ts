import { expect, test } from "vitest"
import type { Web } from "../../../src/adapters/web-pages.ts"
import { findCompanyDomain } from "../../../src/services/finder/find-email.ts"
import { dnsZone } from "../../support/mail/dns-zone.ts"

const web: Web = {
  async get(url) {
    const titles: Readonly<Record<string, string>> = {
      "https://acmewidgets.com/": "acmewidgets.com is for sale",
      "https://acmewidgets.io/": "Acme Widgets | Home",
      "https://acmewidgets.de/": "Acme Widgets GmbH",
    }
    const title = titles[url]
    if (title === undefined) return { kind: "no_address" }
    const text = `<title>${title}</title>`
    return { kind: "answer", status: 200, url: new URL(url), contentType: "text/html", text }
  },
}

test("a company's domain is the first one with its site and a mail host", async () => {
  const mx = { MX: [{ preference: 10, host: "mx.example" }] }
  const dns = dnsZone({ "acmewidgets.com": mx, "acmewidgets.de": mx })
  expect(await findCompanyDomain({ web, dns }, "Acme Widgets, Inc.")).toBe("acmewidgets.de")
  expect(await findCompanyDomain({ web, dns }, "Nobody Knows Ltd")).toBeNull()
})
