import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { count } from "../words.ts"

const FIRST = 25

interface FirstRowsProps<Row> {
  readonly rows: readonly Row[]
  readonly children: (shown: readonly Row[]) => ComponentChildren
}

/** Shows the first rows of a long table, and all of them on request. */
export function FirstRows<Row>({ rows, children }: FirstRowsProps<Row>) {
  const [isWhole, setWhole] = useState(false)
  return (
    <>
      {children(isWhole ? rows : rows.slice(0, FIRST))}
      {rows.length > FIRST && (
        <div>
          <button type="button" class="button quiet" onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show the first ${FIRST}` : `Show all ${count(rows.length)}`}
          </button>
        </div>
      )}
    </>
  )
}
