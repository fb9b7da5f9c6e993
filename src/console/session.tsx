import { type ComponentChildren, createContext } from "preact"
import { useCallback, useContext, useEffect, useMemo, useState } from "preact/hooks"
import { call, type Problem } from "./api/call.ts"
import { credentials, keepApiKey, mayHaveSession, noteSession } from "./api/credentials.ts"
import type { Account } from "./api/shapes.ts"

export interface Session {
  /** Null: nobody; undefined: not known yet. */
  readonly account: Account | null | undefined
  /** Shows a key from now on. @returns what is wrong with it */
  readonly useKey: (apiKey: string) => Promise<Problem | null>
  /** Looks again who this is. */
  readonly refresh: () => Promise<Problem | null>
  readonly signOut: () => Promise<Problem | null>
}

const Context = createContext<Session | null>(null)

export function useSession(): Session {
  return useContext(Context)!
}

/** Shows nothing, and so need not ask. */
const isStranger = () => credentials().apiKey === null && !mayHaveSession()

export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [account, setAccount] = useState<Account | null | undefined>(isStranger() ? null : undefined)
  const refresh = useCallback(async () => {
    if (isStranger()) {
      setAccount(null)
      return null
    }
    const answer = await call<Account>("/auth/me")
    setAccount(answer.ok ? answer.body : null)
    if (!answer.ok && answer.problem.status === 401) noteSession(false)
    return answer.ok ? null : answer.problem
  }, [])
  const useKey = useCallback(
    async (apiKey: string) => {
      keepApiKey(apiKey)
      const problem = await refresh()
      if (problem) keepApiKey(null)
      return problem
    },
    [refresh],
  )
  const signOut = useCallback(async () => {
    if (credentials().apiKey !== null) keepApiKey(null)
    else {
      const answer = await call("/auth/logout", { method: "POST" })
      if (!answer.ok && answer.problem.status !== 401) return answer.problem
      noteSession(false)
    }
    await refresh()
    return null
  }, [refresh])
  useEffect(() => void refresh(), [refresh])
  const session = useMemo(() => ({ account, useKey, refresh, signOut }), [account, useKey, refresh, signOut])
  return <Context.Provider value={session}>{children}</Context.Provider>
}
