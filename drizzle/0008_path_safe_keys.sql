ALTER TABLE "reports" DROP CONSTRAINT "reports_hash";--> statement-breakpoint
ALTER TABLE "reports_history" DROP CONSTRAINT "reports_history_hash";--> statement-breakpoint
ALTER TABLE "subsidiaries" DROP CONSTRAINT "subsidiaries_id";--> statement-breakpoint
ALTER TABLE "subsidiaries_history" DROP CONSTRAINT "subsidiaries_history_id";--> statement-breakpoint
ALTER TABLE "tenements" DROP CONSTRAINT "tenements_id";--> statement-breakpoint
ALTER TABLE "tenements_history" DROP CONSTRAINT "tenements_history_id";--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_hash" CHECK ("reports"."hash" ~ '^[A-Za-z0-9._~-]+$' and length("reports"."hash") <= 100);--> statement-breakpoint
ALTER TABLE "reports_history" ADD CONSTRAINT "reports_history_hash" CHECK ("reports_history"."hash" ~ '^[A-Za-z0-9._~-]+$' and length("reports_history"."hash") <= 100);--> statement-breakpoint
ALTER TABLE "subsidiaries" ADD CONSTRAINT "subsidiaries_id" CHECK ("subsidiaries"."id" ~ '^[A-Za-z0-9._~-]+$' and length("subsidiaries"."id") <= 100);--> statement-breakpoint
ALTER TABLE "subsidiaries_history" ADD CONSTRAINT "subsidiaries_history_id" CHECK ("subsidiaries_history"."id" ~ '^[A-Za-z0-9._~-]+$' and length("subsidiaries_history"."id") <= 100);--> statement-breakpoint
ALTER TABLE "tenements" ADD CONSTRAINT "tenements_id" CHECK ("tenements"."id" ~ '^[A-Za-z0-9._~-]+$' and length("tenements"."id") <= 100);--> statement-breakpoint
ALTER TABLE "tenements_history" ADD CONSTRAINT "tenements_history_id" CHECK ("tenements_history"."id" ~ '^[A-Za-z0-9._~-]+$' and length("tenements_history"."id") <= 100);