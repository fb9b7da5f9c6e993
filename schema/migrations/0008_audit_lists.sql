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
CREATE TABLE `rechecks` (
	`address` text PRIMARY KEY NOT NULL,
	`attempt` integer NOT NULL,
	`due_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `rechecks_due_at` ON `rechecks` (`due_at`);--> statement-breakpoint
DROP INDEX `verifications_address`;--> statement-breakpoint
CREATE INDEX `verifications_mailbox` ON `verifications` (`domain`,address COLLATE NOCASE);--> statement-breakpoint
DROP INDEX `pending_verifications_email`;--> statement-breakpoint
CREATE INDEX `pending_verifications_mailbox` ON `pending_verifications` (email COLLATE NOCASE);--> statement-breakpoint
DROP INDEX `results_domain`;--> statement-breakpoint
CREATE INDEX `results_domain` ON `results` (`domain`,`address`);