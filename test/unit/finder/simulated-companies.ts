import type { Format } from "../../../src/domain/finder/formats.ts"
import { COMMON_FIRST_NAMES, COMMON_LAST_NAMES } from "../../../src/domain/finder/name-frequency.ts"
import { possibleSizes, priorOf } from "../../../src/domain/finder/possible-companies.ts"
import { referenceWords, wordsOf } from "../../../src/domain/reference/tables.ts"

export interface Person {
  readonly first: string
  readonly last: string
}

export interface SimulatedCompany {
  /** The owner of each local part. */
  readonly owners: ReadonlyMap<string, Person>
  readonly staff: readonly Person[]
  /** A person with a name of the same country who does not work here. */
  outsider(): Person
}

type Random = () => number

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]!
}

/**
 * Draws a company that the finder does not know: its size, its house format, how many people keep to it, and the names
 * of its country. Addresses go to the first who wants them; later people with the same local part have none.
 */
export function simulateCompany(random: Random): SimulatedCompany {
  const { people, size } = draw(random, possibleSizes(0, { kind: "no_mail_host" }), ({ probability }) => probability)
  const count = Math.max(2, Math.round(people * 2 ** (2 * random() - 1)))
  const usual = [...priorOf(size, null)]
  const formatOf = () => draw(random, usual, ([, share]) => share)[0]
  const house = formatOf()
  const inHouse = 0.65 + 0.3 * random()
  const country = { first: namesOf(random, "first"), last: namesOf(random, "last") }
  const newPerson = () => ({ first: country.first(), last: country.last() })
  const staff = Array.from({ length: count }, newPerson)
  const owners = new Map<string, Person>()
  for (const person of staff) {
    const local = write(random() < inHouse ? house : formatOf(), person)
    if (local !== null && !owners.has(local)) owners.set(local, person)
  }
  return { owners, staff, outsider: newPerson }
}

function draw<T>(random: Random, options: readonly T[], weightOf: (option: T) => number): T {
  let left = random() * options.reduce((sum, option) => sum + weightOf(option), 0)
  for (const option of options) {
    left -= weightOf(option)
    if (left < 0) return option
  }
  return options.at(-1)!
}

/** Local part of a name, null when the format needs a middle name. */
function write(format: Format, { first, last }: Person): string | null {
  if (format.includes("{m}")) return null
  return format
    .replace(/\{first(\d?)\}/, (_, letters: string) => first.slice(0, Number(letters) || undefined))
    .replace(/\{last(\d?)\}/, (_, letters: string) => last.slice(0, Number(letters) || undefined))
    .replace("{f}", first.slice(0, 1))
    .replace("{l}", last.slice(0, 1))
}

/** The names of one country: listed names until their shares add up to one, as the table has several countries. */
function namesOf(random: Random, kind: "first" | "last"): () => string {
  const table = tables[kind]
  const chosen: (readonly [name: string, upTo: number])[] = []
  let sum = 0
  while (sum < 1) {
    const [name, share] = pick(random, table)
    sum += share
    chosen.push([name, sum])
  }
  return () => {
    const at = random() * sum
    let [low, high] = [0, chosen.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (chosen[middle]![1] < at) low = middle + 1
      else high = middle
    }
    return chosen[low]![0]
  }
}

const tables = { first: tableOf("first"), last: tableOf("last") }

function tableOf(kind: "first" | "last"): readonly (readonly [name: string, share: number])[] {
  const [known, tiers] =
    kind === "first"
      ? (["names/Latin-first.txt", COMMON_FIRST_NAMES] as const)
      : (["names/Latin-last.txt", COMMON_LAST_NAMES] as const)
  const table = new Map(referenceWords(known).map((name) => [name, 0.0003]))
  for (const [share, names] of tiers.toReversed()) for (const name of wordsOf(names)) table.set(name, share)
  return [...table]
}
