import type { UsageDay } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { Panel } from "../../parts/page.tsx"
import { type Layer, StackedBars } from "../../parts/stacked-bars.tsx"
import { useChoice } from "../../route.ts"
import { days, SHOWN_STATUSES, STATUS_WORDS, shortDay } from "../../words.ts"

export const SPANS = ["7", "30", "90"] as const

const BY_RESULT: readonly Layer[] = SHOWN_STATUSES.map((status) => ({
  name: STATUS_WORDS[status],
  color: status.replaceAll("_", "-"),
}))
const BY_SOURCE: readonly Layer[] = [
  { name: "New results", color: "accent" },
  { name: "Cached results", color: "unknown" },
]

interface ByDayProps {
  readonly histogram: readonly UsageDay[]
  readonly span: string
  readonly onSpan: (span: string) => void
}

/** Verifications of each day, by result or by whether the result was new. */
export function ByDay({ histogram, span, onSpan }: ByDayProps) {
  const [split, setSplit] = useChoice("split")
  const isBySource = split === "source"
  return (
    <Panel title="By day" note="days are in UTC">
      <div class="row end">
        <Select
          label="Show"
          value={span}
          options={SPANS.map((one) => [one, days(Number(one))] as const)}
          onValue={onSpan}
        />
        <Select
          label="Split by"
          value={isBySource ? "source" : ""}
          options={[
            ["", "Result"],
            ["source", "New or cached"],
          ]}
          onValue={setSplit}
        />
      </div>
      <StackedBars
        key={split}
        label={`Verifications on each of the last ${days(histogram.length)}`}
        nameTitle="Day"
        layers={isBySource ? BY_SOURCE : BY_RESULT}
        bars={histogram.map((day) => ({
          name: shortDay(day.date),
          amounts: isBySource
            ? [day.verifications - day.cached, day.cached]
            : SHOWN_STATUSES.map((status) => day.by_status[status] ?? 0),
        }))}
      />
    </Panel>
  )
}
