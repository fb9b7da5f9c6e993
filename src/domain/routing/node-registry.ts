/** The most nodes of one account. */
export const MAX_NODES_OF_ACCOUNT = 20
const MAX_KEYS = 2

interface SigningKey {
  readonly key: string
  /** Unix milliseconds, null while it is the current key. */
  readonly notAfter: number | null
}

interface EnrolledNode {
  readonly region: string
  readonly url: string
  readonly sourceIps: readonly string[]
  readonly capacity: number
  readonly version: string
}

/** Whether an enrollment repeats the stored one, as after a lost answer: it would change nothing. */
export function isRepeated(
  stored: EnrolledNode & { readonly publicKeys: readonly SigningKey[] },
  given: EnrolledNode & { readonly key: string },
): boolean {
  return (
    stored.publicKeys.some(({ key, notAfter }) => key === given.key && notAfter === null) &&
    (["region", "url", "capacity", "version"] as const).every((field) => stored[field] === given[field]) &&
    stored.sourceIps.join() === given.sourceIps.join()
  )
}

/** Puts a new signing key first. The former key stays valid until `oldKeysUntil`, so that a node can change over. */
export function withKey(
  keys: readonly SigningKey[],
  { key, now, oldKeysUntil }: { key: string; now: number; oldKeysUntil: number },
): SigningKey[] {
  const others = keys
    .filter((one) => one.key !== key && (one.notAfter === null || one.notAfter > now))
    .map((one) => ({ ...one, notAfter: Math.min(one.notAfter ?? Number.POSITIVE_INFINITY, oldKeysUntil) }))
  return [{ key, notAfter: null }, ...others].slice(0, MAX_KEYS)
}
