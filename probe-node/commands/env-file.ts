import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"

/** Sets variables in a file of NAME=value lines and keeps everything else; only its owner may read it. @throws fs errors */
export function updateEnvFile(file: string, values: Readonly<Record<string, string>>): void {
  const next = `${file}.${process.pid}.new`
  const before = existsSync(file) ? readFileSync(file, "utf8") : ""
  writeFileSync(next, withLines(before, values), { mode: 0o600 })
  chmodSync(next, 0o600)
  renameSync(next, file)
}

/** A value is replaced where it stands, else added at the end. Values hold no blanks, quotes or "#": no reader quotes alike. */
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
