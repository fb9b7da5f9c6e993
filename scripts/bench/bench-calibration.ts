import { type Model, PRIOR_MODELS, setActiveClassifier } from "../../src/domain/learning/model.ts"
import { samplesOf } from "../../src/domain/learning/samples.ts"
import { train } from "../../src/domain/learning/train.ts"
import { calibrationTable, measure, type Scored } from "../../src/domain/learning/training-report.ts"
import { setReferenceData } from "../../src/domain/reference/tables.ts"
import { assess } from "../../src/domain/verification/verification.ts"
import { readReferenceData } from "../build/reference-data.ts"
import { type CatchAllMailbox, CatchAllWorld } from "./sim/catch-all-world.ts"

/**
 * Measures how well the catch-all classifier is calibrated. Trains it on the reported outcomes of a simulated world.
 * Compares its probabilities with the outcomes of mailboxes that no account reported. Exit code 1 at an expected
 * calibration error of 0.05 or more in any world.
 */

setReferenceData(readReferenceData())
const SEEDS = (process.env.BENCH_SEEDS ?? "1,2,3,4,5,6").split(",").map(Number)
const WORLD = { mailings: 12_000, accounts: 30, domains: 800 }
const UNSEEN = 6_000
const MAX_ERROR = 0.05
const COLUMNS = 40

/** The probabilities of the verdicts, as the score uses them, with the outcomes. */
function judge(mailboxes: readonly CatchAllMailbox[]) {
  const verified = mailboxes.map(({ evidence, outcome, verifiedAt }) => ({
    outcome,
    weight: 1,
    verification: assess(evidence, { cached: true, verifiedAt }),
  }))
  const scored: Scored[] = verified.map(({ verification, ...one }) => ({
    ...one,
    probability: verification.catchAll!.probability,
  }))
  const sent = verified.filter(({ verification }) => verification.canSend)
  const bounced = sent.filter(({ outcome }) => outcome === 0).length
  return { scored, sent: sent.length, bounced }
}

function show(name: string, { scored, sent, bounced }: ReturnType<typeof judge>): number {
  const { calibrationError, brier, auc } = measure(scored)!
  console.log(
    `${name}: calibration error ${calibrationError.toFixed(3)}, Brier ${brier.toFixed(3)}, AUC ${auc!.toFixed(3)}; ` +
      `sends ${percent(sent / scored.length)}, of which ${percent(bounced / Math.max(1, sent))} bounce`,
  )
  for (const bin of calibrationTable(scored)) console.log(picture(bin))
  return calibrationError
}

/** One bin: `|` at the predicted share, `#` up to the observed one. */
function picture({ from, to, samples, predicted, observed }: ReturnType<typeof calibrationTable>[number]): string {
  const bar = [..."#".repeat(Math.round(observed * COLUMNS)).padEnd(COLUMNS + 1, ".")]
  bar[Math.round(predicted * COLUMNS)] = "|"
  const numbers = `predicted ${predicted.toFixed(2)}, observed ${observed.toFixed(2)}`
  return `  ${from.toFixed(1)}-${to.toFixed(1)} ${bar.join("")} ${numbers}, ${samples} addresses`
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

for (const seed of SEEDS) {
  setActiveClassifier(PRIOR_MODELS.catch_all)
  const world = new CatchAllWorld({ seed, ...WORLD })
  const samples = samplesOf(world.observe(), null)
  const unseen = world.unseen(UNSEEN)
  const current = PRIOR_MODELS.catch_all
  const training = train(samples, { kind: "catch_all", minSamples: 1_000, current, trusted: new Set() })
  if (training.kind === "refused") throw new Error(`world ${seed}: the training was refused: ${training.reason}`)
  const model: Model = { ...current, ...training.model, version: 1 }
  console.log(`\nworld ${seed}: ${samples.length} outcomes to learn from, ${UNSEEN} mailboxes without a report`)
  show("preset weights", judge(unseen))
  setActiveClassifier(model)
  const error = show("trained model ", judge(unseen))
  if (error >= MAX_ERROR) process.exitCode = 1
}
console.log(
  process.exitCode === 1
    ? `\nfailed: a trained model has a calibration error of ${MAX_ERROR} or more`
    : `\nevery trained model has a calibration error below ${MAX_ERROR}`,
)
