CREATE TABLE `billing_customers` (
	`customer_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `billing_customers_account` ON `billing_customers` (`account_id`);--> statement-breakpoint
CREATE TABLE `billing_events` (
	`event_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`subscription_id` text PRIMARY KEY NOT NULL,
	`customer_id` text NOT NULL,
	`status` text NOT NULL,
	`tier` text NOT NULL,
	`period_end` integer,
	`told_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `subscriptions_customer` ON `subscriptions` (`customer_id`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `credits` integer;--> statement-breakpoint
ALTER TABLE `ledger` ADD `source` text DEFAULT 'month' NOT NULL;