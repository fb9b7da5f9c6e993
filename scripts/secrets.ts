import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { generateKeyPair } from "../schema/wire/keys.ts"

/** Secrets of a local stack: made at the first start, kept in DATA_DIR for the next one. */
export interface LocalSecrets {
  readonly edge: { readonly signingKey: string; readonly publicKey: string }
  readonly node: { readonly signingKey: string; readonly publicKey: string }
  readonly keyPepper: string
  readonly adminSecret: string
  readonly libsqlToken: string
}

export async function localSecrets(dataDir: string): Promise<LocalSecrets> {
  const file = join(dataDir, "secrets.json")
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as LocalSecrets
  const secrets: LocalSecrets = {
    edge: await generateKeyPair("edge-1"),
    node: await generateKeyPair("node-1"),
    keyPepper: randomBytes(32).toString("base64url"),
    adminSecret: randomBytes(32).toString("base64url"),
    libsqlToken: randomBytes(32).toString("base64url"),
  }
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  return secrets
}
