import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { type Load, useLoad } from "../../api/load.ts"
import type { FoundEmail } from "../../api/shapes.ts"
import type { Person } from "./person.ts"

const LONGEST_KEY = 255

/** What repeats the same search. */
export interface Repeats {
  /** Number of the search. A new one asks the mail server again, and can cost credits again. */
  readonly search: number
  /** Retries after a failure. They are charged once. */
  readonly retry: number
}

const NONE: Repeats = { search: 0, retry: 0 }

/** The repeats of what the URL requests. Another person begins anew. */
export function useRepeats(requested: string): readonly [Repeats, (repeats: Repeats) => void] {
  const [state, setState] = useState({ requested, repeats: NONE })
  const repeats = state.requested === requested ? state.repeats : NONE
  return [repeats, (next) => setState({ requested, repeats: next })]
}

const LABELS = { first_name: "Name", last_name: "Name" }

/** Searches for a person. A reload and Back get the first answer of the day again, without a charge. */
export function useFind(search: (Person & { domain: string }) | null, repeats: Repeats): Load<FoundEmail | null> {
  return useLoad<FoundEmail | null>(JSON.stringify([repeats, search]), async (signal) => {
    if (!search) return { ok: true, body: null }
    const json = { first_name: search.first, last_name: search.last, domain: search.domain }
    const key = `console-find ${new Date().toISOString().slice(0, 10)} ${repeats.search} ${Object.values(json).join(" ")}`
    const idempotencyKey = encodeURIComponent(key)
    // A longer name is searched without a key: it is charged again after a reload.
    const once = idempotencyKey.length <= LONGEST_KEY ? { idempotencyKey } : {}
    return call<FoundEmail>("/find-email", { method: "POST", json, labels: LABELS, signal, ...once })
  })
}
