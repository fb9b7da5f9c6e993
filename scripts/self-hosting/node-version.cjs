/*
 * Runs before the code of Mailverdict, which an older Node cannot read. It ends the process when Node is older than
 * package.json allows, with 78 (EX_CONFIG), so that systemd does not try again. Every Node can read it: it uses ES5 only.
 */
var needed = /(\d+)(?:\.(\d+))?/.exec(require("../../package.json").engines.node)
var own = process.versions.node.split(".")
var isOld = Number(own[0]) < Number(needed[1]) || (own[0] === needed[1] && Number(own[1]) < Number(needed[2] || 0))

if (isOld) {
  console.error(
    "Mailverdict needs Node " +
      needed[0] +
      " or later. This is Node " +
      process.versions.node +
      " (" +
      process.execPath +
      ").",
  )
  console.error("Install a newer one from https://nodejs.org or from your system's packages.")
  process.exit(78)
}
