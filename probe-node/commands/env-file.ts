import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"

/** Sets variables in a file of NAME=value lines and leaves all other lines. Mode 0600. @throws fs errors */
export function updateEnvFile(file: string, values: Readonly<Record<string, string>>): void {
  const next = `${file}.${process.pid}.new`
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  writeFileSync(next, withLines(before, values), { mode: 0o600 })
  chmodSync(next, 0o600)
  renameSync(next, file)
}

/** Replaces each value in place, else appends it. Values have no blanks, quotes or "#": quoting differs by reader. */
export function withLines(text: string, values: Readonly<Record<string, string>>): string {
  const missing = new Map(Object.entries(values))
  const lines = text.split("\n").map((line) => {
    const name = /^\s*(?:export\s+)?([A-Z0-9_]+)=/.exec(line)?.[1] ?? ""
    const value = values[name]
    if (value === undefined) return line
    missing.delete(name)
    return `${name}=${value}`
  })
  while (lines.at(-1) === "") lines.pop()
  return `${[...lines, ...[...missing].map(([name, value]) => `${name}=${value}`)].join("\n")}\n`
}
