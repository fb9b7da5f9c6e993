import type { Deps } from "../../deps.ts"
import { guessDomains, isSiteOf } from "../../domain/finder/company-domain.ts"
import { hasMailHost } from "../../domain/verdict/domain-facts.ts"
import { findMailRoute } from "../verification/find-mail-route.ts"

/** The domain of a company by its name: the first guess that takes mail and whose site says it is theirs. */
export async function findCompanyDomain(
  { web, dns }: Pick<Deps, "web" | "dns">,
  companyName: string,
): Promise<string | null> {
  const guesses = guessDomains(companyName)
  const answers = await Promise.all(
    guesses.map(async (domain) => {
      const [page, route] = await Promise.all([web.get(`https://${domain}/`), findMailRoute(dns, domain)])
      return page.kind === "answer" && page.status < 400 && hasMailHost(route) && isSiteOf(page.text, companyName)
    }),
  )
  return guesses.find((_, at) => answers[at]) ?? null
}
