import { type ParsedDomain, parseDomain } from "../address/parse.ts"

/** Reads a company's domain, given bare, with "www.", as a URL or as an address. */
export function readCompanyDomain(input: string): ParsedDomain {
  const text = input.trim()
  const afterScheme = text.replace(/^[a-z][a-z0-9+.-]{0,20}:\/\//i, "")
  const host = afterScheme.split(/[/?#]/)[0]!
  const name = host.slice(host.lastIndexOf("@") + 1).replace(/:\d{1,5}$/, "")
  const bare = name.replace(/^www\./i, "")
  const parsed = parseDomain(bare.includes(".") ? bare : name)
  return parsed.ok ? parsed : { ...parsed, input }
}

const LEGAL_FORMS = new Set(
  `inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh mbh ag kg ohg ug ev se sa sas sarl sl slu
  srl spa sapa bv nv vof ab as asa aps oy oyj sro kft zrt doo ooo oao pty pte pvt kk group holding holdings the`.split(
    /\s+/,
  ),
)
const TOP_LEVELS = ["com", "io", "co", "net", "org", "ai", "de", "co.uk", "fr"]
const MOST_GUESSES = 10

/** Returns the words of a company's name without its legal form, folded to ASCII. */
export function companyWords(name: string): string[] {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/&/g, " and ")
    .replace(/['’.]/g, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
  const named = words.filter((word) => !LEGAL_FORMS.has(word))
  return (named.length > 0 ? named : words).slice(0, 8)
}

/** Returns likely domains for a company name, the most likely first. A name that is a domain is the only result. */
export function guessDomains(name: string): string[] {
  const own = readCompanyDomain(name)
  if (own.ok && own.domain.includes(".") && !/\s/.test(name.trim())) return [own.domain]
  const words = companyWords(name)
  if (words.length === 0) return []
  const joined = words.join("")
  const guesses = [...TOP_LEVELS.map((tld) => `${joined}.${tld}`)]
  if (words.length > 1) guesses.splice(1, 0, `${words.join("-")}.com`)
  return guesses.filter((domain) => parseDomain(domain).ok).slice(0, MOST_GUESSES)
}

/** Whether a page belongs to the company: its title or site name contains every word of the company's name. */
export function isSiteOf(html: string, name: string): boolean {
  const titles = [
    ...html.matchAll(/<title[^<>]{0,200}>([^<]{0,300})/gi),
    ...html.matchAll(/<meta[^<>]{0,200}og:site_name[^<>]{0,50}content\s*=\s*["']([^"'<>]{0,300})/gi),
  ].map(([, text = ""]) => companyWords(text).join(" "))
  const words = companyWords(name)
  return words.length > 0 && titles.some((title) => words.every((word) => ` ${title} `.includes(` ${word} `)))
}
