CREATE TABLE `idempotency` (
	`request_key` text PRIMARY KEY NOT NULL,
	`request_hash` text NOT NULL,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL,
	`held_until` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `idempotency_created_at` ON `idempotency` (`created_at`);