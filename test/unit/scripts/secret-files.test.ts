import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { fileSetting, readSecretFiles } from "../../../schema/wire/secret-files.ts"
import { SECRETS, withSecretFiles } from "../../../scripts/dev/settings.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-secret-files-"))
afterAll(() => rmSync(folder, { recursive: true }))
const stored = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const project = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string) => readFileSync(path, "utf8")

describe("a secret's file", () => {
  const path = "/run/secrets/pepper"
  const files: Readonly<Record<string, string>> = {
    [path]: "s3cret\n",
    "/windows": "s3cret\r\n",
    "/bare": "s3cret",
    "/lines": "one\ntwo\n\n",
    "/blank": " \n",
    "/nothing": "",
  }
  const readFile = (name: string) => {
    const text = files[name]
    if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${name}'`)
    return text
  }

  test.each<[Record<string, string>, { value?: string; problem?: string }]>([
    [{ KEY_PEPPER_FILE: path }, { value: "s3cret" }],
    [{ KEY_PEPPER_FILE: "/windows" }, { value: "s3cret" }],
    [{ KEY_PEPPER_FILE: "/bare" }, { value: "s3cret" }],
    [{ KEY_PEPPER_FILE: "/lines" }, { value: "one\ntwo\n" }],
    [{ KEY_PEPPER_FILE: path, KEY_PEPPER: "" }, { value: "s3cret" }],
    [{ KEY_PEPPER_FILE: "" }, {}],
    [{ KEY_PEPPER: "set" }, {}],
    [{ LOG_LEVEL_FILE: path }, {}],
    [
      { KEY_PEPPER_FILE: path, KEY_PEPPER: "set" },
      { problem: "KEY_PEPPER and KEY_PEPPER_FILE are both set: remove one of them" },
    ],
    [{ KEY_PEPPER_FILE: "/gone" }, { problem: "KEY_PEPPER_FILE: cannot read /gone: no such file or directory" }],
    [{ KEY_PEPPER_FILE: "/nothing" }, { problem: "KEY_PEPPER_FILE: /nothing is empty" }],
    [{ KEY_PEPPER_FILE: "/blank" }, { problem: "KEY_PEPPER_FILE: /blank is empty" }],
  ])("%j", (env, { value, problem }) => {
    expect(readSecretFiles(env, ["ADMIN_SECRET", "KEY_PEPPER"], readFile)).toEqual({
      values: value === undefined ? {} : { KEY_PEPPER: value },
      problems: problem === undefined ? [] : [problem],
    })
  })

  test("that is a folder, or that another user owns, is named with the reason", () => {
    const { problems } = withSecretFiles({ ADMIN_SECRET_FILE: folder })
    expect(problems).toEqual([`ADMIN_SECRET_FILE: cannot read ${folder}: illegal operation on a directory`])
  })
})

test.each(SECRETS)("%s is read from a file", (name) => {
  const file = stored(name, "of the file\n")
  expect(withSecretFiles({ [fileSetting(name)]: file })).toEqual({ env: { [name]: "of the file" }, problems: [] })
})

/** Settings with such a name that hold no secret. */
const NO_SECRETS = ["PROBE_TRUSTED_KEYS", "GOOGLE_TOKEN_URL", "GOOGLE_JWKS_URL"]

test("each setting whose name says so is a secret, and .env.example lists those that a file may hold", () => {
  const example = read(`${project}.env.example`)
  const names = [...example.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!)
  const secret = names.filter((name) => /SECRET|PEPPER|TOKEN|KEY|PASSWORD|SERVICE_ACCOUNT|HEADERS/.test(name))
  expect(secret.filter((name) => !SECRETS.includes(name) && !NO_SECRETS.includes(name))).toEqual([])
  expect(SECRETS.filter((name) => !names.includes(name))).toEqual([])
  const list = /This holds for (.*?) \(docs/s.exec(example)![1]!.match(/[A-Z][A-Z0-9_]+/g)!
  expect(list.toSorted()).toEqual([...SECRETS].toSorted())
})
