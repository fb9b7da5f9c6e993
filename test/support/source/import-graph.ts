import { existsSync, globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { type Comment, type Program, parseSync, Visitor } from "oxc-parser"

const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const SOURCES = "{src,schema,probe-node,scripts,test}/**/*.{ts,tsx,mts,js,mjs}"
/** Files with the commands that run the tests. */
const COMMANDS = ["package.json", ".ci/run", "scripts/*.sh"]

/** One import, re-export or dynamic import. */
export interface Import {
  /** The specifier in the source. */
  readonly specifier: string
  /** Path from the root of the repository; null for a package. */
  readonly target: string | null
  /** Erased before it runs: `import type`, `export type`, `import("…")` as a type. */
  readonly typeOnly: boolean
}

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly lines: number
  readonly imports: readonly Import[]
  readonly program: Program
  readonly comments: readonly Comment[]
}

/** Files by path. `has` also finds imported files that are not source, such as JSON. */
export interface SourceTree {
  readonly files: readonly SourceFile[]
  /** The files with the commands that run the tests. */
  readonly commands: readonly { readonly path: string; readonly text: string }[]
  has(path: string): boolean
}

/** Every source file of the repository, parsed. */
export function readTree(): SourceTree {
  const paths = (patterns: string | string[]) =>
    globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**"] })
      .map((path) => path.replaceAll("\\", "/"))
      .sort()
  const read = (path: string) => readFileSync(join(ROOT, path), "utf8")
  return {
    files: paths(SOURCES).map((path) => parseSource(path, read(path))),
    commands: paths(COMMANDS).map((path) => ({ path, text: read(path) })),
    has: (path) => existsSync(join(ROOT, path)),
  }
}

/** A tree from the given texts, for tests of a rule. */
export function inlineTree(texts: Readonly<Record<string, string>>): SourceTree {
  const [sources, commands] = [true, false].map((isSource) =>
    Object.entries(texts).filter(([path]) => /\.m?[jt]sx?$/.test(path) === isSource),
  )
  return {
    files: sources!.map(([path, text]) => parseSource(path, text)),
    commands: commands!.map(([path, text]) => ({ path, text })),
    has: (path) => path in texts,
  }
}

/** @throws Error when the text does not parse */
export function parseSource(path: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  return { path, text, lines, imports: readImports(path, program), program, comments }
}

function readImports(path: string, program: Program): Import[] {
  const imports: Import[] = []
  const add = (specifier: string, kind: string | null | undefined) =>
    imports.push({ specifier, target: resolve(path, specifier), typeOnly: kind === "type" })
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.importKind),
    ExportNamedDeclaration: (node) => node.source && add(node.source.value, node.exportKind),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind),
    ImportExpression: (node) =>
      node.source.type === "Literal" && typeof node.source.value === "string" && add(node.source.value, "value"),
    TSImportType: (node) => add(node.source.value, "type"),
  }).visit(program)
  return imports
}

function resolve(from: string, specifier: string): string | null {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : null
}

/** Groups of files that import each other in a cycle, sorted. Type imports count (Tarjan's algorithm). */
export function findCycles({ files }: SourceTree): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []

  function visit(path: string) {
    order.set(path, order.size)
    lowest.set(path, order.get(path)!)
    stack.push(path)
    const targets = byPath.get(path)!.imports.map(({ target }) => target)
    for (const target of targets.filter((target) => target !== null && byPath.has(target)) as string[]) {
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!))
    }
    if (lowest.get(path) !== order.get(path)) return
    const cycle = stack.splice(stack.indexOf(path))
    if (cycle.length > 1 || targets.includes(path)) cycles.push(cycle.sort())
  }

  for (const { path } of files) if (!order.has(path)) visit(path)
  return cycles
}
