import { callService } from "./calls.js"

// node, deno or bun main.js URL KEY
console.log(await callService(...process.argv.slice(2)))
