import { readSpellings, replacer } from "./spell-table.ts"

/** Names whose usual spelling follows no transliteration standard. */
const CUSTOMARY = readSpellings(`
александр: alexander alexandr aleksandr
олександр: oleksandr alexander alex
алексей: alexey alexei aleksey aleksei
александра: alexandra aleksandra
дмитрий: dmitry dmitriy dmitrii dmitri
юлия: yulia julia yuliya iuliia
юлія: yuliia yulia julia
екатерина: ekaterina katerina catherine
евгений: evgeny evgeniy yevgeny eugene
евгения: evgenia evgeniya eugenia
наталья наталия: natalia natalya nataliya
наталія: nataliia natalia
ксения: ksenia xenia kseniya
татьяна: tatiana tatyana
максим: maxim maksim maksym
петр пётр: petr peter pyotr
федор фёдор: fedor fyodor
юрий: yury yuri yuriy iurii
юрій: yurii yuriy yuri
виктор: viktor victor
виктория: victoria viktoria viktoriya
вікторія: viktoriia victoria viktoria
софия: sofia sofya sophia
сергій: serhii sergii serhiy sergiy
михайло: mykhailo mikhailo
володимир: volodymyr vladimir
дмитро: dmytro
микола: mykola
галина: galina halyna
щербаков: shcherbakov scherbakov sherbakov
`)

const RUSSIAN = `а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch
  ш sh щ shch ъ - ы y ь - э e ю yu я ya і i ї i є e ґ g ў u ј j љ lj њ nj ђ dj ћ c џ dz ѓ gj ќ kj ѕ dz`
const usual = replacer(`${RUSSIAN} ий y ый y ия ia ья ya ье ie ьё yo ьи yi`)
const passport = replacer(`${RUSSIAN} ю iu я ia й i ъ ie`) // ICAO Doc 9303, as in Russian passports
const simple = replacer(`${RUSSIAN} х h кс x ий iy ия iya ё yo щ sch`)

const UKRAINIAN = `${RUSSIAN} г h ґ g и y і i ї i й i є ie ю iu я ia зг zgh ь - ъ -`
const ukrainian = replacer(UKRAINIAN) // resolution 55 of 2010; its initial forms below
const ukrainianUsual = replacer(`${UKRAINIAN} є ye ю yu я ya ія ia ій iy й y ий y`)
const ukrainianByRussian = replacer(`${UKRAINIAN} г g ій iy є e ю yu я ya ія ia й y ий iy`)
const UKRAINIAN_INITIALS: Readonly<Record<string, string>> = { є: "ye", ї: "yi", й: "y", ю: "yu", я: "ya" }

const serbian = replacer(`${RUSSIAN} ч c ш s ж z х h ц c ћ c ђ dj џ dz`)
const bulgarian = replacer(`${RUSSIAN} щ sht ъ a х h й y ия ia`)

/** Romanizes a word in Cyrillic, the most likely spelling first. Letters of a single language identify it. */
export function romanizeCyrillic(word: string): string[] {
  const lower = word.toLowerCase().replace(/[ʼ’']/g, "")
  const customary = CUSTOMARY.get(lower) ?? []
  // Russian has "ский" without the soft sign.
  if (/[іїєґ]|[зсц]ьк/.test(lower)) {
    const initial = UKRAINIAN_INITIALS[lower[0]!]
    const spell = (by: (text: string) => string) => (initial ? initial + by(lower.slice(1)) : by(lower))
    return [...customary, ...[ukrainian, ukrainianUsual, ukrainianByRussian].map(spell)]
  }
  if (/[јљњђћџѓќѕ]/.test(lower)) return [...customary, serbian(lower), usual(lower)]
  if (/.ъ./.test(lower)) return [...customary, bulgarian(lower), usual(lower)]
  return [...customary, usual(lower), passport(lower), simple(lower)]
}
