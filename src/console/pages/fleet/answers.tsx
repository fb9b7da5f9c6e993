import { useGet } from "../../api/call.ts"
import type { FleetAnswers } from "../../api/shapes.ts"
import { type Layer, StackedBars } from "../../parts/bars.tsx"
import { Select } from "../../parts/field.tsx"
import { LoadedPanel } from "../../parts/page.tsx"
import { Empty } from "../../parts/text.tsx"
import { useChoice, useDays } from "../../route.ts"
import { days, operatorName, shortDay } from "../../words.ts"

type AnswersOfDay = FleetAnswers["answers"][number]

const CLASSES = ["accepted", "refused", "deferred", "blocked"] as const
const LAYERS: readonly Layer[] = [
  { name: "Accepted", color: "valid" },
  { name: "Refused", color: "accent" },
  { name: "Deferred", color: "accept-all" },
  { name: "Blocked", color: "invalid" },
]
/** More bars leave no space for their names. */
const MAX_BARS = 8
const OTHER = "other"

/** How mail operators answered the probes of all nodes: side by side, or one of them by day. */
export function Answers() {
  const [operator, setOperator] = useChoice("operator")
  const span = useDays(["7", "30"], "7")
  const load = useGet<FleetAnswers>(`/fleet/answers?days=${span.value}`, { asOperator: true, keepPrevious: true })
  return (
    <LoadedPanel title="Answers by receiving operator" note="days are in UTC" of={load}>
      {(found) => {
        const operators = byOperator(found.answers)
        const isKnown = operators.some(({ name }) => name === operator)
        return (
          <>
            <div class="row end">
              <Select label="Show" {...span} />
              <Select
                label="Operator"
                value={isKnown ? operator : ""}
                options={[["", "All, side by side"], ...operators.map(({ name }) => [name, nameOf(name)] as const)]}
                onValue={setOperator}
              />
            </div>
            {operators.length === 0 ? (
              <Empty
                title="No answers yet"
                text="Answers of mail servers appear here as soon as addresses are verified."
              />
            ) : (
              <StackedBars
                key={operator}
                label={`Answers ${isKnown ? `of ${nameOf(operator)} by day` : "by receiving operator"}, last ${days(Number(span.value))}`}
                nameTitle={isKnown ? "Day" : "Operator"}
                layers={LAYERS}
                hasEachName={!isKnown}
                bars={isKnown ? byDay(found, operator) : largest(operators)}
              />
            )}
            <p class="soft small">
              Refused: no such mailbox. Deferred: try again later. Blocked: the operator refused the source address.
              Failed connections are not counted.
            </p>
          </>
        )
      }}
    </LoadedPanel>
  )
}

interface Bar {
  readonly name: string
  readonly amounts: readonly number[]
}

const nameOf = (operator: string): string => (operator === OTHER ? "Others" : operatorName(operator))
const amountsOf = (rows: readonly AnswersOfDay[]) =>
  CLASSES.map((name) => rows.reduce((sum, row) => sum + row[name], 0))
const totalOf = ({ amounts }: Bar): number => amounts.reduce((sum, amount) => sum + amount, 0)

/** Operators by answers, those with the most first and the unknown ones last. */
function byOperator(answers: readonly AnswersOfDay[]): readonly Bar[] {
  const names = [...new Set(answers.map(({ operator }) => operator))]
  return names
    .map((name) => ({ name, amounts: amountsOf(answers.filter(({ operator }) => operator === name)) }))
    .toSorted((a, b) => Number(a.name === OTHER) - Number(b.name === OTHER) || totalOf(b) - totalOf(a))
}

function largest(operators: readonly Bar[]): readonly Bar[] {
  const named = operators.filter(({ name }) => name !== OTHER).slice(0, MAX_BARS - 1)
  const rest = operators.filter((one) => !named.includes(one))
  const shown = named.map(({ name, amounts }) => ({ name: nameOf(name), amounts }))
  if (rest.length === 0) return shown
  return [
    ...shown,
    { name: nameOf(OTHER), amounts: CLASSES.map((_, n) => rest.reduce((sum, one) => sum + one.amounts[n]!, 0)) },
  ]
}

const DAY_MS = 86_400_000

/** Each day of the span, also those without answers. */
function byDay({ from, to, answers }: FleetAnswers, operator: string): readonly Bar[] {
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return Array.from({ length }, (_, n) => {
    const date = new Date(Date.parse(from) + n * DAY_MS).toISOString().slice(0, 10)
    const rows = answers.filter((row) => row.date === date && row.operator === operator)
    return { name: shortDay(date), amounts: amountsOf(rows) }
  })
}
