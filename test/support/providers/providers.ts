import { startConnectedTools } from "./connected-tools.ts"
import { ADMIN_SUBJECT, MICROSOFT, SERVICE_ACCOUNT, startGoogle, startMicrosoft } from "./directory-servers.ts"
import { GOOGLE_CLIENT_ID, startGoogleAccounts } from "./google-accounts.ts"
import { HIBP_KEY, startHibp } from "./hibp-server.ts"
import { startHookReceiver } from "./hook-receiver.ts"
import { STRIPE, startStripeServer } from "./stripe-server.ts"

/** Stub servers of the providers that need credentials, and the settings with their addresses. */
export async function startProviders() {
  const [hibp, google, accounts, microsoft, hooks, stripe, tools] = await Promise.all([
    startHibp(),
    startGoogle(),
    startGoogleAccounts(),
    startMicrosoft(),
    startHookReceiver(),
    startStripeServer(),
    startConnectedTools(),
  ])
  return {
    urls: {
      hibp: hibp.url,
      google: google.url,
      accounts: accounts.url,
      microsoft: microsoft.url,
      hooks: hooks.url,
      ...tools.urls,
    },
    settings: {
      HIBP_URL: hibp.url,
      HIBP_API_KEY: HIBP_KEY,
      GOOGLE_SERVICE_ACCOUNT: JSON.stringify(SERVICE_ACCOUNT),
      GOOGLE_ADMIN_SUBJECT: ADMIN_SUBJECT,
      GOOGLE_DIRECTORY_URL: `${google.url}/directory`,
      GOOGLE_TOKEN_URL: `${google.url}/token`,
      GOOGLE_CLIENT_ID,
      GOOGLE_AUTH_URL: `${accounts.url}/auth`,
      GOOGLE_JWKS_URL: `${accounts.url}/certs`,
      MS_TENANT_ID: MICROSOFT.tenantId,
      MS_CLIENT_ID: MICROSOFT.clientId,
      MS_CLIENT_SECRET: MICROSOFT.clientSecret,
      MS_GRAPH_URL: `${microsoft.url}/v1.0`,
      MS_LOGIN_URL: microsoft.url,
      STRIPE_SECRET_KEY: STRIPE.secretKey,
      STRIPE_WEBHOOK_SECRET: STRIPE.webhookSecret,
      STRIPE_API_URL: stripe.url,
      STRIPE_PRICES: JSON.stringify(STRIPE.prices),
      ...tools.settings,
      ZAPIER_HOSTS: `hooks.zapier.com,${new URL(hooks.url).host}`,
      WEBHOOK_ALLOW_HOSTS: new URL(hooks.url).host,
    },
    stop: () => Promise.all([hibp, google, accounts, microsoft, hooks, stripe, tools].map((server) => server.stop())),
  }
}
