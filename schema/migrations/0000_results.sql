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
CREATE INDEX `results_verified_at` ON `results` (`verified_at`);