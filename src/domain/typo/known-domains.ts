import { PROVIDER_DOMAINS } from "./providers.ts"

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * Domains that receive mail and differ by few letters from a popular domain. They are never corrected.
 * Sources: willwhite/freemail free.txt, mail.com's and GMX's own lists of domains, companies' own sites.
 */
const SIMILAR_DOMAINS = words(`
  mail.com mail.ee mail.bg mail.de mail.lv mail.dk mail.ie mail.pt mail.gr mail.be mail.ch mail.fr mail.ua mail.by mail.kz
  mail.ro mail.co.za mail.az mail.md mail.me mail.com.tr 1mail.com email.com email.it email.de email.ua email.ro email.ee
  inbox.com inbox.lt inbox.eu y7mail.com myyahoo.com uymail.com fmail.co.uk jmail.co.za kmail.com.au kmail.com imail.com imail.org
  imail.ru zmail.ru zmail.com qmail.com xmail.com pmail.net wmail.com cmail.com omail.com ukmail.org bitmail.com ghostmail.com
  joymail.com eastmail.com fastemail.us fast-mail.org fast-mail.fr foodmail.com prontomail.com liberomail.com navermail.com
  facebookmail.com verizonmail.com comcast.com verizon.com att.com bellsouth.com charter.com cox.com
  gail.co.in mil.ru mai.ru q.com 9online.fr alo.com aoi.com ao.com ola.com inet.net.au orange.com laposte.fr btopenworld.co.uk libro.it sezam.cz
  live.co live.net live.org me.uk love.com life.com line.com five.com hive.com sky.uk sky.de free.com web.com
  msc.com mst.com nsn.com man.com mac.net me.net gmc.com gm.com gms.com vodafone.com post.com google.de google.fr
  google.co.uk google.es google.it google.nl google.ca google.co.jp google.co.in google.com.br google.com.au
  yahoomail.com yahoo.ne.jp yahoo.rs yahoo.com.pk yahoo.com.ua yahoo.com.hr yahoo.co.hu hotmail.at hotmail.ie hotmail.lu
  amc.com usaa.com tmail.com gotmail.com coxmail.com 5ymail.com gomail.in
`)

/** Words and names that are in use as domains and differ by few letters from a popular label. */
const LABELS = words(`
  ante ardor binternet boil boll box cello cloud coast comas combats earthling esky excited excites freed freer frees freshet gall
  gambler googled googlers googles grail hello hobnail homed homer homes horizon inertia interim internet libel libera liner lived
  liver lives mall naiver nave never nooks noose numerical oil olive onset oranges outlooks pots posted poster quicken
  quickest quail ramble rambled ramblers rambles reserve sent snail swell tat unwind viola waned wand watt yahoos zoo
`)

/** Whether mail to the domain is known to work, so that the domain is not a typo. */
export function isKnownDomain(domain: string): boolean {
  return PROVIDER_DOMAINS.has(domain) || SIMILAR_DOMAINS.has(domain)
}

/** Whether the second-level label is a word or name, under any suffix. */
export function isKnownLabel(label: string): boolean {
  return LABELS.has(label)
}
