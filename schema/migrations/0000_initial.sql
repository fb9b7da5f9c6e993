CREATE TABLE `account_erasures` (
	`account_id` text NOT NULL,
	`subject_hash` text NOT NULL,
	`domain_hash` text NOT NULL,
	`hides_until` integer,
	`erased_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `subject_hash`)
);
--> statement-breakpoint
CREATE INDEX `account_erasures_subject` ON `account_erasures` (`subject_hash`);--> statement-breakpoint
CREATE INDEX `account_erasures_domain` ON `account_erasures` (`domain_hash`);--> statement-breakpoint
CREATE TABLE `accounts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`email` text,
	`tier` text DEFAULT 'free' NOT NULL,
	`credits` integer,
	`created_at` integer NOT NULL,
	`suspended_at` integer,
	`closed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_unique` ON `accounts` (`email`);--> statement-breakpoint
CREATE INDEX `accounts_closed` ON `accounts` (`closed_at`) WHERE closed_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `api_keys` (
	`key_id` text PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`pepper_id` text NOT NULL,
	`account_id` text NOT NULL,
	`owner_email` text NOT NULL,
	`name` text NOT NULL,
	`tier` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`rotated_to` text,
	`last4` text DEFAULT '' NOT NULL,
	`network` text,
	`restrictions` text,
	`created_at` integer NOT NULL,
	`last_used` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest_unique` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE INDEX `api_keys_account` ON `api_keys` (`account_id`);--> statement-breakpoint
CREATE INDEX `api_keys_owner` ON `api_keys` (`owner_email`) WHERE is_active = 1;--> statement-breakpoint
CREATE TABLE `ledger` (
	`charge_id` text PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`key_id` text,
	`period` text NOT NULL,
	`reserved` integer NOT NULL,
	`source` text DEFAULT 'month' NOT NULL,
	`settled` integer,
	`state` text NOT NULL,
	`gate` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ledger_subject` ON `ledger` (`subject`,`period`);--> statement-breakpoint
CREATE INDEX `ledger_open` ON `ledger` (`state`,`created_at`);--> statement-breakpoint
CREATE INDEX `ledger_leases` ON `ledger` (`subject`) WHERE state = 'lease';--> statement-breakpoint
CREATE TABLE `usage` (
	`subject` text NOT NULL,
	`period` text NOT NULL,
	`used` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`subject`, `period`)
);
--> statement-breakpoint
CREATE TABLE `audit_trail` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`details` text NOT NULL,
	`prev_hash` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_trail_action` ON `audit_trail` (`action`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_trail_subject` ON `audit_trail` (`subject`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_trail_actor` ON `audit_trail` (`actor`,`seq`);--> statement-breakpoint
CREATE TABLE `benchmarks` (
	`benchmark_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`job_id` text,
	`expected` text NOT NULL,
	`report` text,
	`created_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE INDEX `benchmarks_account` ON `benchmarks` (`account_id`);--> statement-breakpoint
CREATE INDEX `benchmarks_created_at` ON `benchmarks` (`created_at`);--> statement-breakpoint
CREATE TABLE `billing_customers` (
	`customer_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `billing_customers_account` ON `billing_customers` (`account_id`);--> statement-breakpoint
CREATE TABLE `billing_events` (
	`event_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`subscription_id` text PRIMARY KEY NOT NULL,
	`customer_id` text NOT NULL,
	`status` text NOT NULL,
	`tier` text NOT NULL,
	`period_end` integer,
	`told_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `subscriptions_customer` ON `subscriptions` (`customer_id`);--> statement-breakpoint
CREATE TABLE `breach_answers` (
	`digest` text PRIMARY KEY NOT NULL,
	`breaches` text NOT NULL,
	`answered_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `breach_answers_expires_at` ON `breach_answers` (`expires_at`);--> statement-breakpoint
CREATE TABLE `breached_addresses` (
	`digest` text NOT NULL,
	`breach` text NOT NULL,
	PRIMARY KEY(`digest`, `breach`)
);
--> statement-breakpoint
CREATE TABLE `breaches` (
	`name` text PRIMARY KEY NOT NULL,
	`breached_on` text,
	`addresses` integer DEFAULT 0 NOT NULL,
	`imported_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `result_counts` (
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`domain`, `status`)
);
--> statement-breakpoint
CREATE INDEX `result_counts_count` ON `result_counts` (`status`,`count`);--> statement-breakpoint
CREATE TABLE `row_counts` (
	`name` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `service_counts` (
	`day` text NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`day`, `name`)
);
--> statement-breakpoint
CREATE TABLE `domains` (
	`domain` text PRIMARY KEY NOT NULL,
	`facts` text NOT NULL,
	`checked_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `address_feedback` (
	`account_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`received_at` integer,
	`delivered_at` integer,
	`opened_at` integer,
	`clicked_at` integer,
	`hard_bounced_at` integer,
	`mailbox_missing_at` integer,
	`soft_bounced_at` integer,
	`complained_at` integer,
	`unsubscribed_at` integer,
	`soft_bounces` integer DEFAULT 0 NOT NULL,
	`verdict_at` integer,
	`verdict_status` text,
	`outcome` text,
	`outcome_at` integer,
	PRIMARY KEY(`account_id`, `address_hash`)
);
--> statement-breakpoint
CREATE INDEX `address_feedback_hash` ON `address_feedback` (`address_hash`);--> statement-breakpoint
CREATE TABLE `feedback` (
	`event_key` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`domain` text NOT NULL,
	`kind` text NOT NULL,
	`source` text NOT NULL,
	`code` text,
	`at` integer NOT NULL,
	`recorded_at` integer NOT NULL,
	`verified_at` integer,
	`predicted_status` text,
	`predicted_score` integer,
	`snapshot` text,
	`batch` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `feedback_batch` ON `feedback` (`batch`);--> statement-breakpoint
CREATE INDEX `feedback_address` ON `feedback` (`address_hash`);--> statement-breakpoint
CREATE INDEX `feedback_recorded` ON `feedback` (`recorded_at`);--> statement-breakpoint
CREATE INDEX `feedback_account` ON `feedback` (`account_id`,`recorded_at`);--> statement-breakpoint
CREATE TABLE `feedback_counts` (
	`account_id` text NOT NULL,
	`day` text NOT NULL,
	`kind` text NOT NULL,
	`predicted_status` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `kind`, `predicted_status`)
);
--> statement-breakpoint
CREATE TABLE `feedback_domains` (
	`account_id` text NOT NULL,
	`domain` text NOT NULL,
	`kind` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`account_id`, `domain`, `kind`)
);
--> statement-breakpoint
CREATE INDEX `feedback_domains_domain` ON `feedback_domains` (`domain`);--> statement-breakpoint
CREATE TABLE `receivers` (
	`receiver_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider` text NOT NULL,
	`token_hash` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_event_at` integer,
	`accepted` integer DEFAULT 0 NOT NULL,
	`refused` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `receivers_tokenHash_unique` ON `receivers` (`token_hash`);--> statement-breakpoint
CREATE INDEX `receivers_account` ON `receivers` (`account_id`);--> statement-breakpoint
CREATE TABLE `used_tokens` (
	`receiver_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`receiver_id`, `token_hash`)
);
--> statement-breakpoint
CREATE INDEX `used_tokens_expiry` ON `used_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `verdict_outcomes` (
	`account_id` text NOT NULL,
	`status` text NOT NULL,
	`outcome` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`account_id`, `status`, `outcome`)
);
--> statement-breakpoint
CREATE TABLE `fleet_answers` (
	`day` text NOT NULL,
	`operator` text NOT NULL,
	`accepted` integer NOT NULL,
	`refused` integer NOT NULL,
	`deferred` integer NOT NULL,
	`blocked` integer NOT NULL,
	PRIMARY KEY(`day`, `operator`)
);
--> statement-breakpoint
CREATE TABLE `fleet_canaries` (
	`operator` text PRIMARY KEY NOT NULL,
	`existing` text NOT NULL,
	`missing` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fleet_drains` (
	`node_id` text PRIMARY KEY NOT NULL,
	`drained_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fleet_health` (
	`node_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`since` integer NOT NULL,
	`good` integer NOT NULL,
	`bad` integer NOT NULL,
	`checked_at` integer NOT NULL,
	`rtt_ms` integer,
	`skew_ms` integer,
	`report` text,
	`listings` text,
	`listings_at` integer
);
--> statement-breakpoint
CREATE TABLE `fleet_ips` (
	`ip` text PRIMARY KEY NOT NULL,
	`pool` text NOT NULL,
	`registered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fleet_nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`region` text NOT NULL,
	`url` text NOT NULL,
	`public_keys` text NOT NULL,
	`source_ips` text NOT NULL,
	`capacity` integer NOT NULL,
	`version` text NOT NULL,
	`account_id` text,
	`enrolled_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fleet_nodes_account` ON `fleet_nodes` (`account_id`);--> statement-breakpoint
CREATE TABLE `fleet_outcomes` (
	`node_id` text NOT NULL,
	`source_ip` text NOT NULL,
	`operator` text NOT NULL,
	`slice` integer NOT NULL,
	`answered` integer NOT NULL,
	`blocked` integer NOT NULL,
	`deferred` integer NOT NULL,
	`failed` integer NOT NULL,
	`missing` integer NOT NULL,
	`total_ms` integer NOT NULL,
	PRIMARY KEY(`slice`, `node_id`, `source_ip`, `operator`)
);
--> statement-breakpoint
CREATE INDEX `fleet_outcomes_operator` ON `fleet_outcomes` (`operator`,`slice`);--> statement-breakpoint
CREATE TABLE `fleet_pairs` (
	`node_id` text NOT NULL,
	`source_ip` text NOT NULL,
	`operator` text NOT NULL,
	`open_until` integer DEFAULT 0 NOT NULL,
	`canary` text,
	`canary_at` integer,
	`detail` text,
	PRIMARY KEY(`node_id`, `source_ip`, `operator`)
);
--> statement-breakpoint
CREATE TABLE `fleet_sender_domains` (
	`domain` text PRIMARY KEY NOT NULL,
	`registered_at` integer NOT NULL,
	`checked_at` integer NOT NULL,
	`findings` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fleet_tokens` (
	`digest` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`expires_at` integer NOT NULL,
	`used_by` text
);
--> statement-breakpoint
CREATE TABLE `domain_formats` (
	`domain` text PRIMARY KEY NOT NULL,
	`format` text NOT NULL,
	`confidence` real NOT NULL,
	`sample_count` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `domain_formats_count` ON `domain_formats` (`sample_count`);--> statement-breakpoint
CREATE TABLE `format_samples` (
	`domain` text NOT NULL,
	`digest` text NOT NULL,
	`shares` text NOT NULL,
	`source` text NOT NULL,
	`learned_at` integer NOT NULL,
	PRIMARY KEY(`domain`, `digest`)
);
--> statement-breakpoint
CREATE INDEX `format_samples_age` ON `format_samples` (`domain`,`learned_at`);--> statement-breakpoint
CREATE TABLE `site_scrapes` (
	`domain` text PRIMARY KEY NOT NULL,
	`outcome` text NOT NULL,
	`pages` integer NOT NULL,
	`emails` text NOT NULL,
	`fetched_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `site_scrapes_expires_at` ON `site_scrapes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `daily_counts` (
	`account_id` text NOT NULL,
	`day` text NOT NULL,
	`status` text NOT NULL,
	`cached` integer NOT NULL,
	`count` integer NOT NULL,
	`scores` integer DEFAULT 0 NOT NULL,
	`sendable` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `status`, `cached`)
);
--> statement-breakpoint
CREATE INDEX `daily_counts_day` ON `daily_counts` (`day`);--> statement-breakpoint
CREATE TABLE `key_counts` (
	`key_id` text NOT NULL,
	`day` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`key_id`, `day`)
);
--> statement-breakpoint
CREATE TABLE `verifications` (
	`verification_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_id` text NOT NULL,
	`address` text NOT NULL,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`score` integer NOT NULL,
	`cached` integer NOT NULL,
	`checks` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `verifications_account` ON `verifications` (`account_id`,`verification_id`);--> statement-breakpoint
CREATE INDEX `verifications_mailbox` ON `verifications` (`domain`,address COLLATE NOCASE);--> statement-breakpoint
CREATE INDEX `verifications_created_at` ON `verifications` (`created_at`);--> statement-breakpoint
CREATE TABLE `idempotency` (
	`request_key` text PRIMARY KEY NOT NULL,
	`request_hash` text NOT NULL,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL,
	`held_until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_created_at` ON `idempotency` (`created_at`);--> statement-breakpoint
CREATE TABLE `identities` (
	`provider` text NOT NULL,
	`subject` text NOT NULL,
	`account_id` text NOT NULL,
	PRIMARY KEY(`provider`, `subject`)
);
--> statement-breakpoint
CREATE TABLE `installation` (
	`id` integer PRIMARY KEY NOT NULL,
	`pepper` text,
	`signing_key` text,
	`heartbeat_at` integer DEFAULT 0 NOT NULL,
	`edge_id` text,
	`edge_run` text,
	`edge_host` text,
	`edge_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `integration_events` (
	`event_id` text PRIMARY KEY NOT NULL,
	`integration_id` text NOT NULL,
	`account_id` text NOT NULL,
	`sync_id` text,
	`kind` text NOT NULL,
	`outcome` text NOT NULL,
	`http_status` integer,
	`contacts` integer DEFAULT 0 NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL,
	`duration_ms` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `integration_events_of` ON `integration_events` (`integration_id`,`created_at`,`event_id`);--> statement-breakpoint
CREATE INDEX `integration_events_at` ON `integration_events` (`created_at`);--> statement-breakpoint
CREATE INDEX `integration_events_answered` ON `integration_events` (`integration_id`,`created_at`) WHERE kind <> 'sync_started' AND (outcome = 'ok' OR contacts > 0);--> statement-breakpoint
CREATE INDEX `integration_events_failed` ON `integration_events` (`integration_id`,`created_at`,`event_id`) WHERE outcome <> 'ok';--> statement-breakpoint
CREATE INDEX `integration_events_account` ON `integration_events` (`account_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `integration_syncs` (
	`sync_id` text PRIMARY KEY NOT NULL,
	`integration_id` text NOT NULL,
	`account_id` text NOT NULL,
	`provider` text NOT NULL,
	`state` text NOT NULL,
	`key_id` text,
	`tier` text NOT NULL,
	`cursor` text,
	`pages` integer DEFAULT 0 NOT NULL,
	`contacts` integer DEFAULT 0 NOT NULL,
	`written` integer DEFAULT 0 NOT NULL,
	`unsafe` integer DEFAULT 0 NOT NULL,
	`undecided` integer DEFAULT 0 NOT NULL,
	`rejected` integer DEFAULT 0 NOT NULL,
	`credits` integer DEFAULT 0 NOT NULL,
	`resumes` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`detail` text,
	`due_at` integer NOT NULL,
	`lease_epoch` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE INDEX `integration_syncs_due` ON `integration_syncs` (`due_at`) WHERE state IN ('queued', 'running', 'waiting');--> statement-breakpoint
CREATE INDEX `integration_syncs_account` ON `integration_syncs` (`account_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `integration_syncs_open` ON `integration_syncs` (`integration_id`) WHERE state <> 'complete';--> statement-breakpoint
CREATE TABLE `integrations` (
	`integration_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider` text NOT NULL,
	`name` text NOT NULL,
	`sealed` text NOT NULL,
	`seal_key_id` text NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `integrations_account` ON `integrations` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `integrations_seal_key` ON `integrations` (`seal_key_id`);--> statement-breakpoint
CREATE TABLE `job_files` (
	`job_id` text PRIMARY KEY NOT NULL,
	`header` text NOT NULL,
	`email_column` integer NOT NULL,
	`rows` integer NOT NULL,
	`delimiter` text,
	`has_bom` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `job_rows` (
	`job_id` text NOT NULL,
	`row` integer NOT NULL,
	`cells` text NOT NULL,
	`idx` integer,
	`mailbox` text,
	PRIMARY KEY(`job_id`, `row`)
);
--> statement-breakpoint
CREATE INDEX `job_rows_mailbox` ON `job_rows` (`mailbox`,`job_id`);--> statement-breakpoint
CREATE TABLE `job_chunks` (
	`job_id` text NOT NULL,
	`chunk` integer NOT NULL,
	`after_domain` text NOT NULL,
	`after_idx` integer NOT NULL,
	`last_domain` text NOT NULL,
	`last_idx` integer NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`passes` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`job_id`, `chunk`)
);
--> statement-breakpoint
CREATE INDEX `job_chunks_job` ON `job_chunks` (`job_id`,`state`,`due_at`);--> statement-breakpoint
CREATE INDEX `job_chunks_due` ON `job_chunks` (`state`,`due_at`);--> statement-breakpoint
CREATE TABLE `job_items` (
	`job_id` text NOT NULL,
	`idx` integer NOT NULL,
	`email` text NOT NULL,
	`domain` text NOT NULL,
	`mailbox` text NOT NULL,
	`is_duplicate` integer NOT NULL,
	`status` text,
	`score` integer,
	`evidence` text,
	`cached` integer DEFAULT false NOT NULL,
	`verified_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error` text,
	`retried_in` text,
	PRIMARY KEY(`job_id`, `idx`)
);
--> statement-breakpoint
CREATE INDEX `job_items_domain` ON `job_items` (`job_id`,`domain`,`idx`);--> statement-breakpoint
CREATE INDEX `job_items_mailbox` ON `job_items` (`mailbox`,`job_id`);--> statement-breakpoint
CREATE INDEX `job_items_failed` ON `job_items` (`job_id`,`idx`) WHERE error IS NOT NULL;--> statement-breakpoint
CREATE TABLE `jobs` (
	`job_id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`lane` text NOT NULL,
	`kind` text NOT NULL,
	`parent_id` text,
	`file_name` text,
	`status` text NOT NULL,
	`smtp` integer NOT NULL,
	`deduplicate` integer NOT NULL,
	`webhook_url` text,
	`finish_within` integer,
	`submitted` integer DEFAULT 0 NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`valid` integer DEFAULT 0 NOT NULL,
	`invalid` integer DEFAULT 0 NOT NULL,
	`accept_all` integer DEFAULT 0 NOT NULL,
	`unknown` integer DEFAULT 0 NOT NULL,
	`invalid_syntax` integer DEFAULT 0 NOT NULL,
	`cached` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`abandoned` integer DEFAULT 0 NOT NULL,
	`sendable` integer DEFAULT 0 NOT NULL,
	`credits` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`completed_at` integer,
	`settled_at` integer,
	`first_pass_at` integer,
	`partial_notified_at` integer,
	`completed_event_id` text
);
--> statement-breakpoint
CREATE INDEX `jobs_account` ON `jobs` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_created` ON `jobs` (`created_at`,`job_id`);--> statement-breakpoint
CREATE INDEX `jobs_status` ON `jobs` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_unsettled` ON `jobs` (`completed_at`) WHERE completed_at IS NOT NULL AND settled_at IS NULL;--> statement-breakpoint
CREATE TABLE `list_overrides` (
	`domain` text NOT NULL,
	`origin` text NOT NULL,
	`class` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`domain`, `origin`)
);
--> statement-breakpoint
CREATE INDEX `list_overrides_origin` ON `list_overrides` (`origin`,`class`,`domain`);--> statement-breakpoint
CREATE TABLE `list_refreshes` (
	`refresh_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`class` text NOT NULL,
	`outcome` text NOT NULL,
	`forced` integer NOT NULL,
	`added` integer NOT NULL,
	`removed` integer NOT NULL,
	`left_out` integer NOT NULL,
	`reason` text,
	`sources` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `list_refreshes_class` ON `list_refreshes` (`class`,`refresh_id`);--> statement-breakpoint
CREATE TABLE `list_version` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `request_counts` (
	`name` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `active_models` (
	`kind` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`activated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `models` (
	`kind` text NOT NULL,
	`version` integer NOT NULL,
	`run_id` text NOT NULL,
	`bias` real NOT NULL,
	`weights` text NOT NULL,
	`report` text NOT NULL,
	`trained_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `version`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `models_runId_unique` ON `models` (`run_id`);--> statement-breakpoint
CREATE TABLE `training_runs` (
	`run_id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`min_samples` integer NOT NULL,
	`progress` integer DEFAULT 0 NOT NULL,
	`samples` integer,
	`report` text,
	`version` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `training_runs_kind` ON `training_runs` (`kind`,`created_at`);--> statement-breakpoint
CREATE TABLE `outbound_events` (
	`event_id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`type` text NOT NULL,
	`url` text NOT NULL,
	`endpoint_id` text,
	`payload` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `outbound_events_due` ON `outbound_events` (`state`,`due_at`);--> statement-breakpoint
CREATE INDEX `outbound_events_account` ON `outbound_events` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `outbound_events_endpoint` ON `outbound_events` (`endpoint_id`,`created_at`) WHERE endpoint_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `pending_verifications` (
	`verification_id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`key_id` text,
	`email` text NOT NULL,
	`state` text NOT NULL,
	`webhook_url` text DEFAULT '' NOT NULL,
	`charge_id` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`evidence` text,
	`created_at` integer NOT NULL,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`completed_at` integer
);
--> statement-breakpoint
CREATE INDEX `pending_verifications_state` ON `pending_verifications` (`state`,`lease_until`);--> statement-breakpoint
CREATE INDEX `pending_verifications_created_at` ON `pending_verifications` (`created_at`);--> statement-breakpoint
CREATE INDEX `pending_verifications_mailbox` ON `pending_verifications` (email COLLATE NOCASE);--> statement-breakpoint
CREATE TABLE `rechecks` (
	`address` text PRIMARY KEY NOT NULL,
	`attempt` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rechecks_due_at` ON `rechecks` (`due_at`);--> statement-breakpoint
CREATE TABLE `results` (
	`address` text PRIMARY KEY NOT NULL,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`sub_status` text,
	`score` integer NOT NULL,
	`evidence` text NOT NULL,
	`verified_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `results_domain` ON `results` (`domain`,`address`);--> statement-breakpoint
CREATE INDEX `results_verified_at` ON `results` (`verified_at`);--> statement-breakpoint
CREATE TABLE `verified_addresses` (
	`account_id` text NOT NULL,
	`address` text NOT NULL,
	`domain` text NOT NULL,
	`verified_at` integer NOT NULL,
	PRIMARY KEY(`account_id`, `address`)
);
--> statement-breakpoint
CREATE INDEX `verified_addresses_mailbox` ON `verified_addresses` (`domain`,`address`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`sign_in_key_id` text,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sessions_account` ON `sessions` (`account_id`);--> statement-breakpoint
CREATE INDEX `sessions_expires_at` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sign_in_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`key_id` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `sign_in_links_expires_at` ON `sign_in_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `suppressions` (
	`account_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`address` text,
	`reason` text NOT NULL,
	`source` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	PRIMARY KEY(`account_id`, `address_hash`)
);
--> statement-breakpoint
CREATE INDEX `suppressions_hash` ON `suppressions` (`address_hash`);--> statement-breakpoint
CREATE INDEX `suppressions_created` ON `suppressions` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `suppressions_expiry` ON `suppressions` (`expires_at`);--> statement-breakpoint
CREATE INDEX `suppressions_reason` ON `suppressions` (`account_id`,`reason`,`expires_at`,`created_at`);--> statement-breakpoint
CREATE TABLE `alert_settings` (
	`account_id` text PRIMARY KEY NOT NULL,
	`mail` integer NOT NULL,
	`webhook_url` text
);
--> statement-breakpoint
CREATE TABLE `usage_alerts` (
	`account_id` text NOT NULL,
	`period` text NOT NULL,
	`percent` integer NOT NULL,
	`credits` integer NOT NULL,
	`reached_at` integer NOT NULL,
	`told_at` integer,
	`failures` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`account_id`, `period`, `percent`)
);
--> statement-breakpoint
CREATE INDEX `usage_alerts_untold` ON `usage_alerts` (`reached_at`) WHERE told_at IS NULL;--> statement-breakpoint
CREATE TABLE `webhook_attempts` (
	`event_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`outcome` text NOT NULL,
	`http_status` integer,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	PRIMARY KEY(`event_id`, `attempt`)
);
--> statement-breakpoint
CREATE INDEX `webhook_attempts_at` ON `webhook_attempts` (`started_at`);--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`account_id` text NOT NULL,
	`url` text NOT NULL,
	`failing_since` integer,
	`disabled_at` integer,
	PRIMARY KEY(`account_id`, `url`)
);
--> statement-breakpoint
CREATE TABLE `webhook_secrets` (
	`secret_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`shown_at` integer,
	`expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `webhook_secrets_account` ON `webhook_secrets` (`account_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_subscriptions` (
	`endpoint_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`description` text NOT NULL,
	`created_at` integer NOT NULL,
	`paused_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_subscriptions_url` ON `webhook_subscriptions` (`account_id`,`url`);
--> statement-breakpoint
-- Written by hand from here on: drizzle-kit knows neither rows nor triggers.
INSERT INTO list_version (id, version) VALUES (1, 0);
--> statement-breakpoint
INSERT INTO installation (id) VALUES (1);
--> statement-breakpoint
INSERT INTO row_counts (name, count) VALUES ('domains', 0), ('verifications', 0), ('suppressions', 0), ('feedback', 0);
--> statement-breakpoint
-- Triggers maintain the counts for every writer. In result_counts, domain '' is the sum of all domains.
CREATE TRIGGER results_added AFTER INSERT ON results BEGIN
  INSERT INTO result_counts (domain, status, count) VALUES (new.domain, new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER results_changed AFTER UPDATE OF status, domain ON results WHEN new.status <> old.status OR new.domain <> old.domain BEGIN
  INSERT INTO result_counts (domain, status, count) VALUES (old.domain, old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES (new.domain, new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  DELETE FROM result_counts WHERE domain = old.domain AND domain <> '' AND count <= 0;
END;
--> statement-breakpoint
CREATE TRIGGER results_removed AFTER DELETE ON results BEGIN
  INSERT INTO result_counts (domain, status, count) VALUES (old.domain, old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  DELETE FROM result_counts WHERE domain = old.domain AND domain <> '' AND count <= 0;
END;
--> statement-breakpoint
CREATE TRIGGER domains_counted AFTER INSERT ON domains BEGIN
  INSERT INTO row_counts (name, count) VALUES ('domains', 1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER domains_uncounted AFTER DELETE ON domains BEGIN
  INSERT INTO row_counts (name, count) VALUES ('domains', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER verifications_uncounted AFTER DELETE ON verifications BEGIN
  INSERT INTO row_counts (name, count) VALUES ('verifications', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER suppressions_counted AFTER INSERT ON suppressions BEGIN
  INSERT INTO row_counts (name, count) VALUES ('suppressions', 1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER suppressions_uncounted AFTER DELETE ON suppressions BEGIN
  INSERT INTO row_counts (name, count) VALUES ('suppressions', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER feedback_counted AFTER INSERT ON feedback BEGIN
  INSERT INTO row_counts (name, count) VALUES ('feedback', 1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER feedback_uncounted AFTER DELETE ON feedback BEGIN
  INSERT INTO row_counts (name, count) VALUES ('feedback', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER domains_learned AFTER INSERT ON domains BEGIN
  INSERT INTO service_counts (day, name, count) VALUES (strftime('%Y-%m-%d', new.checked_at / 1000, 'unixepoch'), 'facts', 1) ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER domains_relearned AFTER UPDATE OF checked_at ON domains WHEN new.checked_at <> old.checked_at BEGIN
  INSERT INTO service_counts (day, name, count) VALUES (strftime('%Y-%m-%d', new.checked_at / 1000, 'unixepoch'), 'facts', 1) ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count;
END;
