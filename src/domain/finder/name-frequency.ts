import { referenceWords, wordsOf } from "../reference/tables.ts"

/** Share of people with a listed name that is not frequent in a census, and with an unlisted name. */
const KNOWN_SHARE = 0.0003
const UNKNOWN_SHARE = 0.00003

type Kind = "first" | "last"

const tables: Partial<Record<Kind, ReadonlyMap<string, number>>> = {}

/** Prefixes that formats use: an initial, the first three letters, the first seven. */
const PREFIX_LENGTHS = [1, 3, 7] as const

const prefixes: Partial<Record<Kind, ReadonlyMap<string, number>>> = {}

/**
 * Returns the share of people with a name, as an order of magnitude. It holds where the name is used: the shares of all
 * names add up to more than one, because no country uses all of them.
 * @param name folded to ASCII, lower-case
 */
export function shareOf(name: string, kind: Kind): number {
  return tableOf(kind).get(name) ?? UNKNOWN_SHARE
}

/**
 * Returns the share of people whose name begins like this, as an order of magnitude.
 * @param prefix folded to ASCII, lower-case, of one of the `PREFIX_LENGTHS`
 */
export function shareOfPrefix(prefix: string, kind: Kind): number {
  prefixes[kind] ??= prefixesOf(tableOf(kind))
  return prefixes[kind].get(prefix) ?? UNKNOWN_SHARE
}

/** Whether the lists contain the name. */
export function isKnownName(name: string, kind: Kind): boolean {
  return tableOf(kind).has(name)
}

/** Returns the natural log-odds of a first name against a family name. */
export function firstNameLogOdds(word: string): number {
  return Math.log(shareOf(word, "first") / shareOf(word, "last"))
}

/** Builds the table at first use, so that a Worker without name lookups does not pay for the lists. */
function tableOf(kind: Kind): ReadonlyMap<string, number> {
  const built = tables[kind]
  if (built) return built
  const [known, tiers] =
    kind === "first"
      ? (["names/Latin-first.txt", COMMON_FIRST_NAMES] as const)
      : (["names/Latin-last.txt", COMMON_LAST_NAMES] as const)
  const table = new Map(referenceWords(known).map((name) => [name, KNOWN_SHARE]))
  for (const [share, names] of tiers.toReversed()) for (const name of wordsOf(names)) table.set(name, share)
  tables[kind] = table
  return table
}

function prefixesOf(table: ReadonlyMap<string, number>): Map<string, number> {
  const total = [...table.values()].reduce((sum, share) => sum + share, 0)
  const shares = new Map<string, number>()
  for (const [name, share] of table)
    for (const prefix of new Set(PREFIX_LENGTHS.map((length) => name.slice(0, length))))
      shares.set(prefix, (shares.get(prefix) ?? 0) + share / total)
  return shares
}

/**
 * Shares of people with common names, as orders of magnitude, to estimate whether a short local part is taken.
 * Each tier contains frequent names from the census of a larger country.
 */
export const COMMON_FIRST_NAMES: readonly (readonly [share: number, names: string])[] = [
  [
    0.015,
    `james john robert michael david william maria mohammed mohamed muhammad ahmed anna jose ali wei min thomas daniel
    alexander peter paul mark jan juan`,
  ],
  [
    0.006,
    `richard joseph charles christopher matthew anthony steven andrew joshua kevin brian george mary patricia jennifer
    linda elizabeth barbara susan jessica sarah karen lisa nancy sandra ashley emily laura julia sophie emma olivia
    martin stefan andreas christian michele marco luca giovanni giuseppe francesco antonio carlos luis miguel javier
    jean pierre philippe nicolas julien marie nathalie isabelle camille piotr pawel tomasz krzysztof katarzyna agnieszka
    ivan sergey alexey dmitry elena olga natalia tatiana svetlana ekaterina andrey mikhail vladimir yuki hiroshi takashi
    kenji akira lei li fang jing yan hui jun raj amit rahul priya sunil anil fatima omar hassan ibrahim yusuf mustafa
    mehmet ayse fatma lars erik anders johan per hans karl maria ana paulo joao pedro lucas gabriel minh anh thi`,
  ],
  [
    0.002,
    `edward ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon
    benjamin samuel gregory frank raymond patrick jack dennis jerry tyler aaron adam nathan henry douglas zachary kyle
    noah ethan jeremy walter keith roger terry austin sean gerald carl harold dylan arthur lawrence jordan jesse bryan
    billy bruce albert willie margaret donna carol michelle amanda melissa deborah stephanie rebecca sharon cynthia
    kathleen amy angela shirley brenda pamela nicole samantha katherine christine helen debra rachel carolyn janet
    catherine heather diane ruth julie joyce virginia victoria kelly lauren christina joan evelyn judith megan andrea
    cheryl hannah jacqueline martha gloria teresa sara janice jean alice grace amber brittany charlotte mia amelia oliver
    harry oscar leo lukas felix leon paul max jonas tim florian sebastian tobias markus michaela claudia sabine petra
    monika ursula karin anja sandra nina lena katrin giulia chiara francesca paola roberto stefano andrea matteo davide
    simone riccardo sofia lucia carmen pilar isabel cristina marta pablo sergio fernando diego alejandro manuel rafael
    francois michel alain laurent olivier christophe stephane eric claire celine sylvie anne joanna magdalena ewa malgorzata
    marcin michal jakub mateusz wojciech eva jana pavel petr jiri tomas zuzana lucie nikola milan jovana marija nikolai
    oleg igor yulia irina anastasia oksana kateryna andriy oleksandr giorgos dimitris nikos konstantinos eleni katerina
    david moshe yosef sarah rachel noa haruto sakura naoki satoshi daisuke minjun seojun jiwoo minji hyun sung young chen
    xin ming hong ling ping tao bo sandeep vijay ravi suresh deepak pooja neha anjali khalid abdullah abdul zainab aisha
    mariam emre can elif zeynep murat ingrid astrid bjorn nils mikko antti sanna chidi emeka ngozi kwame amina chinedu`,
  ],
]

