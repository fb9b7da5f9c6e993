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
CREATE INDEX `integrations_seal_key` ON `integrations` (`seal_key_id`);