#!/usr/bin/env node
import { run } from "./program.ts"
import { processTerminal } from "./terminal.ts"

// Whoever reads us has read enough: `mailverdict ... | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
  process.exit()
})
process.exitCode = await run(processTerminal(), process.argv.slice(2))
