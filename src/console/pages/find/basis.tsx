import type { Candidate, FoundEmail } from "../../api/shapes.ts"
import { CheckRows } from "../../parts/check-rows.tsx"
import { Panel } from "../../parts/page.tsx"
import type { CheckRow } from "../../parts/rating.ts"
import { addresses, count, percent } from "../../words.ts"

/** What the confidence of the best address depends on. */
export function BasisPanel({ found, best }: { found: FoundEmail; best: Candidate }) {
  return (
    <Panel title="Why this confidence">
      <div class="long-words">
        <CheckRows rows={rowsOf(found, best)} />
      </div>
    </Panel>
  )
}

function rowsOf(
  { samples, is_catch_all: isCatchAll }: FoundEmail,
  { basis, format_type: format }: Candidate,
): CheckRow[] {
  const share = percent(basis.format_share, basis.format_share < 0.01 ? 1 : 0)
  const source = samples > 0 ? `learned from ${addresses(samples)}` : "common among companies; no address was known"
  return [
    mailbox(basis),
    ["Accept-all", isCatchAll === null ? "unknown" : isCatchAll ? "yes" : "no", isCatchAll ? "warn" : "plain"],
    ["Format", `${format}: about ${share} of the domain's addresses (${source})`, samples > 0 ? "good" : "plain"],
    ["Company size", `about ${count(basis.company_size)} people (estimate)`, "plain"],
    namesakes(basis),
    ...gravatar(basis),
  ]
}

type Basis = Candidate["basis"]

function mailbox({ exists }: Basis): CheckRow {
  if (exists === null) return ["Mailbox", "could not be confirmed", "plain"]
  return exists ? ["Mailbox", "exists", "good"] : ["Mailbox", "does not exist", "bad"]
}

/** Colleagues whose names give the same address. */
function namesakes({ expected_namesakes: expected }: Basis): CheckRow {
  if (expected < 0.05) return ["Namesakes", "hardly any colleague would have this address", "good"]
  const rounded = expected < 10 ? Math.round(expected * 10) / 10 : Math.round(expected)
  const colleagues = rounded === 1 ? "1 colleague" : `${count(rounded)} colleagues`
  return ["Namesakes", `about ${colleagues} would have this address`, expected < 0.5 ? "plain" : "warn"]
}

function gravatar({ has_gravatar: hasGravatar }: Basis): CheckRow[] {
  if (hasGravatar === null) return []
  return [hasGravatar ? ["Gravatar", "yes", "good"] : ["Gravatar", "none", "plain"]]
}
