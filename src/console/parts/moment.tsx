import { ago, moment } from "../words.ts"

/** A relative time with the exact time as its tooltip. @param at ISO 8601, or Unix milliseconds */
export function Ago({ at }: { at: string | number | null }) {
  if (at === null) return <span class="soft">never</span>
  return (
    <time dateTime={new Date(at).toISOString()} title={moment(at)}>
      {ago(at)}
    </time>
  )
}
