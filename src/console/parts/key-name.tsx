import { useGet } from "../api/load.ts"
import type { Key, Keys } from "../api/shapes.ts"

/** The account's keys, by id. Empty until they are loaded, and for an API key that cannot list them. */
export function useKeysById(): ReadonlyMap<string, Key> {
  const load = useGet<Keys>("/keys")
  return new Map(load.state === "ready" ? load.value.keys.map((key) => [key.key_id, key]) : [])
}

interface KeyNameProps {
  readonly id: string
  /** The key, once it is loaded. */
  readonly of: Key | undefined
}

/** A key as its owner recognizes it: by its name and the end of its secret. */
export function KeyName({ id, of: key }: KeyNameProps) {
  return (
    <>
      API key <a href={`#/keys/${id}`}>{key?.name ?? id}</a>
      {key?.last4 && <span class="soft small">, ends in {key.last4}</span>}
    </>
  )
}
