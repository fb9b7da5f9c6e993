#!/usr/bin/env node
import { run } from "./program.ts"
import { processTerminal } from "./terminal.ts"

const stdoutClosed = new AbortController()
// A reader may close the pipe early, as in `mailverdict ... | head`: the exit code stays the answer.
// Any other write error, such as a full disk, exits with 2, because 1 means the answer "no".
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") {
      if (stream === process.stdout) stdoutClosed.abort(error)
      return
    }
    process.stderr.write(`mailverdict: ${error.message}\n`)
    process.exit(2)
  })
process.exitCode = await run(processTerminal(stdoutClosed.signal), process.argv.slice(2))
