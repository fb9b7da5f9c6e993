#!/usr/bin/env node
import { run } from "./program.ts"
import { processTerminal } from "./terminal.ts"

// Whoever reads us may have read enough, `mailverdict ... | head`: our answer stays our exit code. What else cannot be
// written, as on a full disk, must not pass for the answer "no".
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return
    process.stderr.write(`mailverdict: ${error.message}\n`)
    process.exit(2)
  })
process.exitCode = await run(processTerminal(), process.argv.slice(2))
