import type { Operations } from "../../client/operations.ts"

/** Types of the API's responses, generated from the OpenAPI document. */
type AnswerOf<Name extends keyof Operations> = Operations[Name]["answer"]

export type Deliverability = AnswerOf<"validateByBody">
export type Checks = Deliverability["checks"]
export type Breakdown = Checks["score_breakdown"]
type Explanation = NonNullable<Deliverability["explanation"]>
export type LedgerEntry = Explanation["ledger"][number]
export type TranscriptLine = Explanation["transcript"][number]

export type CachedVerdict = AnswerOf<"validateFast">

export type FoundEmail = AnswerOf<"findEmail">
export type Candidate = FoundEmail["candidates"][number]
export type NoFormatsReason = NonNullable<FoundEmail["reason"]>
export type DomainFormats = AnswerOf<"domainFormats">
export type LearnedSite = AnswerOf<"scrapeDomainFormats">

export type DomainRating = AnswerOf<"domainDeliverability">
export type DomainIntel = AnswerOf<"domainIntel">
export type DkimKeys = AnswerOf<"checkDkim">

export type Job = AnswerOf<"bulkStatus">
export type JobsPage = AnswerOf<"listJobs">
export type JobState = Job["status"]
export type JobPage = AnswerOf<"getJob">
export type ListPreview = AnswerOf<"previewList">
export type SampledList = Extract<AnswerOf<"uploadList">, { readonly projection: unknown }>
export type UploadedJob = Extract<AnswerOf<"uploadList">, { readonly job_id: string }>
export type ListComparison = AnswerOf<"compareLists">
export type Report = AnswerOf<"bulkReport">
/** Number of addresses per status. An absent status means 0. */
export type StatusCounts = Partial<Job["summary"]>

export type Keys = AnswerOf<"listKeys">
export type Key = Keys["keys"][number]
export type KeyUsage = AnswerOf<"keyUsage">
export type Restrictions = Pick<Key, "expires_at" | "scopes" | "allowed_networks" | "allowed_origins">
export type KeyScope = NonNullable<Key["scopes"]>[number]
/** The secret of a created or rotated key. */
export type NewKey = Pick<AnswerOf<"createKey">, "key_id" | "api_key">
export type GoogleConfig = AnswerOf<"googleConfig">
export type AskedAuthorization = AnswerOf<"showAuthorization">
export type DecidedAuthorization = AnswerOf<"decideAuthorization">
export type DeviceSignIn = AnswerOf<"showDeviceSignIn">
export type SignedIn = AnswerOf<"signIn">
export type UnconfirmedKeys = AnswerOf<"listUnconfirmedKeys">
export type UnconfirmedKey = UnconfirmedKeys["keys"][number]
export type Account = AnswerOf<"whoAmI">
export type Usage = AnswerOf<"myUsage">
export type UsageDay = Usage["histogram"][number]
export type UsageSpan = Usage["today"]
export type Credits = AnswerOf<"usage">
export type PriceList = AnswerOf<"billingPlans">
export type Plan = PriceList["plans"][number]
export type CreditPack = PriceList["credit_packs"][number]
export type Price = NonNullable<Plan["price"]>
export type Billing = AnswerOf<"billingUsage">
export type Subscription = Billing["subscriptions"][number]
export type PaymentOffers = AnswerOf<"listPaymentOffers">
export type PaymentOffer = PaymentOffers["offers"][number]
export type UsageAlerts = AnswerOf<"usageAlerts">

export type RetentionStatus = AnswerOf<"retentionStatus">
export type Erasure = AnswerOf<"erase">

export type Quality = AnswerOf<"myStats">
export type Recent = AnswerOf<"myRecentVerifications">["verifications"][number]

export type Suppressed = AnswerOf<"checkSuppression">
export type SuppressionPage = AnswerOf<"listSuppressions">
export type SuppressionStats = AnswerOf<"suppressionStats">
export type Imported = AnswerOf<"importSuppressions">

export type IntegrationState = AnswerOf<"integrationsStatus">["integrations"][number]
export type IntegrationSync = NonNullable<IntegrationState["sync"]>
export type IntegrationEvents = AnswerOf<"listIntegrationEvents">
export type TestedIntegration = AnswerOf<"testIntegration">

export type Receivers = AnswerOf<"listReceivers">
export type NewReceiver = AnswerOf<"createReceiver">
export type AccountEndpoints = AnswerOf<"listWebhookEndpoints">
export type AccountEndpoint = AccountEndpoints["endpoints"][number]
export type WebhookStats = AnswerOf<"webhookStats">
export type DeliveryPage = AnswerOf<"listWebhookDeliveries">
export type Delivery = DeliveryPage["deliveries"][number]
export type WebhookSecret = AnswerOf<"listWebhookSecrets">["secrets"][number]

export type Health = AnswerOf<"health">
export type ModelStats = AnswerOf<"mlStatsV2">
export type CalibrationBin = ModelStats["calibration"][number]

export type RegionHealth = AnswerOf<"regionsHealth">["regions"][number]
export type NodeHealth = RegionHealth["probes"][number]
export type NodeState = NodeHealth["state"]
export type FleetNode = AnswerOf<"listNodes">["nodes"][number]
export type FleetToken = AnswerOf<"createFleetToken">
export type FleetAnswers = AnswerOf<"fleetAnswers">
export type SourceIp = AnswerOf<"listIps">["ips"][number]
export type IpPools = AnswerOf<"ipPoolStatus">
export type CanaryStatus = AnswerOf<"listCanaries">["canaries"][number]
export type SenderDomain = AnswerOf<"listSenderDomains">["domains"][number]
export type Sender = AnswerOf<"listSenders">["senders"][number]
export type Finding = NonNullable<NodeHealth["doctor"]>["findings"][number]
export type ExplainedRoute = AnswerOf<"explainRoute">

export type UserPage = AnswerOf<"listUsers">
export type User = UserPage["users"][number]
export type UserWithKeys = AnswerOf<"getUser">
export type OperatorJobPage = AnswerOf<"listAllJobs">
export type OperatorJob = OperatorJobPage["jobs"][number]
export type SettingsInForce = AnswerOf<"listSettings">
export type AuditTrail = AnswerOf<"auditTrail">
export type OwnEvents = AnswerOf<"ownAuditTrail">
export type DisposableStats = AnswerOf<"disposableStats">
export type OverridePage = AnswerOf<"listOverrides">
