import { useState } from "preact/hooks"
import type { Candidate, FoundEmail } from "../../api/shapes.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Panel } from "../../parts/page.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Address } from "../../parts/text.tsx"
import { verifyLink } from "../../route.ts"
import { likelihood, statusOf } from "./words.ts"

const SHOWN = 5

interface CandidatesProps {
  readonly title: string
  readonly candidates: readonly Candidate[]
  readonly isCatchAll: FoundEmail["is_catch_all"]
}

/** The candidates: first those that the mail server answered about, each part with the most likely first. */
export function Candidates({ title, candidates: given, isCatchAll }: CandidatesProps) {
  const [showsAll, setShowsAll] = useState(false)
  const candidates = given.toSorted((a, b) => Number(isUnprobed(a)) - Number(isUnprobed(b)))
  const shown = showsAll ? candidates : candidates.slice(0, SHOWN)
  return (
    <Panel title={title}>
      <Scroll label={title}>
        <table class="table">
          <thead>
            <tr>
              <th>Address</th>
              <th class="num">Confidence</th>
              <th>Mailbox</th>
              <th>Format</th>
              <th>
                <span class="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((candidate) => (
              <tr key={candidate.email}>
                <td class="mono break">
                  <Address email={candidate.email} />
                </td>
                <td class="num nowrap">{candidate.basis.exists === false ? "0%" : likelihood(candidate.confidence)}</td>
                <td>
                  {isUnprobed(candidate) ? (
                    <span class="soft nowrap">not probed</span>
                  ) : (
                    <StatusBadge status={statusOf(candidate, isCatchAll)} />
                  )}
                </td>
                <td class="mono soft">{candidate.format_type}</td>
                <td>
                  {candidate.basis.exists !== false && (
                    <div class="actions">
                      <a href={verifyLink(candidate.email)} aria-label={`Verify ${candidate.email}`}>
                        Verify
                      </a>
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {candidates.length > SHOWN && (
        <div>
          <button type="button" class="button quiet" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? "Show fewer" : `Show all ${candidates.length}`}
          </button>
        </div>
      )}
    </Panel>
  )
}

/** Whether neither the mail server nor a stored result says anything about the mailbox. */
const isUnprobed = ({ smtp_status: status, basis }: Candidate): boolean => status === "skipped" && basis.exists === null
