import type { TranscriptLine } from "../../api/shapes.ts"
import { Fold } from "../../parts/fold.tsx"
import { Panel } from "../../parts/page.tsx"
import { count } from "../../words.ts"

interface TranscriptProps {
  readonly lines: readonly TranscriptLine[]
  /** The reason for a transcript without lines. */
  readonly emptyReason: string
}

/** The SMTP conversation line by line. */
export function Transcript({ lines, emptyReason }: TranscriptProps) {
  if (lines.length === 0)
    return (
      <Panel title="SMTP conversation">
        <p class="soft">{emptyReason}</p>
      </Panel>
    )
  return (
    <Fold title="SMTP conversation" summary={`${count(lines.length)} lines, other addresses masked`}>
      <ol class="transcript">
        {lines.map((line, i) => (
          // The order of the lines never changes, so the index is a valid key.
          <li key={i} class={line.from}>
            <span class="speaker">{line.from}</span>
            <code class="break">{line.text}</code>
            <span class="ms">{line.ms === null ? "" : line.ms < 1 ? "<1 ms" : `${Math.round(line.ms)} ms`}</span>
          </li>
        ))}
      </ol>
    </Fold>
  )
}
