-- Counters that move with the rows they count, whoever writes them. Domain '' is the sum of all.
INSERT INTO result_counts (domain, status, count) SELECT domain, status, count(*) FROM results GROUP BY domain, status;
--> statement-breakpoint
INSERT INTO result_counts (domain, status, count) SELECT '', status, count(*) FROM results GROUP BY status;
--> statement-breakpoint
INSERT INTO row_counts (name, count) VALUES ('domains', (SELECT count(*) FROM domains)), ('verifications', (SELECT count(*) FROM verifications)), ('suppressions', (SELECT count(*) FROM suppressions)), ('feedback', (SELECT count(*) FROM feedback));
--> statement-breakpoint
INSERT INTO list_version (id, version) VALUES (1, 0);
--> statement-breakpoint
CREATE TRIGGER results_added AFTER INSERT ON results BEGIN
  INSERT INTO result_counts (domain, status, count) VALUES (new.domain, new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO service_counts (day, name, count) VALUES (strftime('%Y-%m-%d', new.verified_at / 1000, 'unixepoch'), 'verified:' || new.status, 1) ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER results_renewed AFTER UPDATE OF verified_at ON results WHEN new.verified_at <> old.verified_at BEGIN
  INSERT INTO service_counts (day, name, count) VALUES (strftime('%Y-%m-%d', new.verified_at / 1000, 'unixepoch'), 'verified:' || new.status, 1) ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER results_changed AFTER UPDATE OF status, domain ON results WHEN new.status <> old.status OR new.domain <> old.domain BEGIN
  INSERT INTO result_counts (domain, status, count) VALUES (old.domain, old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES (new.domain, new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', new.status, 1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  DELETE FROM result_counts WHERE domain = old.domain AND domain <> '' AND count <= 0;
END;
--> statement-breakpoint
CREATE TRIGGER results_removed AFTER DELETE ON results BEGIN
  INSERT INTO result_counts (domain, status, count) VALUES (old.domain, old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  INSERT INTO result_counts (domain, status, count) VALUES ('', old.status, -1) ON CONFLICT (domain, status) DO UPDATE SET count = count + excluded.count;
  DELETE FROM result_counts WHERE domain = old.domain AND domain <> '' AND count <= 0;
END;
--> statement-breakpoint
CREATE TRIGGER domains_counted AFTER INSERT ON domains BEGIN
  INSERT INTO row_counts (name, count) VALUES ('domains', 1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER domains_uncounted AFTER DELETE ON domains BEGIN
  INSERT INTO row_counts (name, count) VALUES ('domains', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER verifications_counted AFTER INSERT ON verifications BEGIN
  INSERT INTO row_counts (name, count) VALUES ('verifications', 1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER verifications_uncounted AFTER DELETE ON verifications BEGIN
  INSERT INTO row_counts (name, count) VALUES ('verifications', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER suppressions_counted AFTER INSERT ON suppressions BEGIN
  INSERT INTO row_counts (name, count) VALUES ('suppressions', 1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER suppressions_uncounted AFTER DELETE ON suppressions BEGIN
  INSERT INTO row_counts (name, count) VALUES ('suppressions', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER feedback_counted AFTER INSERT ON feedback BEGIN
  INSERT INTO row_counts (name, count) VALUES ('feedback', 1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER feedback_uncounted AFTER DELETE ON feedback BEGIN
  INSERT INTO row_counts (name, count) VALUES ('feedback', -1) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER domains_learned AFTER INSERT ON domains BEGIN
  INSERT INTO service_counts (day, name, count) VALUES (strftime('%Y-%m-%d', new.checked_at / 1000, 'unixepoch'), 'facts', 1) ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count;
END;
--> statement-breakpoint
CREATE TRIGGER domains_relearned AFTER UPDATE OF checked_at ON domains WHEN new.checked_at <> old.checked_at BEGIN
  INSERT INTO service_counts (day, name, count) VALUES (strftime('%Y-%m-%d', new.checked_at / 1000, 'unixepoch'), 'facts', 1) ON CONFLICT (day, name) DO UPDATE SET count = count + excluded.count;
END;
