import { type ComponentChildren, createContext } from "preact"
import { useCallback, useContext, useEffect, useMemo, useState } from "preact/hooks"
import { call, type Problem, REFUSED } from "./api/call.ts"
import { credentials, forgetRefused, isStranger, keepApiKey, noteSession, onSessionNote } from "./api/credentials.ts"
import type { Account } from "./api/shapes.ts"

interface Known {
  /** Null: nobody; undefined: not known yet. */
  readonly account: Account | null | undefined
  /** Why it is not known. */
  readonly problem: Problem | null
}

export interface Session extends Known {
  /** Shows a key from now on, when it is good. @returns what is wrong with it; then all is as it was */
  readonly useKey: (apiKey: string) => Promise<Problem | null>
  /** Looks again who this is. */
  readonly refresh: () => Promise<void>
  readonly signOut: () => Promise<Problem | null>
}

const Context = createContext<Session | null>(null)

export function useSession(): Session {
  return useContext(Context)!
}

const NOBODY: Known = { account: null, problem: null }
const NOT_KNOWN: Known = { account: undefined, problem: null }

export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [known, setKnown] = useState(isStranger() ? NOBODY : NOT_KNOWN)
  const refresh = useCallback(async () => {
    // What is refused is forgotten, and there may be something else to show.
    while (!isStranger()) {
      const { apiKey } = credentials()
      const answer = await call<Account>("/auth/me")
      if (answer.ok) return setKnown({ account: answer.body, problem: null })
      const { problem } = answer
      // Who does not answer says nothing about who this is.
      if (problem.status !== 401) return setKnown(({ account }) => ({ account: account ?? undefined, problem }))
      forgetRefused(apiKey)
    }
    setKnown(NOBODY)
  }, [])
  const useKey = useCallback(async (apiKey: string) => {
    const answer = await call<Account>("/auth/me", { apiKey })
    if (!answer.ok) return answer.problem
    keepApiKey(apiKey)
    setKnown({ account: answer.body, problem: null })
    return null
  }, [])
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
  useEffect(() => {
    void refresh()
    let looking = false
    // A page asks for several things at once, and all of them are refused.
    async function lookOnce() {
      if (looking) return
      looking = true
      await refresh()
      looking = false
    }
    addEventListener(REFUSED, lookOnce)
    const leave = onSessionNote(() => void refresh())
    return () => {
      removeEventListener(REFUSED, lookOnce)
      leave()
    }
  }, [refresh])
  const session = useMemo(() => ({ ...known, useKey, refresh, signOut }), [known, useKey, refresh, signOut])
  return <Context.Provider value={session}>{children}</Context.Provider>
}
