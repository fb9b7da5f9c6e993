CREATE TABLE `job_files` (
	`job_id` text PRIMARY KEY NOT NULL,
	`header` text NOT NULL,
	`email_column` integer NOT NULL,
	`rows` integer NOT NULL
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
CREATE INDEX `webhook_secrets_account` ON `webhook_secrets` (`account_id`,`created_at`);