import { type Answer, type Caller, type CallOptions, type Input, pages } from "../caller.ts"

export type SuppressionEntry = Answer<"listSuppressions">["suppressions"][number]
export type SuppressionOptions = Partial<Omit<Input<"addSuppression">, "email" | "domain">>
export type SuppressionFilter = Omit<Input<"listSuppressions">, "limit" | "cursor">
export type ImportOptions = Omit<Input<"importSuppressions">, "file">

/** The account's suppression list. A suppressed address has `can_send: false` in each answer. No call costs credits. */
export function createSuppress(caller: Caller) {
  const add = (
    entry: (SuppressionOptions & { email: string }) | (SuppressionOptions & { domain: string }),
    call?: CallOptions,
  ) => caller.call("addSuppression", { reason: "manual", ...entry }, call)
  return {
    /**
     * Suppresses an address. Adding it again never weakens its entry.
     * @param options `reason` is `manual` by default; `expires_in_days`, otherwise permanent
     * @throws MailverdictError 400 for a string that is no address
     */
    add: (email: string, options?: SuppressionOptions, call?: CallOptions) => add({ ...options, email }, call),
    /** Suppresses every address of a domain, without its subdomains. @throws MailverdictError 400 for an invalid domain */
    addDomain: (domain: string, options?: SuppressionOptions, call?: CallOptions) => add({ ...options, domain }, call),
    /** Yields the entries, newest first. @param filter `search` takes a whole address, or `@` and a domain */
    async *list(filter?: SuppressionFilter, call?: CallOptions) {
      const read = pages((place) => caller.call("listSuppressions", { ...filter, ...place }, call))
      for await (const { suppressions } of read) yield* suppressions
    },
    /** Removes an address. `still_suppressed` says whether another entry covers it. @throws MailverdictError 404 */
    remove: (email: string, call?: CallOptions) => caller.call("removeSuppression", { email }, call),
    /** Removes the entry of a whole domain. @throws MailverdictError 404 for a domain without an entry */
    removeDomain: (domain: string, call?: CallOptions) => caller.call("removeSuppressedDomain", { domain }, call),
    /**
     * Adds the rows of a CSV of this or another service. `rejected` names bad rows, `unknown_reasons` words without a known
     * meaning.
     * @param options the reason of rows without a known one, and the source of rows without one
     * @throws MailverdictError 413 for a file that is too large, 422 for one that is unreadable
     */
    import: (file: Blob | string, options?: ImportOptions, call?: CallOptions) =>
      caller.call("importSuppressions", { ...options, file }, call),
    /** Yields the whole list as the text of a CSV, which `import` reads. @throws ConnectionError when it is cut off */
    export: (call?: CallOptions) => caller.stream("exportSuppressions", {}, call),
  }
}

export type Suppress = ReturnType<typeof createSuppress>
