import type { Deps } from "../../deps.ts"
import { hex } from "../../domain/keys/digest.ts"
import { makeSecret, SECRET_ENTROPY_BYTES } from "../../domain/keys/secret.ts"

const KEY_ID_BYTES = 12

/** A fresh secret with its public id and its keyed hash. */
export async function issueSecret({ randomBytes, digests }: Pick<Deps, "randomBytes" | "digests">) {
  const secret = makeSecret(randomBytes(SECRET_ENTROPY_BYTES))
  return { keyId: `kid_${hex(randomBytes(KEY_ID_BYTES))}`, secret, digest: await digests.of("key", secret) }
}
