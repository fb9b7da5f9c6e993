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
CREATE INDEX `training_runs_kind` ON `training_runs` (`kind`,`created_at`);