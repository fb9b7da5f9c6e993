import type { ComponentChildren } from "preact"
import type { Finding } from "../../api/shapes.ts"
import { Badge, type Tone } from "../../parts/badge.tsx"
import { asSentence, plain } from "../../words.ts"

const TONES: Readonly<Record<Finding["result"], Tone>> = {
  ok: "valid",
  warn: "accept_all",
  fail: "invalid",
  unknown: "unknown",
}

const WORDS: Readonly<Record<Finding["result"], string>> = {
  ok: "Passed",
  warn: "Warning",
  fail: "Failed",
  unknown: "No result",
}

/** Names of the checks whose plain word says little. */
const CHECK_NAMES: Readonly<Record<string, string>> = {
  dkim: "DKIM keys",
  egress: "Outgoing port 25",
  helo: "Host name (HELO)",
  mx: "MX record",
  ptr: "Reverse name (PTR)",
  sender: "Sender address",
  spf: "SPF record",
}

export function FindingBadge({ result }: Pick<Finding, "result">) {
  return <Badge tone={TONES[result]}>{WORDS[result]}</Badge>
}

interface FindingsProps {
  readonly of: readonly Finding[]
  /** What stands below a finding. */
  readonly below?: (finding: Finding) => ComponentChildren
}

/** The results of checks, each with its name. */
export function Findings({ of: findings, below }: FindingsProps) {
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <li key={`${finding.check} ${finding.subject}`}>
          <FindingBadge result={finding.result} />
          <div class="break">
            <b>{CHECK_NAMES[finding.check] ?? plain(finding.check)}</b>
            {finding.subject && <span class="soft"> {finding.subject}</span>}
            <p>{asSentence(finding.detail)}</p>
            {below?.(finding)}
          </div>
        </li>
      ))}
    </ul>
  )
}
