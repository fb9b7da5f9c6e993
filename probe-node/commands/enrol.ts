import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { generateKeyPair, importTrustedKey, publicKeyOf } from "../../schema/wire/keys.ts"
import { fileSetting } from "../../schema/wire/secret-files.ts"
import { RELEASE } from "../../schema/wire/version.ts"
import { isLoopback } from "../addresses.ts"
import { readSettings } from "../config.ts"
import { fail, readArguments, SETTINGS_FILE } from "./arguments.ts"
import { enrolAtEdge } from "./enrol-at-edge.ts"

const OPTIONS = {
  edge: { type: "string" },
  /** Refused: a command line is visible to every user of the machine. */
  token: { type: "string" },
  "token-file": { type: "string" },
  id: { type: "string" },
  region: { type: "string" },
  url: { type: "string" },
  helo: { type: "string" },
  "mail-from": { type: "string" },
  "source-ips": { type: "string" },
  trust: { type: "string" },
  print: { type: "boolean" },
} as const

const TOKEN_SOURCES = "set PROBE_TOKEN, or use --token-file FILE, or --token-file - for standard input"

/** The setting of each option. */
const SETTINGS: readonly (readonly [option: Exclude<keyof typeof OPTIONS, "print">, setting: string])[] = [
  ["id", "PROBE_NODE_ID"],
  ["region", "PROBE_REGION"],
  ["url", "PROBE_PUBLIC_URL"],
  ["helo", "PROBE_HELO"],
  ["mail-from", "PROBE_MAIL_FROM"],
  ["source-ips", "PROBE_SOURCE_IPS"],
  ["trust", "PROBE_TRUSTED_KEYS"],
]

/** Generates the node's key, stores it with the settings in probe.env, and registers the node or prints how to. */
export async function enrol(args: string[]): Promise<void> {
  const given = readArguments(args, OPTIONS, true)
  if (!given.ok) return fail(given.problems)
  const { values } = given
  const env = { ...(values.print && presentSettings()), ...settingsOf(values) }
  const read = readSettings({ ...process.env, ...env })
  const problems = [...(read.ok ? [] : read.problems), ...(await problemsOf(env)), ...problemsOfEdge(values)]
  if (!read.ok || problems.length > 0) return fail(problems)
  const identity = await identityOf(env.PROBE_NODE_ID ?? "node")
  const keyFile = process.env[fileSetting("PROBE_SIGNING_KEY")]
  if (keyFile) env[fileSetting("PROBE_SIGNING_KEY")] = keyFile
  else env.PROBE_SIGNING_KEY = identity.signingKey
  const file = values.settings ?? SETTINGS_FILE
  const { edge } = values
  if (edge !== undefined) {
    const token = await readToken(values["token-file"]).catch((error: Error) => error)
    if (typeof token !== "string") return fail([token.message])
    // After a lost answer, a second attempt must use the same key. Other settings are stored after success.
    if (!values.print && !process.env.PROBE_SIGNING_KEY) updateEnvFile(file, { PROBE_SIGNING_KEY: identity.signingKey })
    const { id, region, publicUrl, sourceIps, concurrency: capacity } = read.settings
    const node = { id, region, url: publicUrl!, public_key: identity.publicKey, source_ips: sourceIps, capacity }
    const enrolled = await enrolAtEdge(edge, { ...node, token, version: RELEASE })
    if (!enrolled.ok) return fail([enrolled.problem])
    if (enrolled.edgeKeys.length > 0) env.PROBE_TRUSTED_KEYS = enrolled.edgeKeys.join(",")
  }
  store(env, values.print ? null : file)
  printNextSteps(env, identity.publicKey, edge)
}

function settingsOf(values: Readonly<Record<string, string | boolean | undefined>>): Record<string, string> {
  const given = SETTINGS.map(([option, name]) => [name, values[option] ?? process.env[name]] as const)
  const texts = given.flatMap(([name, value]) => (typeof value === "string" && value !== "" ? [[name, value]] : []))
  return Object.fromEntries(texts.map(([name, value]) => [name, value!.trim().replace(/[\s,]+/g, ",")]))
}

/** All present settings: what --print writes takes the place of the settings file. */
function presentSettings(): Record<string, string> {
  const isSetting = (name: string) =>
    name.startsWith("PROBE_") && name !== "PROBE_TOKEN" && !process.env[fileSetting(name)]
  const present = Object.entries(process.env).flatMap(([name, value]) =>
    isSetting(name) && value ? [[name, value]] : [],
  )
  return Object.fromEntries(present)
}

/** Problems with the options that name the edge and its token. */
function problemsOfEdge({ edge, token, "token-file": file }: { edge?: string; token?: string; "token-file"?: string }) {
  const problems: string[] = []
  if (token !== undefined)
    problems.push(`--token shows the token in ps and in the shell's history: ${TOKEN_SOURCES} instead`)
  else if (edge !== undefined && file === undefined && !process.env.PROBE_TOKEN)
    problems.push(`the token is missing: ${TOKEN_SOURCES}`)
  if (file !== undefined && edge === undefined) problems.push("--token-file needs --edge")
  if (edge !== undefined && !URL.canParse(edge)) problems.push("--edge is not a URL")
  return problems
}

