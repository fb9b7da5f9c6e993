import { findCycles, type Import, type SourceFile, type SourceTree } from "./import-graph.ts"

/** Problems of a tree under one rule, one line per place. */
export type Rule = (tree: SourceTree) => string[]

/** The layers, lowest first. A file imports only its own layer or lower ones. */
const LAYERS: readonly RegExp[] = [
  /^(schema\/|package\.json$)/,
  /^src\/(domain\/|error-codes\.ts$|errors\.ts$|env\.ts$|settings\.ts$)/,
  /^src\/concurrency\//,
  /^src\/(adapters\/|context\.ts$)/,
  /^src\/services\//,
  /^src\/(http|routes|consumers|schedules)\//,
  /^src\/(worker|app)\.ts$/,
]

/** Separate programs next to the Worker. They share only HTTP with it. */
const SEPARATE_PROGRAMS = /^src\/(client|console|form|n8n|sheets)\//

/** Facts that the console shows and the Worker acts on: plain data that imports nothing. */
const FACTS_OF_CONSOLE = /^schema\/sending-providers\.ts$/

/** Packages of the console, which every browser has to load. */
const BROWSER_PACKAGES: ReadonlySet<string> = new Set(["csv-parse/browser/esm/sync", "preact", "preact/hooks", "uplot"])

/** Packages without I/O that the domain may use. */
const PURE_PACKAGES: ReadonlySet<string> = new Set(["ipaddr.js", "tldts", "tr46", "transliteration"])

/**
 * Adapters that may call out without a `LookUp`: they query no external service about a verified address or its domain.
 * Resolvers and nodes are the operator's, `web` reads the domain's own site, and a directory uses `publicNamesOnly`.
 */
const PLAIN_CALLS =
  /^src\/adapters\/((dns|fleet|integrations|reference|suppression|webhooks)\/|(accounts\/(key-limiter-object|mailer)|verification\/(directories|directory-api|google-directory|microsoft-directory)|create-context|external-calls|tracing|web-pages)\.ts$)/

const layerOf = (path: string) => LAYERS.findIndex((layer) => layer.test(path))

/** A rule about each import of the files that match `applies`. `problem` returns null for a correct import. */
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

export const everyWorkerFileHasALayer: Rule = ({ files }) =>
  files
    .filter(({ path }) => path.startsWith("src/") && layerOf(path) === -1 && !SEPARATE_PROGRAMS.test(path))
    .map(({ path }) => `${path} belongs to no layer`)

export const importsFollowLayers = importRule(
  (path) => layerOf(path) !== -1,
  ({ path }, { target }) => {
    if (target === null) return null
    if (layerOf(target) === -1) return "it is outside the Worker"
    return layerOf(target) > layerOf(path) ? "it is in a higher layer" : null
  },
)

export const clientsImportNothingFromWorker = importRule(
  (path) => SEPARATE_PROGRAMS.test(path),
  ({ path }, { target, typeOnly }) => {
    const own = path.split("/").slice(0, 2).join("/")
    const isOwn = target === null || typeOnly || target.startsWith(`${own}/`)
    if (isOwn || (own === "src/console" && FACTS_OF_CONSOLE.test(target))) return null
    return "a separate program shares only HTTP"
  },
)

export const consoleImportsAllowedPackages = importRule(
  (path) => path.startsWith("src/console/"),
  (_, { specifier, target }) =>
    target !== null || BROWSER_PACKAGES.has(specifier) ? null : "not an allowed browser package",
)

/** Pages of other sites load it, so it has only what it needs. */
export const formScriptImportsNoPackages = importRule(
  (path) => path.startsWith("src/form/"),
  (_, { target }) => (target === null ? "the script of forms has no dependencies" : null),
)

export const domainIsPure = importRule(
  (path) => path.startsWith("src/domain/"),
  (_, { specifier, target, typeOnly }) => {
    if (target === null) return PURE_PACKAGES.has(specifier) ? null : "not an allowed pure package"
    if (target.startsWith("src/domain/") || target === "schema/vocabulary.ts") return null
    if (target.startsWith("schema/wire/")) return typeOnly ? null : "the domain imports only types from schema/wire"
    return "the domain imports only itself and the vocabulary"
  },
)

export const externalCallsUseLookUp = importRule(
  (path) => path.startsWith("src/adapters/") && !PLAIN_CALLS.test(path),
  (_, { target }) =>
    target === "src/adapters/outbound.ts"
      ? "external services are called through a LookUp, which never sends reserved names"
      : null,
)

export const servicesKnowAdaptersAsTypes = importRule(
  (path) => path.startsWith("src/services/"),
  (_, { target, typeOnly }) =>
    target?.startsWith("src/adapters/") && !typeOnly ? "services get adapters from the context" : null,
)

export const probeNodeImportsOnlyWire = importRule(
  (path) => path.startsWith("probe-node/"),
  (_, { target }) =>
    target === null || /^(probe-node|schema\/wire)\/|^schema\/vocabulary\.ts$/.test(target)
      ? null
      : "a node shares only schema/wire and the vocabulary with the edge",
)

export const probeNodeIsImportedByTestsOnly = importRule(
  (path) => !/^(probe-node|test)\/|^scripts\/bench\//.test(path),
  (_, { target }) => (target?.startsWith("probe-node/") ? "a node is a process, not a module" : null),
)

export const productionImportsNoTests = importRule(
  (path) => !path.startsWith("test/"),
  (_, { target }) => (target?.startsWith("test/") ? "it belongs to the tests" : null),
)

/** Without this rule the others would miss unresolved imports. */
export const importsResolve: Rule = (tree) =>
  importRule(
    () => true,
    (_, { target }) => (target === null || tree.has(target) ? null : "no such file; imports carry the extension"),
  )(tree)

export const noCycles: Rule = (tree) => findCycles(tree).map((circle) => `circle: ${circle.join(" -> ")}`)
