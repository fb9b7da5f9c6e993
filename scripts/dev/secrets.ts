import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { DATA_FILES } from "../data/data-files.ts"

const KeyPair = z.object({ signingKey: z.string(), publicKey: z.string() })
const Secrets = z.object({
  edge: KeyPair,
  node: KeyPair,
  keyPepper: z.string(),
  adminSecret: z.string(),
  libsqlToken: z.string(),
})

/** Secrets of a local stack, generated at the first start and stored in DATA_DIR. */
export type LocalSecrets = Readonly<z.infer<typeof Secrets>>

/** The stored secrets; null before the first start. @throws Error when the file cannot be read */
export function storedSecrets(dataDir: string): LocalSecrets | null {
  const file = fileIn(dataDir)
  try {
    return readSecrets(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}

/** The stored secrets, which the first call generates. @throws Error when the file cannot be read or written */
export async function localSecrets(dataDir: string): Promise<LocalSecrets> {
  const stored = storedSecrets(dataDir)
  if (stored) return stored
  const secrets: LocalSecrets = {
    edge: await generateKeyPair("edge-1"),
    node: await generateKeyPair("node-1"),
    keyPepper: randomBytes(32).toString("base64url"),
    adminSecret: randomBytes(32).toString("base64url"),
    libsqlToken: randomBytes(32).toString("base64url"),
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writePrivateFile(fileIn(dataDir), JSON.stringify(secrets, null, 2))
  return secrets
}

const fileIn = (dataDir: string) => join(dataDir, DATA_FILES.secrets)

/**
 * Writes a file that only its owner can read. It is whole or missing: a half-written one, as on a full disk, would block
 * every later start.
 */
export function writePrivateFile(file: string, text: string): void {
  writeFileSync(`${file}.unfinished`, text, { mode: 0o600 })
  renameSync(`${file}.unfinished`, file)
}

function readSecrets(file: string): LocalSecrets {
  const text = readFileSync(file, "utf8")
  try {
    return Secrets.parse(JSON.parse(text))
  } catch {
    throw new Error(`${file} is damaged: restore it from a backup, because the API keys need it`)
  }
}
