import { startConnectedTools } from "./connected-tools.ts"
import { startDirectories } from "./directory-servers.ts"
import { GOOGLE_CLIENT_ID, startGoogleAccounts } from "./google-accounts.ts"
import { HIBP_KEY, startHibp } from "./hibp-server.ts"
import { startHookReceiver } from "./hook-receiver.ts"
import { STRIPE, startStripeServer } from "./stripe-server.ts"

/** Stub servers of the providers that need credentials, and the settings with their addresses. */
export async function startProviders() {
  const [hibp, directories, accounts, hooks, stripe, tools] = await Promise.all([
    startHibp(),
    startDirectories(),
    startGoogleAccounts(),
    startHookReceiver(),
    startStripeServer(),
    startConnectedTools(),
  ])
  return {
    urls: {
      hibp: hibp.url,
      ...directories.urls,
      accounts: accounts.url,
      hooks: hooks.url,
      ...tools.urls,
    },
    settings: {
      HIBP_URL: hibp.url,
      HIBP_API_KEY: HIBP_KEY,
      ...directories.settings,
      GOOGLE_CLIENT_ID,
      GOOGLE_AUTH_URL: `${accounts.url}/auth`,
      GOOGLE_JWKS_URL: `${accounts.url}/certs`,
      STRIPE_SECRET_KEY: STRIPE.secretKey,
      STRIPE_WEBHOOK_SECRET: STRIPE.webhookSecret,
      STRIPE_API_URL: stripe.url,
      STRIPE_PRICES: JSON.stringify(STRIPE.prices),
      ...tools.settings,
      ZAPIER_HOSTS: `hooks.zapier.com,${new URL(hooks.url).host}`,
      WEBHOOK_ALLOW_HOSTS: new URL(hooks.url).host,
    },
    stop: () => Promise.all([hibp, directories, accounts, hooks, stripe, tools].map((server) => server.stop())),
  }
}
