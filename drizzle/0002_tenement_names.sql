ALTER TABLE "tenements_history" ADD COLUMN "given_name" text;--> statement-breakpoint
ALTER TABLE "tenements_history" ADD COLUMN "name_key" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "tenements_history" ADD COLUMN "commodities" text;--> statement-breakpoint
ALTER TABLE "tenements" ADD COLUMN "given_name" text;--> statement-breakpoint
ALTER TABLE "tenements" ADD COLUMN "name_key" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "tenements" ADD COLUMN "commodities" text;--> statement-breakpoint
CREATE INDEX "tenements_by_name" ON "tenements" USING gin ("name_key" gin_trgm_ops);