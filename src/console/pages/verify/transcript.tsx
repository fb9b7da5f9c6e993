import type { TranscriptLine } from "../../api/shapes.ts"
import { Panel } from "../../parts/page.tsx"

interface TranscriptProps {
  readonly lines: readonly TranscriptLine[]
  /** The reason for a transcript without lines. */
  readonly emptyReason: string
}

/** The SMTP conversation line by line. */
export function Transcript({ lines, emptyReason }: TranscriptProps) {
  return (
    <Panel
      title="SMTP conversation"
      note={lines.length > 0 ? "The random recipient and other addresses are masked" : ""}
    >
      {lines.length === 0 ? (
        <p class="soft">{emptyReason}</p>
      ) : (
        <ol class="transcript">
          {lines.map((line, i) => (
            // The order of the lines never changes, so the index is a valid key.
            <li key={i} class={line.from}>
              <span class="speaker">{line.from}</span>
              <code class="break">{line.text}</code>
              <span class="ms">{line.ms === null ? "" : `${Math.round(line.ms)} ms`}</span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
