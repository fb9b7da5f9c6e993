/** The lease of running work. Two renewals may fail. After a crash, the work waits at most this long. */
export const RUN_LEASE = { ms: 15_000, renewEveryMs: 5_000 } as const

/** The lease of a running chunk: at most as long as that of a queued one. */
export function runLeaseWithin(maxMs: number): { readonly ms: number; readonly renewEveryMs: number } {
  const { ms, renewEveryMs } = RUN_LEASE
  return ms <= maxMs ? RUN_LEASE : { ms: maxMs, renewEveryMs: (maxMs * renewEveryMs) / ms }
}
