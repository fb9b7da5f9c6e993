import type { Context } from "../../context.ts"
import { guessDomains, isSiteOf } from "../../domain/finder/company-domain.ts"
import { hasMailHost } from "../../domain/verification/evidence.ts"
import { findMailRoute } from "../verification/find-facts.ts"

/** Finds a company's domain by its name: the first guess that accepts mail and whose site shows the name. */
export async function findCompanyDomain(
  { web, dns }: Pick<Context, "web" | "dns">,
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
