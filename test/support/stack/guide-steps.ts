import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The project's folder. */
export const PROJECT = fileURLToPath(new URL("../../..", import.meta.url))

/** A block of commands of a guide, and the block of their output below it. */
export interface GuideStep {
  readonly heading: string
  /** Each with its continued lines, its here-document or its loop. */
  readonly commands: readonly string[]
  /** The printed lines. Empty: the guide shows none. */
  readonly output: readonly string[]
}

/** The steps of a guide in their order: blocks of the language "sh", and after each a block of the language "text". */
export function stepsOf(document: string): GuideStep[] {
  // Without the indent of lists.
  const text = readFileSync(join(PROJECT, document), "utf8").replace(/^ {3}/gm, "")
  return text.split(/^##+ /m).flatMap((section) => {
    const steps: { heading: string; commands: string[]; output: string[] }[] = []
    for (const [, language, code = ""] of section.matchAll(/^```(\w*)\n(.*?)^```/gms)) {
      if (language === "sh")
        steps.push({ heading: section.slice(0, section.indexOf("\n")), commands: commandsOf(code), output: [] })
      else if (language === "text") steps.at(-1)?.output.push(...code.split("\n").filter((line) => line !== ""))
    }
    return steps
  })
}

/** Splits a block into commands. */
export function commandsOf(code: string): string[] {
  const commands: string[] = []
  let open = ""
  for (const line of code.split("\n")) {
    if (open === "" && (line.trim() === "" || line.startsWith("#"))) continue
    open += open === "" ? line : `\n${line}`
    if (isOpen(open)) continue
    commands.push(open)
    open = ""
  }
  if (open !== "") throw new Error(`a command does not end: ${open}`)
  return commands
}

function isOpen(text: string): boolean {
  const [, end] = /<<-?'?(\w+)'?/.exec(text) ?? []
  if (end !== undefined) return !new RegExp(`\n${end}$`).test(text)
  const isLoop = /^(for|while|if)\b/.test(text) && !/\b(done|fi)$/.test(text)
  return text.endsWith("\\") || isLoop
}

/** The lines of the guide that a command has not printed. "…" in the guide matches any text. */
export function missingLines({ output }: Pick<GuideStep, "output">, printed: string): string[] {
  const lines = printed.split("\n")
  return output.filter((line) => !lines.some((one) => expected(line).test(one)))
}

function expected(line: string): RegExp {
  const parts = line.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(parts.join(".*"))
}
