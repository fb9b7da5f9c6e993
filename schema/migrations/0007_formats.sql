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
CREATE INDEX `site_scrapes_expires_at` ON `site_scrapes` (`expires_at`);