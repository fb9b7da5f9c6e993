import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { completions } from "../../../src/client/cli/completion.ts"
import { buildProgram } from "../../../src/client/cli/program.ts"
import { memoryTerminal } from "../../support/stack/run-cli.ts"

const program = buildProgram(memoryTerminal().terminal, () => undefined)
const wordsAfter = (line: string) => {
  const found = completions(program, line.split(" "))
  return found === "files" ? found : found.map(({ word }) => word).join(" ")
}

describe("after a line, these words can follow", () => {
  test.each([
    ["li", "lists"],
    ["lists u", "upload"],
    ["lists upload ", "files"],
    ["lists upload - --fo", "--format"],
    ["lists upload - --format ", "csv json ndjson xlsx"],
    ["lists upload - --format x", "xlsx"],
    ["lists upload --out ", "files"],
    ["lists upload --column Mail ", "files"],
    ["lists upload --column ", ""],
    ["lists watch ", ""],
    ["--json --url http://a.test ve", "verify"],
    ["verify a@b.test --j", "--json"],
    ["verify a@b.test ", ""],
    ["suppress add a@b.test --reason un", "unsubscribe"],
    ["completion ", "bash zsh fish"],
    ["nonsense ", ""],
    ["complet", "completion"],
  ])("%s", (line, words) => {
    expect(wordsAfter(line)).toBe(words)
  })

  test("nothing: every command, with its description", () => {
    const found = completions(program, [""])
    expect(found).toContainEqual({ word: "usage", help: "show the credits of the month: used, left and bought" })
    expect(completions(program, [])).toEqual(found)
  })
})

describe("the script of bash", () => {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-completion-"))
  const main = fileURLToPath(new URL("../../../src/client/cli/main.ts", import.meta.url))
  beforeAll(() => {
    writeFileSync(join(folder, "mailverdict"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
    chmodSync(join(folder, "mailverdict"), 0o755)
    writeFileSync(join(folder, "my people.csv"), "")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each([
    [["lists", "up"], "upload"],
    [["lists", "upload", "my"], "my people.csv"],
    [["lists", "upload", "-", "--format", "n"], "ndjson"],
    [["verify", "$(touch owned)", "--fr"], "--fresh"],
  ])("completes %j", (words, completed) => {
    const script = `source <(mailverdict completion bash)
      compopt() { :; }
      COMP_WORDS=(mailverdict "$@"); COMP_CWORD=$#
      _mailverdict; printf '%s|' "\${COMPREPLY[@]}"`
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, XDG_CONFIG_HOME: folder }
    const output = execFileSync("bash", ["-c", script, "bash", ...words], { cwd: folder, env, encoding: "utf8" })
    expect(output).toBe(`${completed}|`)
  })
})
