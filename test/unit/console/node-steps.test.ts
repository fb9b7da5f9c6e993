import { expect, test } from "vitest"
import { stepsFor } from "../../../src/console/pages/fleet/node-steps.ts"

const ENROL =
  "node probe-node.mjs enrol --edge https://api.example.com --token mvn_x --id … --region … --url https://… --helo … --mail-from …"
const PLAN = { id: " fra-1 ", region: "eu", host: "probe1.example.com", sender: "probe@example.com" }

test("three commands, of which the second has the token and the names", () => {
  const steps = stepsFor(PLAN, ENROL)
  expect(steps).toHaveLength(3)
  expect(steps[1]!.command).toBe(
    "node dist/probe-node.mjs enrol --edge https://api.example.com --token mvn_x --id fra-1 --region eu --url https://probe1.example.com --helo probe1.example.com --mail-from probe@example.com",
  )
})

test("what a shell would read as more than a word is quoted", () => {
  const [, enrol] = stepsFor({ ...PLAN, region: "eu; rm -rf ~", sender: "o'neil@example.com" }, ENROL)
  expect(enrol!.command).toContain("--region 'eu; rm -rf ~' ")
  expect(enrol!.command).toContain(`--mail-from 'o'\\''neil@example.com'`)
})
