import type { Canary } from "../../adapters/store/fleet/fleet-records.ts"
import type { Context } from "../../context.ts"
import type { ValidAddress } from "../../domain/address/parse.ts"
import { playbookFor } from "../../domain/smtp-reply/playbooks.ts"
import { hasMailHost } from "../../domain/verification/evidence.ts"
import { AppError } from "../../errors.ts"
import { findMailRoute } from "../verification/find-facts.ts"

export interface NewCanary {
  readonly operator: string
  /** Two addresses of one domain. */
  readonly existing: ValidAddress
  readonly missing: ValidAddress
}

/**
 * Sets the canary addresses of a mail operator. Their domain must use this operator's mail hosts, because its answers
 * exclude source IPs at the operator.
 * @throws AppError bad_request when the hosts are another operator's, unavailable when DNS gives no answer
 */
export async function setCanary(ctx: Context, { operator, existing, missing }: NewCanary): Promise<Canary> {
  const { domain } = existing
  const route = await findMailRoute(ctx.dns, domain)
  if (route.kind === "dns_failure")
    throw new AppError("unavailable", `DNS gave no answer for ${domain}, so nothing is set; try again`)
  if (!hasMailHost(route))
    throw new AppError(
      "bad_request",
      `existing and missing: ${domain} has no mail host (${route.kind.replaceAll("_", " ")})`,
    )
  const actual = playbookFor(route.hosts).operator
  if (actual !== operator)
    throw new AppError(
      "bad_request",
      `operator: the mail hosts of ${domain} are those of ${actual}, not of ${operator}; use addresses there, or operator ${actual}`,
    )
  const canary = {
    operator,
    existing: existing.normalized,
    missing: missing.normalized,
    createdAt: ctx.clock.now(),
  }
  await ctx.store.fleetRecords.saveCanary(canary)
  return canary
}
