CREATE TABLE `request_counts` (
	`name` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