export const COMMON_LAST_NAMES: readonly (readonly [share: number, names: string])[] = [
  [
    0.02,
    `wang li zhang liu chen nguyen kim lee park tran kumar singh garcia gonzalez rodriguez silva santos khan mohamed`,
  ],
  [
    0.006,
    `smith johnson williams brown jones miller davis martinez hernandez lopez wilson anderson thomas taylor moore jackson
    martin perez fernandez sanchez diaz yang zhao huang zhou wu xu sun ma zhu hu guo he lin pham hoang phan vu dang bui
    do ho choi jung kang cho yoon jang lim sato suzuki takahashi tanaka watanabe ito yamamoto nakamura sharma patel
    gupta das ahmed ali hassan hussein ivanov petrov smirnov kuznetsov muller schmidt schneider fischer weber meyer
    rossi russo ferrari bianchi romano dubois bernard moreau laurent kowalski nowak hansen johansen olsen andersen
    nielsen jensen andersson johansson karlsson nilsson yilmaz kaya demir oliveira souza ferreira pereira costa`,
  ],
  [
    0.002,
    `thompson white harris clark lewis robinson walker young allen king wright scott torres hill flores green adams nelson
    baker hall rivera campbell mitchell carter roberts gomez phillips evans turner parker cruz edwards collins reyes
    stewart morris morales murphy cook rogers gutierrez ortiz morgan cooper peterson bailey reed kelly howard ramos cox
    ward richardson watson brooks chavez wood james bennett gray mendoza ruiz hughes price alvarez castillo sanders myers
    long ross foster jimenez powell jenkins perry russell sullivan bell coleman butler henderson barnes fisher vasquez
    simmons jordan patterson alexander hamilton graham reynolds griffin wallace west cole hayes bryant obrien oconnor
    byrne ryan walsh wagner becker schulz hoffmann koch bauer richter klein wolf schroder neumann schwarz zimmermann
    braun kruger hofmann hartmann lange werner krause lehmann kohler maier huber steiner gruber petit durand leroy roux
    david bertrand morel fournier girard bonnet dupont lambert fontaine rousseau vincent esposito colombo ricci marino
    greco bruno gallo conti deluca mancini wisniewski wojcik kowalczyk kaminski lewandowski zielinski szymanski dabrowski
    novak svoboda novotny dvorak cerny prochazka horvat kovac kovacs nagy szabo toth popescu ionescu popa papadopoulos
    kobayashi kato yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi shimizu saito mori abe ikeda hashimoto
    popov sokolov lebedev kozlov novikov morozov volkov shevchenko bondarenko kovalenko tkachenko cohen levi mizrahi
    friedman reddy iyer nair mehta shah joshi verma rao mishra begum rahman islam hossain akhtar malik iqbal yildiz celik
    sahin ozturk aydin arslan dogan larsen pedersen kristensen rasmussen christensen berg haugen hagen eriksson larsson
    olsson persson svensson korhonen virtanen makinen nieminen dejong jansen devries bakker visser smit meijer vandijk
    vandenberg janssen peeters maes jacobs mertens almeida carvalho gomes ribeiro martins rocha alves lima araujo barbosa
    castro okafor okonkwo eze adeyemi mensah osei owusu diallo traore ndiaye dlamini nkosi`,
  ],
]
