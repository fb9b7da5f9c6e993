import type { Mark } from "../../domain/suppression/mark.ts"
import type { KvReader, WritableKv } from "./kv-reader.ts"
import { Memo } from "./memo.ts"

/**
 * What accounts and the operator know about addresses, as the edge reads it; no entry is nothing known. A list that has
 * ever had an entry says so once, so that nobody looks through lists that are empty. The database is the truth: every
 * change of it is written here too, and elsewhere this lags behind by at most a minute.
 */
export interface MarkCache {
  /**
   * @param lists account ids, or the operator's @param hashes of one address under every pepper
   * @returns null when a list is being filled: only the database knows
   */
  get(lists: readonly string[], hashes: readonly string[]): Promise<(Mark | null)[] | null>
  /** Null takes the entry away. */
  put(list: string, hash: string, mark: Mark | null): Promise<void>
  /** Notes up to which hash the edge has a list's entries; null: it has all of them. */
  setFilled(list: string, upTo: string | null): Promise<void>
  /** @returns the hash up to which a list is filled; null when it is not being filled, or when this isolate just went on with it */
  takeUpFilling(list: string): Promise<string | null>
  /** Says that a list has entries, where the edge knows nothing of it: it is being filled from then on. */
  announce(list: string): Promise<void>
  /** Whether every list with entries is known; false in a namespace that is new or was emptied. */
  knowsAll(): Promise<boolean>
  setKnowsAll(): Promise<void>
}

/** Written as: u, until when it is suppressed in Unix ms (0 for good); r, its mail has been received. */
interface Kept {
  readonly u?: number
  readonly r?: 1
}

const MIN_EXPIRATION_SECONDS = 60
const MEMO = { capacity: 10_000, ttlMs: 10_000 } as const
/** Longer than work behind a call may take. */
const FILLING_MS = 60_000

/** Whether a list has entries; while it is filled, as "?" and the hash it has come to. */
type ListState = "none" | "some" | `?${string}`

/** Plain values outlive a request without harm; one memory for each isolate. Nothing known is remembered too. */
const memo = new Memo<Mark | null>(MEMO)
const listMemo = new Memo<ListState>(MEMO)
const fillers = new Memo<true>({ capacity: 1_000, ttlMs: FILLING_MS })

export function createMarkCache(kv: WritableKv, reader: KvReader, now: () => number): MarkCache {
  async function read<T>(key: string, kept: Memo<T>, parse: (text: string | null) => T): Promise<T> {
    const before = kept.get(key, now())
    if (before !== undefined) return before
    const entry = await reader.get(key)
    // What was written meanwhile is newer than what was read.
    const known = kept.get(key, now())
    if (known !== undefined) return known
    const value = parse(entry?.value ?? null)
    kept.set(key, value, now())
    return value
  }
  const stateOf = (list: string) => read(listKey(list), listMemo, parseState)
  const setState = async (list: string, state: Exclude<ListState, "none">) => {
    listMemo.set(listKey(list), state, now())
    await kv.put(listKey(list), state === "some" ? "1" : state)
  }

  return {
    async get(lists, hashes) {
      const perList = lists.map(async (list) => {
        const before = listMemo.get(listKey(list), now())
        if (before === "none") return []
        // Both in one operation: whether it is worth looking is known for the next time.
        const [marks, state] = await Promise.all([
          Promise.all(hashes.map((hash) => read(keyOf(list, hash), memo, parse))),
          stateOf(list),
        ])
        return isFilling(state) ? null : marks
      })
      const all = await Promise.all(perList)
      return all.some((marks) => marks === null) ? null : all.flatMap((marks) => marks ?? [])
    },

    async put(list, hash, mark) {
      const key = keyOf(list, hash)
      memo.set(key, mark, now())
      if (!mark) return kv.delete(key)
      // The first of many written at once says it for all: KV takes one write of a key in a second.
      const state = await stateOf(list)
      if ((listMemo.get(listKey(list), now()) ?? state) === "none") await setState(list, "some")
      const until = mark.suppression?.expiresAt ?? null
      const kept: Kept = { ...(mark.suppression ? { u: until ?? 0 } : {}), ...(mark.isReceived ? { r: 1 } : {}) }
      const lasts = until === null || mark.isReceived
      const seconds = lasts ? 0 : Math.max(MIN_EXPIRATION_SECONDS, Math.ceil((until - now()) / 1000))
      await kv.put(key, JSON.stringify(kept), ...(lasts ? [] : [{ expirationTtl: seconds }]))
    },

    setFilled: (list, upTo) => setState(list, upTo === null ? "some" : `?${upTo}`),

    async takeUpFilling(list) {
      const state = await stateOf(list)
      if (!isFilling(state) || fillers.get(list, now())) return null
      fillers.set(list, true, now())
      return state.slice(1)
    },

    async announce(list) {
      if ((await stateOf(list)) === "none") await setState(list, "?")
    },

    knowsAll: async () => (await stateOf(ALL)) === "some",
    setKnowsAll: () => setState(ALL, "some"),
  }
}

function parse(text: string | null): Mark | null {
  if (text === null) return null
  const { u, r } = JSON.parse(text) as Kept
  return { suppression: u === undefined ? null : { expiresAt: u || null }, isReceived: r === 1 }
}

function parseState(text: string | null): ListState {
  if (text === null) return "none"
  return text.startsWith("?") ? (text as `?${string}`) : "some"
}

function isFilling(state: ListState): state is `?${string}` {
  return state.startsWith("?")
}

/** In the place of a list: all of them. */
const ALL = ""
const keyOf = (list: string, hash: string) => `s:${list}:${hash}`
const listKey = (list: string) => `l:${list}`
