/** Preloaded into the children of the local stack: when their starter is gone, however it went, they stop as if told to. */
process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"))
process.stdin.resume()
// Watching must not be what keeps a child alive.
if ("unref" in process.stdin) process.stdin.unref()
