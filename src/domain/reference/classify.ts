import { getDomain, parse } from "tldts"
import { splitSubaddress } from "../address/canonical.ts"
import type { ParsedAddress, ValidAddress } from "../address/parse.ts"
import { activeLists, type Lists } from "./active-lists.ts"
import { isRoleMailbox } from "./role.ts"
import { words } from "./tables.ts"

/** The classes of an address, by lists alone. */
export type ListClasses = Readonly<Record<keyof typeof NO_CLASSES, boolean>>

const NO_CLASSES = {
  /** A public or short-lived inbox, whose mail is discarded. */
  isDisposable: false,
  /** An alias that forwards to a permanent mailbox (Apple Hide My Email, Firefox Relay, SimpleLogin). Never disposable. */
  isRelay: false,
  /** Named after a function, not a person. */
  isRole: false,
  /** Anyone can get a permanent mailbox at the domain. */
  isFree: false,
  /** Has a tag: after "+" (RFC 5233), or in its provider's form. */
  isSubaddress: false,
  /** The domain is neither free, disposable nor relay. */
  isCorporate: false,
  isGovernment: false,
  isEducation: false,
}

/** Returns the classes of an address by its domain and every parent domain. All false for a malformed address. */
export function classifyAddress(address: ParsedAddress, lists: Lists = activeLists()): ListClasses {
  if (!address.ok) return NO_CLASSES
  const { mailbox, tag } = split(address)
  const names = lookupNames(address.domain)
  const kind = classifyNames(names, lists)
  const institution = kind === "corporate" ? institutionOf(address.domain) : null
  return {
    isDisposable: kind === "disposable",
    isRelay: kind === "relay",
    isFree: kind === "free",
    isCorporate: kind === "corporate",
    isRole: isRoleMailbox(mailbox),
    isSubaddress: tag !== null,
    isGovernment: institution === "government",
    isEducation:
      institution === "education" ||
      (kind === "corporate" && institution === null && names.some((name) => lists.education.has(name))),
  }
}

type DomainKind = "disposable" | "relay" | "free" | "corporate"

/** The most specific listed name decides. */
function classifyNames(names: readonly string[], lists: Lists): DomainKind {
  let isAllowed = false
  for (const name of names) {
    const override = lists.overrides.get(name)
    if (override && override !== "allow") return override
    isAllowed ||= override === "allow" || lists.allowed.has(name)
    if (lists.relay.has(name)) return "relay"
    if (!isAllowed && lists.disposable.has(name)) return "disposable"
    if (lists.free.has(name)) return "free"
  }
  return "corporate"
}

function split({ local, domain, isQuoted }: ValidAddress): { mailbox: string; tag: string | null } {
  const lower = local.toLowerCase()
  return isQuoted ? { mailbox: lower.slice(1, -1), tag: null } : splitSubaddress(lower, domain)
}

/** The names to look up in a list: the domain, then each parent up to the registrable domain. @param domain A-labels */
export function lookupNames(domain: string): readonly string[] {
  const registrable = getDomain(domain)
  if (!registrable || !domain.endsWith(registrable)) return [domain]
  const names = [domain]
  for (let name = domain; name !== registrable; names.push(name)) name = name.slice(name.indexOf(".") + 1)
  return names
}

/** Suffixes with several labels under which only a public authority can register. */
const GOVERNMENT_SUFFIXES = words(`
  gov.xx gob.xx gouv.xx govt.xx gub.xx guv.xx gv.xx gouvernement.xx mil.xx mod.xx
  go.jp go.kr go.id go.th go.ke go.tz go.ug go.cr go.ci go.pw lg.jp
  gc.ca mil.ac fed.us nsn.us nhs.uk police.uk mod.uk parliament.uk admin.ch bund.de bundestag.de europa.eu
  government.nl overheid.nl rijksoverheid.nl fgov.be belgium.be gov.cz justice.cz gov.sk gov.si gov.bg gov.hu gov.lt
  regeringskansliet.se riksdagen.se regjeringen.no stm.dk um.dk gov.fi assemblee-nationale.fr senat.fr
  canada.ca ontario.ca gov.bc.ca gov.ab.ca gov.on.ca gov.sk.ca gov.mb.ca gov.ns.ca gov.nb.ca gov.nl.ca gov.pe.ca
  gouv.qc.ca cri.nz iwi.nz parliament.nz health.nz mil.nz diputados.gob.mx
`)

const EDUCATION_SUFFIXES = words(`
  edu.xx ac.xx acad.xx sch.xx school.xx ed.jp ed.cr ed.ao ed.ci k12.tr edunet.tn
`)

/** Levels below a state in the names of RFC 1480: ci.austin.tx.us, lausd.k12.ca.us. */
const US_STATE_LEVELS = {
  government: words("state ci co city county town vil borough parish"),
  education: words("k12 cc tec lib mus"),
}

/** Returns the kind of institution that owns a domain, by its registry's rules alone. Null for any other owner. */
export function institutionOf(domain: string): "government" | "education" | null {
  const { publicSuffix, isIcann } = parse(domain)
  if (!publicSuffix || !isIcann) return null
  const labels = domain.split(".")
  const [top = "", second = "", third = "", fourth = ""] = labels.toReversed()
  if (top === "gov" || top === "mil") return "government"
  if (top === "edu") return "education"
  if (top === "us" && second.length === 2) {
    const levels = [third, fourth]
    if (levels.some((level) => US_STATE_LEVELS.education.has(level))) return "education"
    return levels.some((level) => US_STATE_LEVELS.government.has(level)) ? "government" : null
  }
  if (isUnder(labels, GOVERNMENT_SUFFIXES)) return "government"
  if (isUnder(labels, EDUCATION_SUFFIXES) && publicSuffix.includes(".")) return "education"
  return isNamedUniversity(labels) ? "education" : null
}

/** Whether the domain is under one of the suffixes, where "xx" matches each two-letter country. */
function isUnder(labels: readonly string[], suffixes: ReadonlySet<string>): boolean {
  const anyCountry = labels.at(-1)?.length === 2 ? [...labels.slice(0, -1), "xx"] : labels
  return labels.some(
    (_, from) => suffixes.has(labels.slice(from).join(".")) || suffixes.has(anyCountry.slice(from).join(".")),
  )
}

/** French and German institutions register directly below the country, with fixed prefixes. */
function isNamedUniversity(labels: readonly string[]): boolean {
  const name = labels.slice(-2).join(".")
  return /^(univ|ac)-[a-z0-9-]+\.fr$/.test(name) || /^(uni|tu)-[a-z0-9-]+\.de$/.test(name)
}
