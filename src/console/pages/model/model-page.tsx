import { useState } from "preact/hooks"
import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { ModelStats } from "../../api/shapes.ts"
import { Loaded, Page } from "../../parts/page.tsx"
import { Tiles } from "../../parts/tiles.tsx"
import { count, decimal, moment, percent } from "../../words.ts"
import { Calibration } from "./calibration.tsx"
import { BounceByScore, ByOperator, Versions } from "./tables.tsx"
import { Weights } from "./weights.tsx"

const MODELS = [
  ["/ml/stats/v2", "All addresses"],
  ["/catchall-classifier/stats", "Accept-all domains"],
] as const

/** The quality of the model and the calibration of its probabilities. */
export function ModelPage() {
  const [path, setPath] = useState<(typeof MODELS)[number][0]>(MODELS[0][0])
  const load = useLoad(path, (signal) => call<ModelStats>(path, { signal, asOperator: true }))
  return (
    <Page
      title="Model"
      lead="The model learns from feedback to predict delivery. It changes a score by at most 20 points."
      actions={
        <fieldset class="tabs">
          <legend class="unseen">Model</legend>
          {MODELS.map(([option, words]) => (
            <button type="button" key={option} aria-pressed={path === option} onClick={() => setPath(option)}>
              {words}
            </button>
          ))}
        </fieldset>
      }
    >
      <Loaded of={load} lines={6} forOperator>
        {(stats) => (
          <>
            <Tiles tiles={tilesOf(stats)} />
            <Calibration stats={stats} />
            <div class="columns">
              <Weights weights={stats.weights} />
              <BounceByScore bands={stats.bounce_by_score} />
            </div>
            <ByOperator operators={stats.by_operator} />
            <Versions versions={stats.versions} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function tilesOf({ model, samples, metrics, facts_available: facts, training }: ModelStats) {
  const trained = model.trained_at ? `trained ${moment(model.trained_at)}` : "set by hand, not yet trained"
  const isTraining = training?.status === "running" || training?.status === "queued"
  return [
    { name: "In use", value: model.is_prior ? "Prior" : `Version ${model.version}`, note: trained },
    {
      name: "Training reports",
      value: count(facts),
      note: isTraining ? `training, ${training.progress}%` : samples ? `${count(samples.used)} used` : "",
    },
    {
      name: "AUC",
      value: metrics?.auc == null ? "–" : percent(metrics.auc),
      note: "area under the ROC curve",
    },
    {
      name: "Calibration error",
      value: metrics ? percent(metrics.calibration_error) : "–",
      note: "mean",
    },
    { name: "Brier score", value: metrics ? decimal(metrics.brier, 3) : "–", note: "0 is perfect" },
  ]
}
