import { type ComponentChildren, createContext } from "preact"
import { useCallback, useContext, useEffect, useMemo, useState } from "preact/hooks"
import { call, type Problem, UNAUTHORIZED } from "./api/call.ts"
import type { Account } from "./api/shapes.ts"
import {
  credentials,
  dropRejected,
  isAnonymous,
  onSessionChange,
  recordSession,
  setAdminSecret,
  setApiKey,
  tabStorage,
} from "./api/storage.ts"

interface SessionState {
  /** Null: signed out. Undefined: not loaded yet. */
  readonly account: Account | null | undefined
  /** Why the account could not be loaded. */
  readonly problem: Problem | null
}

export interface Session extends SessionState {
  /** Signs in with a valid key. @returns the problem of an invalid key, which changes nothing, or null */
  readonly useKey: (apiKey: string) => Promise<Problem | null>
  readonly refresh: () => Promise<void>
  readonly signOut: () => Promise<Problem | null>
  /** Whether the admin secret is at hand: the pages of the operator are then shown, beside those of the account. */
  readonly isOperator: boolean
  /** Whether a reload ended the operator mode of this tab: the secret is not stored. */
  readonly wasOperator: boolean
  /** @returns the problem of an invalid secret, which changes nothing, or null */
  readonly becomeOperator: (adminSecret: string) => Promise<Problem | null>
  readonly leaveOperator: () => void
}

const Context = createContext<Session | null>(null)

export const useSession = (): Session => useContext(Context)!

/** A small answer that only the operator gets. */
const OPERATOR_PATH = "/admin/users?limit=1"

/** The mark of a tab in operator mode. */
const OPERATOR = "mailverdict.operator"

const SIGNED_OUT: SessionState = { account: null, problem: null }
const LOADING: SessionState = { account: undefined, problem: null }

export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [state, setState] = useState(isAnonymous() ? SIGNED_OUT : LOADING)
  const refresh = useCallback(async () => {
    // Drop rejected credentials and try the remaining ones.
    while (!isAnonymous()) {
      const { apiKey } = credentials()
      const answer = await call<Account>("/auth/me")
      if (answer.ok) return setState({ account: answer.body, problem: null })
      const { problem } = answer
      // Without a response the account stays as it was.
      if (problem.status !== 401) return setState(({ account }) => ({ account: account ?? undefined, problem }))
      dropRejected(apiKey)
    }
    setState(SIGNED_OUT)
  }, [])
  const useKey = useCallback(async (apiKey: string) => {
    const answer = await call<Account>("/auth/me", { apiKey })
    if (!answer.ok) return answer.problem
    setApiKey(apiKey)
    setState({ account: answer.body, problem: null })
    return null
  }, [])
  const [isOperator, setOperator] = useState(false)
  const becomeOperator = useCallback(async (adminSecret: string) => {
    const answer = await call(OPERATOR_PATH, { adminSecret })
    if (!answer.ok)
      return answer.problem.status === 401 || answer.problem.status === 403
        ? { ...answer.problem, message: "This is not the admin secret of this service." }
        : answer.problem
    setAdminSecret(adminSecret)
    tabStorage.setItem(OPERATOR, "1")
    setOperator(true)
    return null
  }, [])
  const leaveOperator = useCallback(() => {
    setAdminSecret(null)
    tabStorage.removeItem(OPERATOR)
    setOperator(false)
  }, [])
  const signOut = useCallback(async () => {
    if (credentials().apiKey !== null) setApiKey(null)
    else {
      const answer = await call("/auth/logout", { method: "POST" })
      if (!answer.ok && answer.problem.status !== 401) return answer.problem
      recordSession(false)
    }
    await refresh()
    return null
  }, [refresh])
  useEffect(() => {
    void refresh()
    let isRefreshing = false
    // A page sends several requests at once, and all of them can return 401.
    async function refreshOnce() {
      if (isRefreshing) return
      isRefreshing = true
      await refresh()
      isRefreshing = false
    }
    addEventListener(UNAUTHORIZED, refreshOnce)
    const stopListening = onSessionChange(() => void refresh())
    return () => {
      removeEventListener(UNAUTHORIZED, refreshOnce)
      stopListening()
    }
  }, [refresh])
  const wasOperator = !isOperator && tabStorage.getItem(OPERATOR) !== null
  const session = useMemo(
    () => ({ ...state, isOperator, wasOperator, useKey, refresh, signOut, becomeOperator, leaveOperator }),
    [state, isOperator, wasOperator, useKey, refresh, signOut, becomeOperator, leaveOperator],
  )
  return <Context.Provider value={session}>{children}</Context.Provider>
}
