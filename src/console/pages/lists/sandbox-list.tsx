import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Health } from "../../api/shapes.ts"
import { SANDBOX_EXAMPLES } from "../verify/sandbox-examples.ts"

interface SandboxListProps {
  readonly busy: boolean
  readonly onFile: (file: File) => void
}

/** Offers a small list to try, where the sandbox addresses work. */
export function SandboxList({ busy, onFile }: SandboxListProps) {
  const health = useLoad("health", (signal) => call<Health>("/health", { signal }))
  if (health.state !== "ready" || !health.value.sandbox) return null
  function choose() {
    // A deferred address is tried again for minutes, and a first list should end soon.
    const examples = SANDBOX_EXAMPLES.filter(([, status]) => status !== "unknown")
    const lines = examples.map(([email], n) => `Person ${n + 1},${email}`)
    onFile(new File([["Name,Email", ...lines, ""].join("\r\n")], "sandbox.csv", { type: "text/csv" }))
  }
  return (
    <div>
      <button type="button" class="button quiet" aria-disabled={busy} onClick={() => !busy && choose()}>
        Try a list of sandbox addresses
      </button>
    </div>
  )
}
