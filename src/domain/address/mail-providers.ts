/**
 * Mail services that typos refer to, separated by "|" or a line break: label, weight, suffixes (the first is the
 * default). Weight is a logarithmic share of consumer mailboxes: 5 a global giant, 1 a regional access provider.
 * "!" marks a label that is unmistakable under any suffix. "~" marks a common word or short name, whose similar words
 * are not corrected.
 * Sources: mailcheck wiki "List of Popular Domains", willwhite/freemail free.txt, providers' own sign-up pages.
 */
const PROVIDER_TABLE = `
gmail!5 com
yahoo!5 com co.uk fr de it es ca in co.in co.jp co.id co.kr co.nz co.th co.za co.il com.ar com.au com.br com.cn com.co com.hk com.mx com.my com.ph com.pe com.sg com.tr com.tw com.ve com.vn at be bg ch cl cn cz dk ee fi gr hr hu ie jp lt lv nl no pl pt ro ru se si sk ae
hotmail!5 com co.uk fr de it es be ca ch cl nl se no dk fi gr hu cz sk pt pl ro rs my ph sg jp ru kz co.il co.in co.jp co.id co.kr co.nz co.th co.za com.ar com.au com.br com.hk com.mx com.my com.tr com.tw com.vn com.ve com.co com.pe
outlook 5 com fr de it es pt be at ie dk cz hu sk in jp kr lv my ph sa sg cl nl co.id co.il co.nz co.th co.uk com.ar com.au com.br com.gr com.pe com.tr com.vn com.mx tw se no fi pl ro ca ch
icloud!5 com com.cn
live~5 com co.uk fr nl it be de ca at ch cl cn dk fi hk ie in jp no ru se co.kr co.za com.ar com.au com.mx com.my com.ph com.pt com.sg com.pe com.co
msn~4 com co.uk nl cn com.au | aol 4 com co.uk de fr it es in jp at be ch se nl pl com.au com.br com.mx cz ru
googlemail!3 com co.uk | ymail 3 com | rocketmail!3 com | aim~2 com | me~3 com com.mx | mac~2 com | mail 4 ru
protonmail!4 com ch | proton~3 me | pm~2 me | tutanota!3 com de | tuta~2 com io | tutamail 2 com
fastmail 3 com fm net org us es in to ca co.uk com.au de fr se nl jp cn im mx tw
zoho 3 com eu in com.au com.cn jp sa | zohomail 3 com eu in sa ca | hushmail!2 com me | hey~2 com | duck~2 com
inbox~2 ru lv | gmx~4 de net at ch com fr es co.uk us eu li info biz org ca it pt ru tm cc | web~4 de
t-online 3 de hu | freenet~3 de | arcor~2 de | online~2 de no fr nl ua | vodafone 2 de it nl | vodafonemail 1 de
kabelmail 1 de | unitybox 1 de | posteo 2 de net org at eu ch | mailbox~2 org | mailfence 2 com | riseup~2 net
yandex 4 ru com ua by kz com.tr com.ua fr pl uz | ya~3 ru | bk~3 ru | list~3 ru | internet~2 ru
rambler~3 ru ua | ukr~3 net | i~2 ua | meta~2 ua | bigmir 2 net | tut~2 by | qq~4 com | foxmail!2 com
163~3 com | 126~3 com | yeah~2 net | sina~3 com cn com.cn | sohu~2 com | 139~2 com | 189~2 cn | aliyun 2 com
naver~3 com | hanmail!3 net com | daum~2 net | kakao~2 com | nate~2 com | docomo 3 ne.jp | ezweb 3 ne.jp
softbank 3 ne.jp jp | nifty 2 com ne.jp | biglobe 2 ne.jp | rediffmail!3 com | rediff~1 com | indiatimes 1 com
sify~1 com | comcast 4 net | verizon 3 net | att~4 net | sbcglobal!4 net | bellsouth 3 net | charter~3 net
cox~3 net | earthlink 3 net | juno~2 com | netzero 2 net com | optonline 2 net | optimum~1 net | rr~1 com
windstream 2 net | frontier~2 com | frontiernet 2 net | centurylink 2 net | centurytel 1 net | embarqmail 2 com
suddenlink 2 net | mchsi 1 com | cableone 1 net | mediacombb 1 net | netscape~2 net com | prodigy~2 net net.mx
pacbell 2 net | swbell~1 net | ameritech 2 net | snet~1 net | flash~1 net | peoplepc 1 com
excite~1 com it co.uk | lycos~1 com co.uk de es fr it | mindspring 2 com | hughes~1 net | wowway 1 com
roadrunner~1 com | usa~1 net com | rogers~3 com | shaw~3 ca | sympatico 3 ca | telus~2 net | videotron 2 ca
cogeco 2 ca | eastlink 1 ca | sasktel 1 net | btinternet!4 com | virginmedia 3 com co.uk | virgin~2 net
sky~3 com | talktalk 3 net co.uk | ntlworld 3 com | blueyonder 3 co.uk
tiscali 3 it co.uk fr de at be lu se no nl cz es | btopenworld 2 com | talk21 2 com | freeserve 2 co.uk
supanet 1 com | orange~4 fr net es be pl co.uk | wanadoo!4 fr es co.uk nl | free~4 fr | sfr~3 fr | laposte 3 net
neuf~2 fr | bbox~2 fr | numericable~2 fr com | aliceadsl 2 fr | club-internet 2 fr | cegetel 1 net | voila~1 fr
noos~1 fr | libero~4 it | virgilio 3 it | alice~3 it | tin~2 it | fastwebnet 2 it | fastweb 1 it | inwind~2 it
iol~1 it pt | poste~1 it | teletu 1 it | telefonica 2 net | terra~2 es com.br com com.ar com.mx cl
movistar 2 es | ono~1 com | sapo~3 pt | clix~1 pt | netcabo 1 pt | ziggo 3 nl | kpnmail 2 nl | planet~2 nl
hetnet 2 nl | home~2 nl | xs4all 2 nl | casema 1 nl | upcmail 1 nl | chello~2 nl at | quicknet~1 nl
telenet 3 be | skynet 3 be | proximus 2 be | scarlet~1 be | pandora~1 be | bluewin 3 ch | sunrise~1 ch
hispeed 2 ch | aon~2 at | wp~3 pl | o2~3 pl co.uk | interia~3 pl eu | onet~3 pl eu | op~3 pl
poczta~2 fm onet.pl | gazeta 2 pl | vp~2 pl | tlen~2 pl | seznam 3 cz | email~3 cz | centrum~3 cz sk
post~2 cz sk com | volny 2 cz | atlas~1 cz sk | azet~2 sk | zoznam 2 sk | freemail~3 hu | citromail 2 hu
indamail 1 hu | abv~3 bg | dir~1 bg | otenet 2 gr | forthnet 1 gr | uol~3 com.br | bol~3 com.br | ig~3 com.br
globo~2 com | globomail 2 com | oi~1 com.br | r7~1 com | zipmail 1 com.br | fibertel 2 com.ar | speedy~1 com.ar
arnet 2 com.ar | ciudad~1 com.ar | bigpond 4 com net.au com.au | optusnet 3 com.au | iinet 2 net.au
tpg~2 com.au | ozemail 1 com.au | westnet 1 com.au | internode 1 on.net | dodo~1 com.au | xtra~3 co.nz
slingshot~1 co.nz | mweb~2 co.za | vodamail 2 co.za | telkomsa 2 net | webmail~1 co.za | telia~2 com
bredband~2 net | comhem 2 se | spray~1 se | tele2~1 se nl | stofanet 1 dk | luukku 2 com | kolumbus 1 fi
elisanet 1 fi | saunalahti 1 fi | walla~2 co.il com | netvision~2 net.il | bezeqint 2 net | mynet~2 com
superonline 1 com | singnet 2 com.sg | netvigator 2 com | hinet~1 net | facebook 2 com | google~2 com
`

