CREATE TABLE `address_feedback` (
	`account_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`received_at` integer,
	`delivered_at` integer,
	`opened_at` integer,
	`clicked_at` integer,
	`hard_bounced_at` integer,
	`soft_bounced_at` integer,
	`complained_at` integer,
	`unsubscribed_at` integer,
	`soft_bounces` integer DEFAULT 0 NOT NULL,
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
CREATE INDEX `suppressions_expiry` ON `suppressions` (`expires_at`);--> statement-breakpoint
CREATE INDEX `suppressions_reason` ON `suppressions` (`account_id`,`reason`,`expires_at`,`created_at`);