import { Badge, type Tone } from "../../parts/badge.tsx"
import { Copy } from "../../parts/buttons.tsx"
import { Panel } from "../../parts/page.tsx"
import type { Advice, Level } from "./advice.ts"
import type { Publication } from "./records.ts"

const LEVELS: Readonly<Record<Level, readonly [Tone, string]>> = {
  fix: ["invalid", "Fix"],
  improve: ["accept_all", "Improve"],
  optional: ["unknown", "Optional"],
}

/** What to fix, the most important first. */
export function Fixes({ advice }: { advice: readonly Advice[] }) {
  if (advice.length === 0) return null
  const areOptional = advice.every(({ level }) => level === "optional")
  return (
    <Panel
      title={areOptional ? "Optional improvements" : "What to fix"}
      note={advice.length > 1 ? "the most important first" : ""}
    >
      <ol class={areOptional ? "fixes plain" : "fixes"}>
        {advice.map(({ code, level, sentence, records }) => (
          <li key={code}>
            {!areOptional && <Badge tone={LEVELS[level][0]}>{LEVELS[level][1]}</Badge>}
            <div class="stack">
              <p>{sentence}</p>
              {records.map((record) => (
                <PublicationBox key={record.place} record={record} />
              ))}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function PublicationBox({ record: { place, text } }: { record: Publication }) {
  return (
    <div class="publication">
      <div class="publication-head">
        <span class="soft small break">{place}</span>
        <Copy text={text} />
      </div>
      <code class="publication-text">{text.trimEnd()}</code>
    </div>
  )
}
