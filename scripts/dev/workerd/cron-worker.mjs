/** Runs the Worker's scheduled handler: `POST /?cron=<expression>`. Listens on a Unix socket in its parent's folder. */
export default {
  async fetch(request, { WORKER }) {
    const cron = new URL(request.url).searchParams.get("cron")
    const { outcome } = await WORKER.scheduled({ cron, scheduledTime: new Date() })
    return Response.json({ outcome })
  },
}
