import type { Context } from "../../context.ts"
import type { Dkim } from "../../domain/dns/mail-auth.ts"
import { factLifetimeMs } from "../../domain/verification/lifetime.ts"
import { findAllDkim } from "../verification/find-mail-auth.ts"
import { storeFacts } from "../verification/settle.ts"

/** Finds the DKIM keys of a domain by every known selector, and stores them as the domain's fact for other answers. */
export async function checkDkim(ctx: Context, domain: string): Promise<Dkim | null> {
  const dkim = await findAllDkim(ctx.dns, domain)
  const checkedAt = ctx.clock.now()
  const expiresAt = checkedAt + factLifetimeMs("dkim", dkim)
  if (dkim) ctx.background(storeFacts(ctx, domain, { dkim: { value: dkim, checkedAt, expiresAt } }))
  return dkim
}
