import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { lookupNames } from "../../../src/domain/reference/classify.ts"
import type { DomainSet } from "../../../src/domain/reference/fuse-filter.ts"
import { wordsIn } from "../../../src/domain/reference/tables.ts"

/** What a list of disposable domains finds, measured on names that no source of the lists chose. */
export interface ListMeasure {
  readonly names: number
  /** Names of known services that the list lacks. */
  readonly missed: readonly string[]
  /** Domains of ordinary companies that the list calls disposable. */
  readonly mistaken: readonly string[]
}

/** The measured names: 300 of services, 2,000 of companies. */
const SERVICES = readNames("disposable-services.txt")
const COMPANIES = readNames("ordinary-companies.txt")

/** Looks up the known services and the ordinary companies by the list alone, parents included. */
export function measureDisposable(list: DomainSet & { readonly size: number }): ListMeasure {
  const isListed = (domain: string) => lookupNames(domain).some((name) => list.has(name))
  return {
    names: list.size,
    missed: SERVICES.filter((domain) => !isListed(domain)),
    mistaken: COMPANIES.filter(isListed),
  }
}

/** The lines of a table: names, recall and false positives of each list, then the names behind the figures. */
export function describeMeasures(measures: Readonly<Record<string, ListMeasure>>): string[] {
  const row = (cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padStart(16)).join("")
  return [
    row(["disposable", "names", "recall", "mistaken"]),
    ...Object.entries(measures).map(([name, { names, missed, mistaken }]) => {
      const recall = `${SERVICES.length - missed.length} of ${SERVICES.length}`
      return row([name, names, recall, `${mistaken.length} of ${COMPANIES.length}`])
    }),
    ...Object.entries(measures).flatMap(([name, { missed, mistaken }]) => [
      `${name} misses: ${missed.join(" ")}`,
      `${name} mistakes: ${mistaken.join(" ")}`,
    ]),
  ]
}

function readNames(file: string): string[] {
  return wordsIn(readFileSync(fileURLToPath(new URL(`measured/${file}`, import.meta.url)), "utf8"))
}
