import type { Candidate, FoundEmail } from "../../api/shapes.ts"
import { CheckRows } from "../../parts/check-rows.tsx"
import { Panel } from "../../parts/page.tsx"
import type { CheckRow } from "../../parts/rating.ts"
import { addresses, count, counted, percent } from "../../words.ts"

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
  // A search can teach a format, so that the table below already counts the address that was found.
  const source =
    samples > 0
      ? `learned from ${addresses(samples)} before this search`
      : "common among companies; no address was known before this search"
  return [
    mailbox(basis),
    ["Accept-all", isCatchAll === null ? "unknown" : isCatchAll ? "yes" : "no", isCatchAll ? "warn" : "plain"],
    ["Format", `${format}: ${share} of the domain's addresses (${source})`, samples > 0 ? "good" : "plain"],
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
  if (expected < 0.5) return ["Namesakes", "a colleague may have the same address by name", "plain"]
  return ["Namesakes", `about ${counted(Math.round(expected), "colleague")} would have this address`, "warn"]
}

function gravatar({ has_gravatar: hasGravatar }: Basis): CheckRow[] {
  if (hasGravatar === null) return []
  return [hasGravatar ? ["Gravatar", "yes", "good"] : ["Gravatar", "none", "plain"]]
}
