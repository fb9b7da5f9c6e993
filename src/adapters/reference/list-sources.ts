import { inTime } from "../../concurrency/deadlines.ts"
import { isTopLevelName, type ListText, MAX_LIST_BYTES, parseListText } from "../../domain/reference/public-lists.ts"
import type { ListSource } from "../../settings.ts"
import { readText } from "../external-calls.ts"
import type { Fetch } from "../outbound.ts"

export type FetchedList = Extract<ListText, { ok: true }> | { readonly ok: false; readonly problem: string }

export interface ListSources {
  readonly configured: readonly ListSource[]
  /** Fetches a whole list. Never rejects. */
  fetch(source: ListSource): Promise<FetchedList>
}

const TIMEOUT_MS = 20_000

export function createListSources(configured: readonly ListSource[], { fetch }: { fetch: Fetch }): ListSources {
  return {
    configured,

    async fetch({ url, class: list }) {
      try {
        return await inTime(TIMEOUT_MS, async (signal) => {
          const response = await fetch(url, { headers: { accept: "text/plain,*/*;q=0.1" }, signal })
          if (!response.ok) {
            await response.body?.cancel()
            return { ok: false, problem: `answered ${response.status}` }
          }
          const text = await readText(response, MAX_LIST_BYTES + 1)
          const read = list === "top_level" ? parseListText(text, isTopLevelName) : parseListText(text)
          return read.ok ? read : { ok: false, problem: PROBLEMS[read.reason] }
        })
      } catch {
        return { ok: false, problem: "did not answer in time" }
      }
    },
  }
}

const PROBLEMS = {
  too_large: "is larger than a list may be",
  too_many_names: "has more names than a list may have",
  not_a_list: "is not a list of domains",
} as const
