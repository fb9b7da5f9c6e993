import { execFileSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { toASCII } from "tr46"
import type { ListSource } from "./sources.ts"

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
