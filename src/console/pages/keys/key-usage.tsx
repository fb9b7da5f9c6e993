import type { KeyUsage } from "../../api/shapes.ts"
import { Bars } from "../../parts/bars.tsx"
import { Empty } from "../../parts/notice.tsx"
import { Panel } from "../../parts/page.tsx"
import { count, days, shortDay } from "../../words.ts"
import { FormSnippet } from "./form-snippet.tsx"
import { isInUse, shortened } from "./key-words.ts"

export const SPANS = ["7", "30", "90"] as const
export type Span = (typeof SPANS)[number]

interface UsageOfKeyProps {
  readonly of: KeyUsage
  readonly span: Span
  readonly onSpan: (span: Span) => void
}

/** A chart of the key's verifications by day. */
export function UsageOfKey({ of: key, span, onSpan }: UsageOfKeyProps) {
  const { daily } = key
  const total = daily.reduce((sum, { verifications }) => sum + verifications, 0)
  const label = `Verifications on each of the last ${days(daily.length)}`
  return (
    <Panel
      title="Usage"
      note={
        <fieldset class="tabs">
          <legend class="unseen">Days shown</legend>
          {SPANS.map((option) => (
            <button type="button" key={option} aria-pressed={span === option} onClick={() => onSpan(option)}>
              {days(Number(option))}
            </button>
          ))}
        </fieldset>
      }
    >
      {total === 0 ? (
        <Empty title={emptyTitle(key)}>{isInUse(key) && <HowToUse of={key} />}</Empty>
      ) : (
        <>
          <p>
            {count(total)} {total === 1 ? "verification" : "verifications"} in {days(daily.length)}. Days are in UTC.
          </p>
          <Bars
            label={label}
            nameTitle="Day"
            valueTitle="Verifications"
            labelSpace={64}
            bars={daily.map(({ date, verifications }) => ({ name: shortDay(date), value: verifications }))}
          />
        </>
      )}
    </Panel>
  )
}

function HowToUse({ of: key }: { of: KeyUsage }) {
  if (key.kind === "publishable")
    return (
      <>
        <FormSnippet apiKey={shortened(key)} />
        <p>Put the whole key in place of {shortened(key)}. It was shown when it was created.</p>
      </>
    )
  return (
    <p>
      A program sends this key in the X-API-Key header. The <a href="/docs">API reference</a> has examples.
    </p>
  )
}

function emptyTitle(key: KeyUsage): string {
  if (key.last_used !== null) return `Nothing verified in ${days(key.daily.length)}`
  return isInUse(key) ? "Not used yet" : "Never used"
}
