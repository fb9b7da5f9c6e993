import { expect, test } from "vitest"
import type { ValidAddress } from "../../../src/domain/address/parse.ts"
import { resolveCatchAll } from "../../../src/services/verification/catch-all.ts"
import { testContext } from "../../support/deps/context.ts"
import { domainFacts, mailbox, rcpt, verificationOf } from "../../support/deps/evidence.ts"

test("a hanging directory gives no signal at the caller's deadline", async () => {
  const accepted = rcpt(250, "2.1.5 Ok")
  const verification = verificationOf("anna@example.org", {
    domain: domainFacts({ route: { kind: "mx", hosts: [{ host: "aspmx.l.google.com", preference: 1 }] } }),
    mailbox: mailbox(accepted, accepted),
  })
  const hanging = { isConfigured: true, directory: { find: () => new Promise(() => undefined) }, shared: null }
  const ctx = testContext({
    clock: { now: () => 0, sleep: async () => undefined },
    directories: { google: hanging, microsoft: { isConfigured: false } },
    store: {
      neighbors: { locals: async () => [] },
      breaches: { sets: async () => [] },
      observations: { neighborhoods: async () => new Map() },
    },
  })
  const address = verification.evidence.address as ValidAddress
  const { withFindings } = await resolveCatchAll(ctx, {
    verification,
    address,
    caller: { kind: "admin" },
    deadlineAt: 1_000,
  })
  expect(withFindings.signals.map(({ signal }) => signal)).not.toContain("directory")
})
