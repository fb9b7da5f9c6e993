/** Preloaded into a process: its wall clock is off by CLOCK_SKEW_MS from the start. */
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0)
const now = Date.now.bind(Date)
Date.now = () => now() + skewMs