/** @throws Error when the token is empty or its file cannot be read */
async function readToken(file: string | undefined): Promise<string> {
  const text = await readTokenText(file).catch((error: Error) => {
    throw new Error(`--token-file cannot be read: ${error.message}`)
  })
  if (text.trim() === "") throw new Error(`the token is empty: ${TOKEN_SOURCES}`)
  return text.trim()
}

/** Reads the enrollment token: a file, the first line of standard input for "-", else PROBE_TOKEN. */
async function readTokenText(file: string | undefined): Promise<string> {
  if (file === undefined) return process.env.PROBE_TOKEN ?? ""
  if (file !== "-") return readFileSync(file, "utf8")
  process.stderr.write("Reading the token from standard input: paste it and press Enter.\n")
  const lines = createInterface({ input: process.stdin })
  const first = await lines[Symbol.asyncIterator]().next()
  lines.close()
  return first.done ? "" : first.value
}

/** Problems with the settings that only the enrolment requires. */
async function problemsOf(env: Readonly<Record<string, string>>): Promise<string[]> {
  const problems: string[] = []
  const url = env.PROBE_PUBLIC_URL ?? ""
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" }
  if (url === "")
    problems.push("--url is missing: the URL at which the edge calls this node, such as https://probe1.example.com")
  else if (protocol === "http:" && !isLoopback(hostname)) problems.push("--url must begin with https://")
  if (!/^[\w.-]{1,64}$/.test(env.PROBE_NODE_ID ?? ""))
    problems.push("--id is missing: the name of this node, such as fra-1")
  if (!env.PROBE_REGION) problems.push("--region is missing: the location of this node, such as eu-central")
  for (const key of (env.PROBE_TRUSTED_KEYS ?? "").split(",").filter((text) => text !== ""))
    await importTrustedKey(key).catch((error: Error) => problems.push(`--trust cannot be read: ${error.message}`))
  for (const [name, value] of Object.entries(env))
    if (/["'#\\$`]/.test(value)) problems.push(`${name} has a character that is not allowed in a settings file`)
  return problems
}

/** The existing key, or a new one. The date in the key id distinguishes old and new keys during a rotation. */
async function identityOf(nodeId: string): ReturnType<typeof generateKeyPair> {
  const signingKey = process.env.PROBE_SIGNING_KEY
  if (signingKey) return { signingKey, publicKey: await publicKeyOf(signingKey) }
  return generateKeyPair(`${nodeId.slice(0, 50)}.${new Date().toISOString().slice(0, 10)}`)
}

function store(env: Readonly<Record<string, string>>, file: string | null): void {
  if (file === null) for (const [name, value] of Object.entries(env)) process.stdout.write(`${name}=${value}\n`)
  else {
    updateEnvFile(file, env)
    process.stderr.write(`Settings and the secret key are in ${file}, readable only by you.\n`)
  }
}

function printNextSteps(env: Readonly<Record<string, string>>, publicKey: string, edge: string | undefined): void {
  const { PROBE_NODE_ID: id, PROBE_REGION: region, PROBE_PUBLIC_URL: url } = env
  const entry = JSON.stringify({ id, region, url, public_keys: [publicKey] })
  const next = env.PROBE_TRUSTED_KEYS
    ? "Next: start the node with `serve`, and check it with `doctor`.\n"
    : "Next: put the edge's public key into PROBE_TRUSTED_KEYS, start the node with `serve`, and check it with `doctor`.\n"
  process.stderr.write(
    edge === undefined ? `Add this to PROBE_NODES at the edge:\n${entry}\n` : `Enrolled as ${id} at ${edge}.\n`,
  )
  process.stderr.write(next)
}

const USAGE = "usage: keygen <key id>, such as fra-1.2026-11"

/** Generates an Ed25519 key pair and prints both halves as settings, for a node or an edge. */
export async function keygen(args: string[]): Promise<void> {
  const given = readArguments(args, { json: { type: "boolean" } })
  if (!given.ok) return fail([...given.problems, USAGE])
  const [keyid = "", ...more] = given.positionals
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(keyid) || more.length > 0) return fail([USAGE])
  const pair = await generateKeyPair(keyid)
  await importTrustedKey(pair.publicKey)
  const text = given.values.json
    ? JSON.stringify({ signing_key: pair.signingKey, public_key: pair.publicKey })
    : [
        "# Secret: PROBE_SIGNING_KEY of a node, or EDGE_SIGNING_KEY of an edge.",
        pair.signingKey,
        "# Public: in public_keys of the node's entry at the edge, or in PROBE_TRUSTED_KEYS of every node.",
        pair.publicKey,
      ].join("\n")
  process.stdout.write(`${text}\n`)
}

/** Sets variables in a file of NAME=value lines and leaves all other lines. Mode 0600. @throws fs errors */
function updateEnvFile(file: string, values: Readonly<Record<string, string>>): void {
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
