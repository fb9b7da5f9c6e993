import type { NodeHealth } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Ago } from "../../parts/moment.tsx"
import { plain } from "../../words.ts"
import { REPAIRS } from "./repairs.ts"
import { FINDING_TONES } from "./states.ts"

/** The findings of a node's last self-check. The API reports only problems. */
export function Doctor({ of: { doctor } }: { of: NodeHealth }) {
  if (!doctor) return <p class="soft small">No self-check yet.</p>
  return (
    <div class="stack doctor">
      <p class="small">
        <Badge tone={doctor.fit ? "valid" : "invalid"}>{doctor.fit ? "Fit" : "Unfit"}</Badge>{" "}
        <span class="soft">
          self-check <Ago at={doctor.ran_at} />
          {doctor.findings.length === 0 && ", no problems found"}
        </span>
      </p>
      {doctor.findings.length > 0 && (
        <ul class="findings">
          {doctor.findings.map(({ check, subject, result, detail }) => (
            <li key={`${check} ${subject}`}>
              <Badge tone={FINDING_TONES[result]}>{plain(result)}</Badge>
              <div>
                <b>{plain(check)}</b>
                {subject && <span class="soft"> {subject}</span>}
                <p class="small">{detail}</p>
                {(result === "fail" || result === "warn") && REPAIRS[check] && (
                  <p class="small soft">What to do: {REPAIRS[check]}</p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
