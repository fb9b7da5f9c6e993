CREATE TABLE `payment_offers` (
	`offer_id` text PRIMARY KEY NOT NULL,
	`checkout_id` text NOT NULL,
	`customer_id` text NOT NULL,
	`email` text,
	`tier` text,
	`credits` integer,
	`amount` integer,
	`currency` text,
	`decision` text,
	`created_at` integer NOT NULL,
	`decided_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `payment_offers_checkoutId_unique` ON `payment_offers` (`checkout_id`);--> statement-breakpoint
CREATE INDEX `payment_offers_email` ON `payment_offers` (`email`);--> statement-breakpoint
CREATE INDEX `payment_offers_created` ON `payment_offers` (`created_at`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `granted_tier` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `created_by` text;--> statement-breakpoint
ALTER TABLE `billing_customers` ADD `is_offered` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sign_in_links` ADD `browser_hash` text;--> statement-breakpoint
-- What an account has beyond its running subscriptions, the operator has given.
UPDATE accounts SET granted_tier = tier WHERE tier <> 'free'
  AND instr('free starter pro enterprise', tier) > coalesce((SELECT max(instr('free starter pro enterprise', s.tier))
    FROM billing_customers AS c JOIN subscriptions AS s ON s.customer_id = c.customer_id
    WHERE c.account_id = accounts.account_id AND s.status IN ('active', 'trialing', 'past_due')), 0);
