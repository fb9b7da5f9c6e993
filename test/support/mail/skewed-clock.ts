/** Preloaded into a process: skews its wall clock by CLOCK_SKEW_MS. */
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0)
const now = Date.now.bind(Date)
Date.now = () => now() + skewMs
