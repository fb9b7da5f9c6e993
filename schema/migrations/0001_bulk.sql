CREATE TABLE `job_chunks` (
	`job_id` text NOT NULL,
	`chunk` integer NOT NULL,
	`after_domain` text NOT NULL,
	`after_idx` integer NOT NULL,
	`last_domain` text NOT NULL,
	`last_idx` integer NOT NULL,
	`turn` integer NOT NULL,
	`state` text NOT NULL,
	`due_at` integer NOT NULL,
	`epoch` integer DEFAULT 0 NOT NULL,
	`passes` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`job_id`, `chunk`)
);
--> statement-breakpoint
CREATE INDEX `job_chunks_turn` ON `job_chunks` (`job_id`,`state`,`turn`);--> statement-breakpoint
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
	`status` text NOT NULL,
	`smtp` integer NOT NULL,
	`deduplicate` integer NOT NULL,
	`webhook_url` text,
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
	`credits` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`completed_at` integer,
	`settled_at` integer,
	`completed_event_id` text
);
--> statement-breakpoint
CREATE INDEX `jobs_account` ON `jobs` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_status` ON `jobs` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `jobs_unsettled` ON `jobs` (`completed_at`) WHERE completed_at IS NOT NULL AND settled_at IS NULL;