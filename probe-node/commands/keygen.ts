import { generateKeyPair, importTrustedKey } from "../../schema/wire/keys.ts"
import { fail, readArguments } from "./arguments.ts"

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
