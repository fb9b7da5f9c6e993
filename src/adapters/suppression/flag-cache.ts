import { RETENTION_DAYS } from "../../../schema/tables/retention.ts"
import type { SuppressionFlags } from "../../domain/suppression/flags.ts"
import { DAY_MS } from "../../domain/time.ts"
import { type KvReader, Memo, type WritableKv } from "../cache.ts"

/**
 * Suppression and account flags of addresses, cached at the edge. The database is the source of truth.
 * A missing entry means that no flag is set. Each list with entries has a marker, so that empty lists are not searched.
 * Every database change is also written here. Other locations see it after at most one minute.
 */
export type FlagCache = ReturnType<typeof createFlagCache>

/** Flags to look up on one list. */
export interface FlagQuery {
  /** An account id, or the operator's list. */
  readonly list: string
  /** Hashes of one address and of its domain, one for each pepper. */
  readonly hashes: readonly string[]
}

/**
 * Stored form. u: suppressed until this time, 0 for permanently. r, b, c: mail received, bounced, complained about.
 * h: stored results up to this time are hidden, 0 for all. Times are Unix milliseconds.
 */
interface StoredFlags {
  readonly u?: number
  readonly r?: 1
  readonly b?: 1
  readonly c?: 1
  readonly h?: number
}

const MIN_EXPIRATION_SECONDS = 60
const MEMO = { capacity: 10_000, ttlMs: 10_000 } as const
/** Longer than background work after a request may take. */
const FILLING_MS = 60_000

/** Whether a list has entries. While it is being filled: "?" and the last cached hash. */
type ListState = "none" | "some" | `?${string}`

/** One memory for each isolate; plain values may outlive a request. Missing entries are cached too. */
const memo = new Memo<SuppressionFlags | null>(MEMO)
const listMemo = new Memo<ListState>(MEMO)
const recentFills = new Memo<true>({ capacity: 1_000, ttlMs: FILLING_MS })

export function createFlagCache(kv: WritableKv, reader: KvReader, now: () => number) {
  const read = <T extends object | string | null>(key: string, cached: Memo<T>, parse: (text: string | null) => T) =>
    cached.read(key, now, async () => parse((await reader.get(key))?.value ?? null))
  const stateOf = (list: string) => read(listKey(list), listMemo, parseState)
  const setState = async (list: string, state: Exclude<ListState, "none">) => {
    listMemo.set(listKey(list), state, now())
    await kv.put(listKey(list), state === "some" ? "1" : state)
  }

  const isKnownEmpty = (list: string) => listMemo.get(listKey(list), now()) === "none"

  return {
    /** Whether this isolate knows that a list has no entries, so that it needs no lookup. */
    isKnownEmpty,

    /** @returns null while a list is being filled: then only the database has the answer */
    async get(queries: readonly FlagQuery[]): Promise<(SuppressionFlags | null)[] | null> {
      const perList = queries.map(async ({ list, hashes }) => {
        if (isKnownEmpty(list)) return []
        // One KV operation reads both. The list state tells later calls whether the list is empty.
        const [flags, state] = await Promise.all([
          Promise.all(hashes.map((hash) => read(keyOf(list, hash), memo, parse))),
          stateOf(list),
        ])
        return isFilling(state) ? null : flags
      })
      const all = await Promise.all(perList)
      return all.some((flags) => flags === null) ? null : all.flatMap((flags) => flags ?? [])
    },

    /** Null deletes the entry. */
    async put(list: string, hash: string, entry: SuppressionFlags | null) {
      const key = keyOf(list, hash)
      memo.set(key, entry, now())
      if (!entry) return kv.delete(key)
      // Only the first write of a batch sets the state: KV accepts one write per key each second.
      const state = await stateOf(list)
      if ((listMemo.get(listKey(list), now()) ?? state) === "none") await setState(list, "some")
      const end = endOf(entry)
      const seconds = Math.max(MIN_EXPIRATION_SECONDS, Math.ceil((end - now()) / 1000))
      await kv.put(key, JSON.stringify(toStored(entry)), ...(Number.isFinite(end) ? [{ expirationTtl: seconds }] : []))
    },

    /** Records the last hash of the list that is cached; null means that every entry is cached. */
    setFilled: (list: string, upTo: string | null): Promise<void> =>
      setState(list, upTo === null ? "some" : `?${upTo}`),

    /** @returns the last cached hash of a list; null when it is not being filled or this isolate continued it recently */
    async continueFilling(list: string): Promise<string | null> {
      const state = await stateOf(list)
      if (!isFilling(state) || recentFills.get(list, now())) return null
      recentFills.set(list, true, now())
      return state.slice(1)
    },

    /** Marks a list as having entries. If the edge has no record of the list, it starts to be filled. */
    async markNonEmpty(list: string) {
      if ((await stateOf(list)) === "none") await setState(list, "?")
    },

    /** Whether every list with entries is recorded. False in a new or emptied namespace. */
    isComplete: async (): Promise<boolean> => (await stateOf(ALL)) === "some",
    setComplete: (): Promise<void> => setState(ALL, "some"),
  }
}

function toStored({ suppression, isReceived, hasBounced, hasComplained, hidesUntil }: SuppressionFlags): StoredFlags {
  return {
    ...(suppression ? { u: suppression.expiresAt ?? 0 } : {}),
    ...(isReceived ? { r: 1 } : {}),
    ...(hasBounced ? { b: 1 } : {}),
    ...(hasComplained ? { c: 1 } : {}),
    ...(hidesUntil > 0 ? { h: Number.isFinite(hidesUntil) ? hidesUntil : 0 } : {}),
  }
}

function parse(text: string | null): SuppressionFlags | null {
  if (text === null) return null
  const { u, r, b, c, h } = JSON.parse(text) as StoredFlags
  return {
    suppression: u === undefined ? null : { expiresAt: u || null },
    isReceived: r === 1,
    hasBounced: b === 1,
    hasComplained: c === 1,
    hidesUntil: h === undefined ? 0 : h || Number.POSITIVE_INFINITY,
  }
}

/** When a flag expires, Unix ms; Infinity means never. After the retention period no stored result is left to hide. */
function endOf({ suppression, isReceived, hasBounced, hasComplained, hidesUntil }: SuppressionFlags): number {
  if (isReceived || hasBounced || hasComplained) return Number.POSITIVE_INFINITY
  const suppressedUntil = suppression ? (suppression.expiresAt ?? Number.POSITIVE_INFINITY) : 0
  return Math.max(suppressedUntil, hidesUntil > 0 ? hidesUntil + RETENTION_DAYS * DAY_MS : 0)
}

function parseState(text: string | null): ListState {
  if (text === null) return "none"
  return text.startsWith("?") ? (text as `?${string}`) : "some"
}

function isFilling(state: ListState): state is `?${string}` {
  return state.startsWith("?")
}

/** List name in the entries about all lists. */
const ALL = ""
const keyOf = (list: string, hash: string) => `s:${list}:${hash}`
const listKey = (list: string) => `l:${list}`
