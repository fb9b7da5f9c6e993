CREATE TABLE `fleet_canaries` (
	`operator` text PRIMARY KEY NOT NULL,
	`existing` text NOT NULL,
	`missing` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fleet_health` (
	`node_id` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`since` integer NOT NULL,
	`good` integer NOT NULL,
	`bad` integer NOT NULL,
	`checked_at` integer NOT NULL,
	`rtt_ms` integer,
	`skew_ms` integer,
	`report` text,
	`listings` text,
	`listings_at` integer
);
--> statement-breakpoint
CREATE TABLE `fleet_ips` (
	`ip` text PRIMARY KEY NOT NULL,
	`pool` text NOT NULL,
	`registered_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fleet_nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`region` text NOT NULL,
	`url` text NOT NULL,
	`public_keys` text NOT NULL,
	`source_ips` text NOT NULL,
	`capacity` integer NOT NULL,
	`version` text NOT NULL,
	`account_id` text,
	`enrolled_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `fleet_nodes_account` ON `fleet_nodes` (`account_id`);--> statement-breakpoint
CREATE TABLE `fleet_outcomes` (
	`node_id` text NOT NULL,
	`source_ip` text NOT NULL,
	`operator` text NOT NULL,
	`slice` integer NOT NULL,
	`answered` integer NOT NULL,
	`blocked` integer NOT NULL,
	`deferred` integer NOT NULL,
	`failed` integer NOT NULL,
	`missing` integer NOT NULL,
	`total_ms` integer NOT NULL,
	PRIMARY KEY(`slice`, `node_id`, `source_ip`, `operator`)
);
--> statement-breakpoint
CREATE INDEX `fleet_outcomes_operator` ON `fleet_outcomes` (`operator`,`slice`);--> statement-breakpoint
CREATE TABLE `fleet_pairs` (
	`node_id` text NOT NULL,
	`source_ip` text NOT NULL,
	`operator` text NOT NULL,
	`open_until` integer DEFAULT 0 NOT NULL,
	`canary` text,
	`canary_at` integer,
	`detail` text,
	PRIMARY KEY(`node_id`, `source_ip`, `operator`)
);
--> statement-breakpoint
CREATE TABLE `fleet_sender_domains` (
	`domain` text PRIMARY KEY NOT NULL,
	`registered_at` integer NOT NULL,
	`checked_at` integer NOT NULL,
	`findings` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fleet_tokens` (
	`digest` text PRIMARY KEY NOT NULL,
	`account_id` text,
	`expires_at` integer NOT NULL,
	`used_by` text
);
