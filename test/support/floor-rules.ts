import { findCycles, type Import, type SourceFile, type SourceTree } from "./import-graph.ts"

/** What a rule has against a tree, one line for each place. */
export type Rule = (tree: SourceTree) => string[]

/** The floors, lowest first; a file imports its own floor or a lower one. */
const FLOORS: readonly RegExp[] = [
  /^schema\//,
  /^src\/(domain\/|errors\.ts$|env\.ts$|settings\.ts$)/,
  /^src\/(adapters\/|deps\.ts$)/,
  /^src\/services\//,
  /^src\/(http|routes|consumers|schedules)\//,
  /^src\/(worker|app)\.ts$/,
]

/** Programs of their own that only live beside the Worker: what they share with it goes over HTTP. */
const BESIDE_THE_WORKER = /^src\/(client|console)\//

/** What is loaded into a browser; all of it is shipped to everybody who looks. */
const BROWSER_PACKAGES: ReadonlySet<string> = new Set(["preact", "preact/hooks", "uplot"])

/** Packages without I/O that the domain may use. */
const PURE_PACKAGES: ReadonlySet<string> = new Set(["ipaddr.js", "tldts", "tr46", "transliteration"])

const floorOf = (path: string) => FLOORS.findIndex((floor) => floor.test(path))

/** A rule about each import of the files that `applies` picks: what is wrong with it, or null. */
function importRule(
  applies: (path: string) => boolean,
  problem: (file: SourceFile, entry: Import) => string | null,
): Rule {
  return ({ files }) =>
    files
      .filter(({ path }) => applies(path))
      .flatMap((file) =>
        file.imports.flatMap((entry) => {
          const found = problem(file, entry)
          return found === null ? [] : [`${file.path} imports ${entry.specifier}: ${found}`]
        }),
      )
}

export const everyFileOfTheWorkerHasAFloor: Rule = ({ files }) =>
  files
    .filter(({ path }) => path.startsWith("src/") && floorOf(path) === -1 && !BESIDE_THE_WORKER.test(path))
    .map(({ path }) => `${path} stands on no floor`)

export const importsGoDown = importRule(
  (path) => floorOf(path) !== -1,
  ({ path }, { target }) => {
    if (target === null) return null
    if (floorOf(target) === -1) return "it is outside the Worker"
    return floorOf(target) > floorOf(path) ? "it is a floor above" : null
  },
)

export const clientsStandAlone = importRule(
  (path) => BESIDE_THE_WORKER.test(path),
  ({ path }, { target, typeOnly }) => {
    const own = path.split("/").slice(0, 2).join("/")
    return target === null || typeOnly || target.startsWith(`${own}/`)
      ? null
      : "what runs elsewhere shares nothing but HTTP"
  },
)

export const consoleIsSmall = importRule(
  (path) => path.startsWith("src/console/"),
  (_, { specifier, target }) =>
    target !== null || BROWSER_PACKAGES.has(specifier) ? null : "not among the packages a browser loads",
)

export const domainIsPure = importRule(
  (path) => path.startsWith("src/domain/"),
  (_, { specifier, target, typeOnly }) => {
    if (target === null) return PURE_PACKAGES.has(specifier) ? null : "not among the packages known to be pure"
    if (target.startsWith("src/domain/") || target === "schema/vocabulary.ts") return null
    if (target.startsWith("schema/wire/")) return typeOnly ? null : "the domain takes types from the wire, not zod"
    return "the domain stands on itself and the vocabulary"
  },
)

export const probeNodeStandsAlone = importRule(
  (path) => path.startsWith("probe-node/"),
  (_, { target }) =>
    target === null || /^(probe-node|schema\/wire)\/|^schema\/vocabulary\.ts$/.test(target)
      ? null
      : "a node shares the wire and the vocabulary with the edge, nothing else",
)

export const probeNodeIsImportedByTestsOnly = importRule(
  (path) => !/^(probe-node|test)\/|^scripts\/bench-/.test(path),
  (_, { target }) => (target?.startsWith("probe-node/") ? "a node is a process to start, not a module" : null),
)

export const productNeedsNoTests = importRule(
  (path) => !path.startsWith("test/"),
  (_, { target }) => (target?.startsWith("test/") ? "it is a test's" : null),
)

/** Without this the other rules would be blind to what they cannot resolve. */
export const importsResolve: Rule = (tree) =>
  importRule(
    () => true,
    (_, { target }) => (target === null || tree.has(target) ? null : "no such file; imports carry the extension"),
  )(tree)

export const noCycles: Rule = (tree) => findCycles(tree).map((circle) => `circle: ${circle.join(" -> ")}`)
