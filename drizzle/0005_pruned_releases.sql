ALTER TABLE "releases" ADD COLUMN "is_pruned" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "releases_kept" ON "releases" USING btree ("id") WHERE not "releases"."is_pruned";