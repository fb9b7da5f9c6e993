import type { ListClass } from "../../../schema/vocabulary.ts"
import type { KeptOverride } from "../../adapters/store/list-overrides.ts"
import type { Deps } from "../../deps.ts"
import { AppError } from "../../errors.ts"
import { type ForgetNeeds, forgetCached } from "./forget-cached.ts"

type Needs = ForgetNeeds & Pick<Deps, "clock" | "listOverrides" | "currentLists">

/** The operator's word on a domain and all below it. Here it holds from the next answer on, elsewhere within a minute. */
export async function setOverride(
  needs: Needs,
  { domain, said, note }: { domain: string; said: ListClass; note: string | null },
): Promise<KeptOverride> {
  const override = { domain, class: said, note, origin: "operator", createdAt: needs.clock.now() } as const
  await needs.listOverrides.set(override)
  await needs.currentLists.reload()
  await forgetBelow(needs, domain)
  return override
}

/** Takes the operator's word on a domain back: the lists decide again. @throws AppError not_found */
export async function removeOverride(needs: Needs, domain: string): Promise<void> {
  if (!(await needs.listOverrides.remove(domain)))
    throw new AppError("not_found", "there is no override of this domain")
  await needs.currentLists.reload()
  await forgetBelow(needs, domain)
}

const MOST_DOMAINS = 500

async function forgetBelow(needs: Needs, domain: string): Promise<void> {
  await forgetCached(needs, await needs.operator.domainsBelow(domain, MOST_DOMAINS))
}
