import { posix } from "node:path"
import { type Program, Visitor } from "oxc-parser"
import type { SourceFile } from "./import-graph.ts"
import type { Rule } from "./layer-rules.ts"

const MAX_LINES = 300
/** Files whose default export the platform or a tool requires. */
const DEFAULT_EXPORTS =
  /^src\/worker\.ts$|^scripts\/(bench|dev\/workerd)\/[\w-]+-worker\.m?[jt]s$|(^|\/)[\w-]+\.config\.ts$/
const VAGUE_NAME = /(^|[-/.])(utils?|helpers?|misc|common|managers?)([-/.]|$)/
const UNFINISHED = /\b(TODO|FIXME|XXX|HACK)\b|biome-ignore|@ts-(ignore|nocheck|expect-error)|(eslint|oxlint)-disable/
/** Globals that a pure function does not use. */
const IMPURE_GLOBALS =
  /^(performance|process|console|caches|navigator|fetch|setTimeout|setInterval|queueMicrotask|globalThis|Buffer)$/
/** Sources of randomness in Web Crypto. Digests and signatures are deterministic. */
const RANDOMNESS = /^(getRandomValues|randomUUID|generateKey)$/
const CONNECTING = /^(createClient|openDatabase|drizzle)$/

/** A rule about each file that matches `applies`. */
export function fileRule(applies: (path: string) => boolean, problems: (file: SourceFile) => string[]): Rule {
  return ({ files }) =>
    files.filter(({ path }) => applies(path)).flatMap((file) => problems(file).map((text) => `${file.path}: ${text}`))
}

export const filesAreShort = fileRule(
  () => true,
  ({ lines, program }) =>
    lines > MAX_LINES && !holdsOnlyData(program) ? [`${lines} lines, ${MAX_LINES} at most`] : [],
)

export const noVagueFileNames = fileRule(
  (path) => VAGUE_NAME.test(path),
  ({ path }) => [`"${posix.basename(path)}" does not describe its content`],
)

export const noOpenTasksOrSuppressions = fileRule(
  () => true,
  ({ comments }) => comments.filter(({ value }) => UNFINISHED.test(value)).map(({ value }) => value.trim()),
)

export const defaultExportsOnlyWhereRequired = fileRule(
  (path) => !DEFAULT_EXPORTS.test(path),
  ({ program }) => {
    const found: string[] = []
    new Visitor({
      ExportDefaultDeclaration: () => found.push("default export"),
      ExportSpecifier: ({ exported }) => {
        if ((exported.type === "Literal" ? exported.value : exported.name) === "default") found.push("default export")
      },
    }).visit(program)
    return found
  },
)

export const domainHasNoSideEffects = fileRule(
  (path) => path.startsWith("src/domain/"),
  ({ program }) => {
    const found: string[] = []
    const useOf = (name: string | null) => {
      if (name !== null && IMPURE_GLOBALS.test(name)) found.push(name)
    }
    new Visitor({
      MemberExpression({ object, property }) {
        const member =
          object.type === "Identifier" && property.type === "Identifier" ? `${object.name}.${property.name}` : ""
        if (member === "Date.now" || member === "Math.random") found.push(member)
        if (object.type === "Identifier") useOf(object.name)
        if (property.type === "Identifier" && RANDOMNESS.test(property.name)) found.push(property.name)
      },
      NewExpression({ callee, arguments: given }) {
        if (callee.type === "Identifier" && callee.name === "Date" && given.length === 0) found.push("new Date()")
      },
      CallExpression({ callee }) {
        if (callee.type !== "Identifier") return
        if (callee.name === "Date") found.push("Date()")
        useOf(callee.name)
      },
    }).visit(program)
    return found
  },
)

/** Requests would share a client created during module load, which workerd aborts with "code had hung". */
export const noClientAtModuleLoad = fileRule(
  (path) => path.startsWith("src/"),
  ({ program }) => {
    const found: string[] = []
    let functions = 0
    const enter = () => void functions++
    const exit = () => void functions--
    new Visitor({
      FunctionDeclaration: enter,
      "FunctionDeclaration:exit": exit,
      FunctionExpression: enter,
      "FunctionExpression:exit": exit,
      ArrowFunctionExpression: enter,
      "ArrowFunctionExpression:exit": exit,
      CallExpression({ callee }) {
        const name = callee.type === "Identifier" ? callee.name : ""
        if (functions === 0 && CONNECTING.test(name)) found.push(`${name}() during module load`)
      },
    }).visit(program)
    return found
  },
)

/**
 * Each object literal with an accessor gets its own hidden class in V8's old space. That class holds the accessor's
 * closure, often a whole request, until the next full collection.
 */
export const noAccessorInLiterals = fileRule(
  (path) => /^(src|schema)\//.test(path) && !/^src\/(console|client)\//.test(path),
  ({ program }) => {
    const found: string[] = []
    new Visitor({
      ObjectExpression({ properties }) {
        for (const property of properties)
          if (property.type === "Property" && property.kind !== "init")
            found.push(`${property.kind} in an object literal`)
      },
    }).visit(program)
    return found
  },
)

/** The files of the console that render these elements for all its pages. */
const CONSOLE_PARTS: Readonly<Record<string, string>> = {
  table: "src/console/parts/data-table.tsx",
  form: "src/console/parts/form.tsx",
}

/** A second table or form would need its own headings, phone form, errors and focus. */
export const consoleHasOneTableAndForm = fileRule(
  (path) => path.startsWith("src/console/"),
  ({ path, program }) => {
    const found: string[] = []
    new Visitor({
      JSXOpeningElement({ name }) {
        const home = name.type === "JSXIdentifier" ? CONSOLE_PARTS[name.name] : undefined
        if (home !== undefined && home !== path) found.push(`a hand-made element: ${home} renders it`)
      },
    }).visit(program)
    return found
  },
)

/** Whether a file contains only data, without functions or branches. Its length is then no complexity. */
function holdsOnlyData(program: Program): boolean {
  let code = 0
  const count = () => void code++
  new Visitor({
    FunctionDeclaration: count,
    FunctionExpression: count,
    ArrowFunctionExpression: count,
    ClassDeclaration: count,
    IfStatement: count,
    ForStatement: count,
    ForOfStatement: count,
    ExpressionStatement: count,
  }).visit(program)
  return code === 0
}

/** `Date.now` of `Date.now()`. */
export function calledMember(node: { type: string }): string {
  const { callee } = node as { callee?: { object?: { name?: string }; property?: { name?: string } } }
  return `${callee?.object?.name}.${callee?.property?.name}`
}

/** The root name of a chain of members and calls: `test` of `test.concurrent.each([])`. */
export function rootName(node: { type: string }): string | null {
  let current = node as { type: string; name?: string; object?: typeof node; callee?: typeof node }
  while (current.type === "MemberExpression" || current.type === "CallExpression")
    current = (current.object ?? current.callee) as typeof current
  return current.type === "Identifier" ? (current.name ?? null) : null
}
