ALTER TABLE `receivers` ADD `unreadable` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `used_tokens` ADD `event_hash` text;--> statement-breakpoint
ALTER TABLE `suppressions` ADD `note` text;