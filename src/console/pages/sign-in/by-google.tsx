import { call } from "../../api/call.ts"
import { useAction, useLoad } from "../../api/load.ts"
import type { GoogleConfig, Health } from "../../api/shapes.ts"
import { ProblemNotice } from "../../parts/notice.tsx"
import { beginGoogleSignIn } from "./google-sign-in.ts"

/** A button where the service has a Google client. @param back the page to open after the sign-in */
export function ByGoogle({ back }: { back: string }) {
  const health = useLoad("health", (signal) => call<Health>("/health", { signal }))
  const { busy, problem, run } = useAction(async () => {
    const config = await call<GoogleConfig>("/auth/google/config")
    if (!config.ok) return config.problem
    beginGoogleSignIn(config.body, back)
    return null
  })
  if (health.state !== "ready" || !health.value.google_sign_in) return null
  return (
    <section class="panel" aria-label="With Google">
      <div class="row">
        <button type="button" class="button" aria-disabled={busy} onClick={() => !busy && void run()}>
          Sign in with Google
        </button>
        <span class="soft small">For Gmail and Google Workspace mailboxes.</span>
      </div>
      <ProblemNotice problem={problem} />
    </section>
  )
}
