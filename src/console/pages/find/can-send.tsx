import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { CachedVerdict } from "../../api/shapes.ts"
import { ago } from "../../words.ts"

/** Whether mail may be sent to a found address, by a cached verification. A search alone does not decide it. */
export function CanSend({ email }: { email: string }) {
  const load = useLoad(`can send ${email}`, (signal) =>
    call<CachedVerdict>(`/validate/fast?email=${encodeURIComponent(email)}`, { signal }),
  )
  if (load.state === "loading") return null
  if (load.state === "failed") return <p class="soft">Can send: verify it to know, for 1 credit.</p>
  const { can_send: canSend, verified_at: at } = load.value.checks
  return (
    <p>
      Can send: <b>{canSend ? "yes" : "no"}</b> <span class="soft">(verified {ago(at)})</span>
    </p>
  )
}