/** A mail service and the domains of its mailboxes. */
export interface Provider {
  /** Second-level label, such as "gmail". */
  readonly label: string
  /** 1 to 5, logarithmic. */
  readonly weight: number
  /** The first one is the default. */
  readonly suffixes: readonly string[]
  readonly isUnmistakable: boolean
  readonly isWord: boolean
}

export const PROVIDERS: readonly Provider[] = PROVIDER_TABLE.trim()
  .split(/\n| \| /)
  .map(readEntry)

function readEntry(entry: string): Provider {
  const [, label = "", mark, weight, suffixes = ""] = /^(\S+?)([!~ ])(\d) (.+)$/.exec(entry)!
  return {
    label,
    weight: Number(weight),
    suffixes: suffixes.split(" "),
    isUnmistakable: mark === "!",
    isWord: mark === "~",
  }
}

export const PROVIDER_BY_LABEL: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.map((provider) => [provider.label, provider]),
)

/** Every domain of the table, such as "yahoo.co.uk". */
export const PROVIDER_DOMAINS: ReadonlySet<string> = new Set(
  PROVIDERS.flatMap(({ label, suffixes }) => suffixes.map((suffix) => `${label}.${suffix}`)),
)

const COMMON_SUFFIXES = new Set("com net co.uk fr de it es nl be ca ru com.br co.in com.au co.jp".split(" "))

/** Cost of a national variant. A rare variant costs more than a common one. */
export function suffixHandicap(suffix: string): number {
  return suffix === "com" ? 0.02 : COMMON_SUFFIXES.has(suffix) ? 0.1 : 0.35
}

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
