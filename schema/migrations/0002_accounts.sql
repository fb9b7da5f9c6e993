CREATE TABLE `daily_counts` (
	`account_id` text NOT NULL,
	`day` text NOT NULL,
	`status` text NOT NULL,
	`cached` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `status`, `cached`)
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
CREATE INDEX `verifications_address` ON `verifications` (`address`);--> statement-breakpoint
CREATE INDEX `verifications_created_at` ON `verifications` (`created_at`);--> statement-breakpoint
CREATE TABLE `identities` (
	`provider` text NOT NULL,
	`subject` text NOT NULL,
	`account_id` text NOT NULL,
	PRIMARY KEY(`provider`, `subject`)
);
--> statement-breakpoint
DROP INDEX `job_chunks_turn`;--> statement-breakpoint
CREATE INDEX `job_chunks_job` ON `job_chunks` (`job_id`,`state`,`due_at`);--> statement-breakpoint
ALTER TABLE `job_chunks` DROP COLUMN `turn`;