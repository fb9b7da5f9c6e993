import { ago, moment } from "../words.ts"

/** How long ago, with the moment itself on pointing at it. @param at ISO 8601, or Unix milliseconds */
export function Ago({ at }: { at: string | number | null }) {
  if (at === null) return <span class="soft">never</span>
  return (
    <time dateTime={new Date(at).toISOString()} title={moment(at)}>
      {ago(at)}
    </time>
  )
}
