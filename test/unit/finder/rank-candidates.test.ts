import { describe, expect, test } from "vitest"
import { rankCandidates } from "../../../src/domain/finder/candidates.ts"
import { countFormats, type LearnedSample } from "../../../src/domain/finder/domain-formats.ts"
import { FORMATS, type Format, inferFormats } from "../../../src/domain/finder/formats.ts"
import { spellingsOf } from "../../../src/domain/finder/name-variants.ts"
import { readName } from "../../../src/domain/finder/person-name.ts"
import { possibleSizes } from "../../../src/domain/finder/possible-companies.ts"
import { COLLEAGUES, PEOPLE } from "./people.ts"

const NOW = Date.UTC(2026, 10, 21)

/** Writes the local part of a name in a format without a middle initial. */
function write(format: Format, first: string, last: string): string {
  const letters = (text: string, count: string) => (count ? text.replace(/[^a-z]/g, "").slice(0, Number(count)) : text)
  return format
    .replace(/\{first(\d?)\}/, (_, count: string) => letters(first, count))
    .replace(/\{last(\d?)\}/, (_, count: string) => letters(last, count))
    .replace("{f}", first.slice(0, 1))
    .replace("{l}", last.slice(0, 1))
}

function learned(format: Format, withNames: boolean): LearnedSample[] {
  return COLLEAGUES.map(([firstName, lastName]) => {
    const localPart = write(format, firstName, lastName)
    const shares = inferFormats(withNames ? { localPart, firstName, lastName } : { localPart })
    return { shares, source: "verified", learnedAt: NOW }
  })
}

function firstThree(first: string, last: string, samples: readonly LearnedSample[]): string[] {
  const { name } = readName(first, last)
  const sizes = possibleSizes(samples.length, undefined)
  const known = countFormats(samples, { now: NOW, sizes, country: null })
  const spellings = spellingsOf(name!, { spellsUmlautsOut: false })
  return rankCandidates(spellings, known)
    .slice(0, 3)
    .map(({ localPart }) => localPart)
}

const WITHOUT_MIDDLE = FORMATS.filter((format) => !format.includes("{m}"))

describe("five addresses with known names are enough for every format", () => {
  test.each(WITHOUT_MIDDLE)("%s", (format) => {
    const samples = learned(format, true)
    const missed = PEOPLE.flatMap(([first, last, asciiFirst, asciiLast]) => {
      const three = firstThree(first, last, samples)
      const wanted = write(format, asciiFirst, asciiLast)
      return three.includes(wanted) ? [] : [`${first} ${last}: ${wanted} is not among ${three.join(", ")}`]
    })
    expect(missed).toEqual([])
  })
})

describe("five addresses alone are enough for the most common formats", () => {
  test.each([
    "{first}.{last}",
    "{f}{last}",
    "{first}",
    "{f}.{last}",
    "{first}{last}",
    "{first}_{last}",
    "{last}.{first}",
    "{last}",
    "{first}{l}",
    "{last}{f}",
  ] as const)("%s", (format) => {
    const samples = learned(format, false)
    const missed = PEOPLE.flatMap(([first, last, asciiFirst, asciiLast]) => {
      const three = firstThree(first, last, samples)
      return three.includes(write(format, asciiFirst, asciiLast)) ? [] : [`${first} ${last}: ${three.join(", ")}`]
    })
    expect(missed).toEqual([])
  })
})
