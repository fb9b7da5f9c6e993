CREATE TABLE `accounts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`email` text,
	`tier` text DEFAULT 'free' NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_unique` ON `accounts` (`email`);--> statement-breakpoint
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
	`created_at` integer NOT NULL,
	`last_used` integer,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_digest_unique` ON `api_keys` (`digest`);--> statement-breakpoint
CREATE INDEX `api_keys_account` ON `api_keys` (`account_id`);--> statement-breakpoint
CREATE TABLE `ledger` (
	`charge_id` text PRIMARY KEY NOT NULL,
	`subject` text NOT NULL,
	`key_id` text,
	`period` text NOT NULL,
	`reserved` integer NOT NULL,
	`settled` integer,
	`state` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `ledger_subject` ON `ledger` (`subject`,`period`);--> statement-breakpoint
CREATE INDEX `ledger_open` ON `ledger` (`state`,`created_at`);--> statement-breakpoint
CREATE TABLE `usage` (
	`subject` text NOT NULL,
	`period` text NOT NULL,
	`used` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`subject`, `period`)
);
--> statement-breakpoint
CREATE TABLE `domains` (
	`domain` text PRIMARY KEY NOT NULL,
	`facts` text NOT NULL,
	`checked_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
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
CREATE INDEX `results_domain` ON `results` (`domain`);--> statement-breakpoint
CREATE INDEX `results_verified_at` ON `results` (`verified_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
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
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
);
--> statement-breakpoint
CREATE INDEX `sign_in_links_expires_at` ON `sign_in_links` (`expires_at`);