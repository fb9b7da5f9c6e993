ALTER TABLE `job_items` ADD `can_send` integer;--> statement-breakpoint
ALTER TABLE `results` ADD `can_send` integer;--> statement-breakpoint
ALTER TABLE `results` ADD `decided_at` integer;