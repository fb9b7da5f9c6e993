import { expect, test } from "vitest"
import type { ValidAddress } from "../../../src/domain/address/parse.ts"
import { resolveCatchAll } from "../../../src/services/verification/resolve-catch-all.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/evidence.ts"

type Needs = Parameters<typeof resolveCatchAll>[0]

test("a directory that hangs is waited for until the caller's wall, and says nothing", async () => {
  const accepted = rcpt(250, "2.1.5 Ok")
  const verification = verificationOf("anna@example.org", {
    domain: domainFacts({ route: { kind: "mx", hosts: [{ host: "aspmx.l.google.com", preference: 1 }] } }),
    mailbox: mailbox(accepted, accepted),
  })
  const hanging = { isConfigured: true, directory: { find: () => new Promise(() => undefined) } }
  const needs = {
    clock: { now: () => 0, sleep: async () => undefined },
    directories: { google: hanging, microsoft: { isConfigured: false } },
    neighbours: { locals: async () => [] },
    breaches: { sets: async () => [] },
    models: { active: async () => ({ version: 0 }) },
  } as unknown as Needs
  const address = verification.evidence.address as ValidAddress
  const { signals } = await resolveCatchAll(needs, { verification, address, accountId: null, wallAt: 1_000 })
  expect(signals.map(({ signal }) => signal)).not.toContain("directory")
})
