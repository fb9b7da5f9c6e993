import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The project's folder. */
export const PROJECT = fileURLToPath(new URL("../../..", import.meta.url))

/** Commands that change the clone or need another machine. `npm run deploy` is followed by test/wire/deploy.test.ts. */
const NOT_HERE = /^(git|npm ci|npm run deploy|systemctl|docker|sudo|cd|install|journalctl)/
/** The local stack has its own settings and addresses. */
const SET_HERE = /^BASE=/

export interface GuideStep {
  readonly heading: string
  readonly commands: string
  readonly output: readonly string[]
}

/** A guide without the indent of its lists. */
export const guide = (document: string) => readFileSync(join(PROJECT, "docs", document), "utf8").replace(/^ {3}/gm, "")

/** The blocks of commands with a block of their output. */
export function stepsOf(document: string): GuideStep[] {
  return guide(document)
    .split(/^##+ /m)
    .flatMap((section) =>
      [...section.matchAll(/^```sh\n((?:(?!^```).)*?)^```\n\n```text\n(.*?)^```/gms)].map(([, code, output]) => ({
        heading: section.slice(0, section.indexOf("\n")),
        commands: code!,
        output: output!.split("\n").filter((line) => line !== ""),
      })),
    )
}

/** The commands of a step that a test may run on this machine. */
export const runnable = ({ commands }: GuideStep): string =>
  commands
    .split("\n")
    .filter((line) => !NOT_HERE.test(line) && !SET_HERE.test(line))
    .join("\n")

/** The lines of the guide that a command has not printed. "…" in the guide matches any text. */
export function missingLines({ output }: GuideStep, printed: string): string[] {
  const lines = printed.split("\n")
  return output.filter((line) => !lines.some((one) => expected(line).test(one)))
}

function expected(line: string): RegExp {
  const parts = line.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(parts.join(".*"))
}
