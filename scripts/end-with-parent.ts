/** Preloaded into the children of the local stack: when their starter is gone, however it went, they stop as if told to. */
process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"))
process.stdin.resume()
