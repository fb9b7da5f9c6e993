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
CREATE TABLE `outbound_events` (
	`event_id` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`type` text NOT NULL,
	`url` text NOT NULL,
	`payload` text NOT NULL,
	`state` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `outbound_events_due` ON `outbound_events` (`state`,`due_at`);--> statement-breakpoint
CREATE INDEX `outbound_events_account` ON `outbound_events` (`account_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `pending_verifications` (
	`verification_id` text PRIMARY KEY NOT NULL,
	`account_id` text,
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
CREATE INDEX `pending_verifications_email` ON `pending_verifications` (`email`);