import { useEffect, useState } from "preact/hooks"
import { Skeleton } from "../../parts/notice.tsx"

/** Mail servers take their time: says so after a while. */
export function Asking({ email }: { email: string }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  const domain = email.slice(email.lastIndexOf("@") + 1)
  return (
    <section class="panel" aria-busy="true">
      <p class="soft">
        Asking about <span class="break">{domain}</span>
        {seconds > 2 && `, for ${seconds} s now. Some mail servers answer slowly on purpose; 30 s is the most we wait.`}
      </p>
      <Skeleton lines={5} label="Verifying" />
    </section>
  )
}
