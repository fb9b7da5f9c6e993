import { useEffect, useState } from "preact/hooks"
import { Skeleton } from "../../parts/notice.tsx"

/** Progress of a verification. After a few seconds it explains the delay. */
export function Verifying({ email }: { email: string }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  const domain = email.slice(email.lastIndexOf("@") + 1)
  return (
    <section class="panel" aria-busy="true">
      <p class="soft">
        Probing <span class="break">{domain}</span>
        {seconds > 2 && `, ${seconds} s so far. Some mail servers respond slowly on purpose. The limit is 30 s.`}
      </p>
      <Skeleton lines={5} label="Verifying" />
    </section>
  )
}
