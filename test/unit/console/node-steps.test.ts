import { expect, test } from "vitest"
import { stepsFor } from "../../../src/console/pages/fleet/add-node.tsx"

const ENROL = {
  command:
    "node probe-node.mjs enrol --edge https://api.example.com --token-file - --id … --region … --url https://… --helo … --mail-from …",
  token: "mvn_x",
}
const PLAN = { id: " fra-1 ", region: "eu", host: "probe1.example.com", sender: "probe@example.com" }

test("the command has the names, and the token is pasted after it", () => {
  const steps = stepsFor(PLAN, ENROL)
  expect(steps).toHaveLength(4)
  expect(steps[1]!.command).toBe(
    "node dist/probe-node.mjs enrol --edge https://api.example.com --token-file - --id fra-1 --region eu --url https://probe1.example.com --helo probe1.example.com --mail-from probe@example.com",
  )
  expect(steps.filter(({ command }) => command.includes("mvn_x"))).toEqual([
    expect.objectContaining({ command: "mvn_x" }),
  ])
})

test("what a shell would read as more than a word is quoted", () => {
  const [, enrol] = stepsFor({ ...PLAN, region: "eu; rm -rf ~", sender: "o'neil@example.com" }, ENROL)
  expect(enrol!.command).toContain("--region 'eu; rm -rf ~' ")
  expect(enrol!.command).toContain(`--mail-from 'o'\\''neil@example.com'`)
})
