import type { SmtpStatus } from "../../../../schema/vocabulary.ts"
import type { TranscriptLine } from "../../api/shapes.ts"
import { Panel } from "../../parts/page.tsx"

interface TranscriptProps {
  readonly lines: readonly TranscriptLine[]
  readonly smtpStatus: SmtpStatus
}

/** The conversation with the mail server, line by line. */
export function Transcript({ lines, smtpStatus }: TranscriptProps) {
  return (
    <Panel
      title="SMTP conversation"
      note={lines.length > 0 ? "The random recipient and other people's addresses are masked" : ""}
    >
      {lines.length === 0 ? (
        <p class="soft">
          {smtpStatus === "skipped" ? "The mail server was not asked." : "The mail server never got as far as a word."}
        </p>
      ) : (
        <ol class="transcript">
          {lines.map((line, i) => (
            // The lines of one conversation never move.
            <li key={i} class={line.from}>
              <span class="who">{line.from === "client" ? "we" : "server"}</span>
              <code class="break">{line.text}</code>
              <span class="ms">{line.ms === null ? "" : `${Math.round(line.ms)} ms`}</span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
