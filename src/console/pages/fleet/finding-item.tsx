import type { ComponentChildren } from "preact"
import type { Finding } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { asSentence, plain } from "../../words.ts"
import { CHECK_NAMES } from "./repairs.ts"
import { FINDING_TONES, FINDING_WORDS } from "./states.ts"

interface FindingItemProps {
  readonly of: Finding
  readonly children?: ComponentChildren
}

/** The result of one check, with its name, as an item of a list of the class `findings`. */
export function FindingItem({ of: { check, subject, result, detail }, children }: FindingItemProps) {
  return (
    <li>
      <Badge tone={FINDING_TONES[result]}>{FINDING_WORDS[result]}</Badge>
      <div class="break">
        <b>{CHECK_NAMES[check] ?? plain(check)}</b>
        {subject && <span class="soft"> {subject}</span>}
        <p>{asSentence(detail)}</p>
        {children}
      </div>
    </li>
  )
}
