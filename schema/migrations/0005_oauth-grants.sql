CREATE TABLE `oauth_grants` (
	`code_digest` text PRIMARY KEY NOT NULL,
	`user_code_digest` text,
	`state` text NOT NULL,
	`client_hash` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`redirect_uri` text,
	`challenge` text,
	`account_id` text,
	`key_id` text,
	`interval_seconds` integer NOT NULL,
	`polled_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_grants_user_code` ON `oauth_grants` (`user_code_digest`);--> statement-breakpoint
CREATE INDEX `oauth_grants_account` ON `oauth_grants` (`account_id`);--> statement-breakpoint
CREATE INDEX `oauth_grants_expires_at` ON `oauth_grants` (`expires_at`);