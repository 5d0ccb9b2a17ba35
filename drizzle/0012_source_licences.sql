ALTER TABLE "sources" ADD COLUMN "licence" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "attribution" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "last_fetched_at" timestamp(0) with time zone;--> statement-breakpoint
ALTER TABLE "sources" ADD CONSTRAINT "sources_address" CHECK ("sources"."address" ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$');