import type { NodeHealth } from "../../api/shapes.ts"
import { Badge } from "../../parts/badge.tsx"
import { Panel } from "../../parts/page.tsx"
import { Ago } from "../../parts/text.tsx"
import { FindingItem } from "./finding-item.tsx"
import { REPAIRS } from "./repairs.ts"

const SEVERITIES = ["fail", "warn", "unknown"] as const

/** The findings of a node's last self-check by severity, each with its repair. The API reports only problems. */
export function Doctor({ of: { doctor } }: { of: Pick<NodeHealth, "doctor"> }) {
  if (!doctor)
    return (
      <Panel title="Self-check">
        <p class="soft">No self-check yet. The first one runs when the node starts.</p>
      </Panel>
    )
  const { fit, ran_at: ranAt, findings } = doctor
  return (
    <Panel title="Self-check" note="at its start and every hour; every 5 minutes while it is unfit">
      <p>
        <Badge tone={fit ? "valid" : "invalid"}>{fit ? "Fit" : "Unfit"}</Badge>{" "}
        <span class="soft">
          checked <Ago at={ranAt} />
          {findings.length === 0 && ", no problems found"}
        </span>
      </p>
      {findings.length > 0 && (
        <ul class="findings">
          {SEVERITIES.flatMap((severity) =>
            findings
              .filter(({ result }) => result === severity)
              .map((finding) => (
                <FindingItem key={`${finding.check} ${finding.subject}`} of={finding}>
                  {severity !== "unknown" && REPAIRS[finding.check] && (
                    <p class="soft">What to do: {REPAIRS[finding.check]}</p>
                  )}
                </FindingItem>
              )),
          )}
        </ul>
      )}
    </Panel>
  )
}
