import { z } from "zod"
import { type ListText, MAX_LIST_BYTES, parseListText } from "../../domain/lists/list-text.ts"
import { AppError } from "../../errors.ts"
import { inTime } from "../in-time.ts"
import type { Fetch } from "../outbound.ts"
import { parseJson } from "../parse-json.ts"
import { readText } from "../read-text.ts"

/** A public list of domains, one a line. Two sources of one name have one voice together: lists that copy one another. */
export interface ListSource {
  readonly name: string
  readonly class: "disposable" | "free"
  readonly url: string
}

export type FetchedList = Extract<ListText, { ok: true }> | { readonly ok: false; readonly problem: string }

export interface ListSources {
  readonly isConfigured: boolean
  /** What LIST_SOURCES names. @throws AppError unavailable when it is not set or not what it should be */
  configured(): readonly ListSource[]
  /** Reads a list whole. Never rejects. */
  fetch(source: ListSource): Promise<FetchedList>
}

const Setting = z
  .array(
    z.object({
      name: z.string().min(1).max(64),
      class: z.enum(["disposable", "free"]),
      url: z.url({ protocol: /^https?$/ }),
    }),
  )
  .min(1)
  .max(20)

const TIMEOUT_MS = 20_000

/** @param setting LIST_SOURCES as it was given; null when it is not set */
export function createListSources(setting: string | null, { fetch }: { fetch: Fetch }): ListSources {
  return {
    isConfigured: setting !== null && setting !== "",

    configured() {
      if (!setting) throw new AppError("unavailable", "no list sources are configured; set LIST_SOURCES")
      const parsed = Setting.safeParse(parseJson(setting))
      if (parsed.success) return parsed.data
      throw new AppError(
        "unavailable",
        "LIST_SOURCES is not a JSON list of {name, class, url}, class disposable or free",
      )
    },

    async fetch({ url }) {
      try {
        return await inTime(TIMEOUT_MS, async (signal) => {
          const response = await fetch(url, { headers: { accept: "text/plain,*/*;q=0.1" }, signal })
          if (!response.ok) {
            await response.body?.cancel()
            return { ok: false, problem: `answered ${response.status}` }
          }
          const list = parseListText(await readText(response, MAX_LIST_BYTES + 1))
          return list.ok ? list : { ok: false, problem: PROBLEMS[list.reason] }
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
