/** Preloaded into child processes of the local stack: stops the child when its parent ends for any reason. */
process.stdin.on("end", () => process.kill(process.pid, "SIGTERM"))
process.stdin.resume()
// This listener must not keep the process running.
if ("unref" in process.stdin) process.stdin.unref()
