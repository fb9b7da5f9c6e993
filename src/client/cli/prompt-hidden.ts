import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { UsageError } from "./config.ts"
import { report, type Terminal } from "./terminal.ts"

/** Reads a line without showing it. @throws UsageError after Ctrl+C or Ctrl+D */
export function promptHidden({ stdin, stderr, ...terminal }: Terminal, question: string): Promise<string> {
  // Readline echoes to its output, so this one drops everything.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true })
  stderr.write(question)
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => {
      resolve(line.trim())
      lines.close()
    })
    lines.once("SIGINT", () => lines.close())
    lines.once("close", () => {
      report({ stdin, stderr, ...terminal }, "")
      reject(new UsageError("no key was entered"))
    })
  })
}
