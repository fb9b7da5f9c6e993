import type { Erasure } from "../../api/shapes.ts"
import { Notice } from "../../parts/notice.tsx"
import { count } from "../../words.ts"
import { kindOf } from "./kinds.ts"

/** What an erasure removed. */
export function Erased({ subject, erasure: { complete, tables } }: { subject: string; erasure: Erasure }) {
  const changed = tables.filter(({ removed, blanked }) => removed + blanked > 0)
  if (!complete)
    return (
      <Notice tone="accept_all" title="Not complete yet">
        <p>There is too much for now. Erase it again to continue.</p>
      </Notice>
    )
  return (
    <Notice tone="valid" title={changed.length === 0 ? "Nothing was stored" : "Erased"}>
      <p class="break">
        {changed.length === 0
          ? `Your account stores nothing about ${subject}.`
          : `Your account stores nothing about ${subject} any more:`}
      </p>
      {changed.length > 0 && (
        <ul class="bullets small">
          {changed.map(({ table, removed, blanked }) => (
            <li key={table}>
              {kindOf(table)}:{" "}
              {[
                removed > 0 && `${count(removed)} deleted`,
                blanked > 0 && `${count(blanked)} without personal data now`,
              ]
                .filter(Boolean)
                .join(", ")}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}
