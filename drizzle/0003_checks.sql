-- Written by hand: accounts that a person changed so that plan and limit do not fit each other. A limit stays what it was in effect; a plan that is none becomes the one that allows least. The triggers keep what is changed in the audit. Any other row that a check below refuses stops the migration, which then changes nothing: only a person can say what was meant.
SELECT set_config('mds.who', 'migration 0003', true);
--> statement-breakpoint
UPDATE "accounts" SET "plan" = CASE WHEN lower(trim("plan")) IN ('standard', 'enterprise', 'admin') THEN lower(trim("plan")) ELSE 'standard' END
	WHERE "plan" NOT IN ('standard', 'enterprise', 'admin');
--> statement-breakpoint
UPDATE "accounts" SET "request_limit" = CASE WHEN "plan" = 'enterprise' THEN greatest(1, least(coalesce("request_limit", 1000), 2147483646)) END
	WHERE ("plan" = 'enterprise') <> ("request_limit" IS NOT NULL) OR "request_limit" NOT BETWEEN 1 AND 2147483646;
--> statement-breakpoint
CREATE INDEX "companies_since" ON "companies" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "companies_history_since" ON "companies_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "reports_since" ON "reports" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "reports_history_since" ON "reports_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "subsidiaries_since" ON "subsidiaries" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "subsidiaries_history_since" ON "subsidiaries_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "tenements_since" ON "tenements" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "tenements_history_since" ON "tenements_history" USING btree ("since_release");--> statement-breakpoint
-- Written by hand: one scan for the checks of each table. What every request reads comes last, so that it is not locked while the large tables are scanned.
ALTER TABLE "companies"
	ADD CONSTRAINT "companies_asx_code" CHECK ("companies"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	ADD CONSTRAINT "companies_market_cap_aud" CHECK ("companies"."market_cap_aud" between 0 and 9007199254740991),
	ADD CONSTRAINT "companies_total_tenements" CHECK ("companies"."total_tenements" >= 0);
--> statement-breakpoint
ALTER TABLE "companies_history"
	ADD CONSTRAINT "companies_history_asx_code" CHECK ("companies_history"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	ADD CONSTRAINT "companies_history_market_cap_aud" CHECK ("companies_history"."market_cap_aud" between 0 and 9007199254740991),
	ADD CONSTRAINT "companies_history_total_tenements" CHECK ("companies_history"."total_tenements" >= 0),
	ADD CONSTRAINT "companies_history_until_release" CHECK ("companies_history"."until_release" > "companies_history"."since_release");
--> statement-breakpoint
ALTER TABLE "reports"
	ADD CONSTRAINT "reports_hash" CHECK ("reports"."hash" ~ '^[A-Za-z0-9._~-]{1,100}$'),
	ADD CONSTRAINT "reports_asx_code" CHECK ("reports"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	ADD CONSTRAINT "reports_published_at" CHECK ("reports"."published_at" >= '0001-01-01T00:00:00Z' and "reports"."published_at" < '10000-01-01T00:00:00Z');
--> statement-breakpoint
ALTER TABLE "reports_history"
	ADD CONSTRAINT "reports_history_hash" CHECK ("reports_history"."hash" ~ '^[A-Za-z0-9._~-]{1,100}$'),
	ADD CONSTRAINT "reports_history_asx_code" CHECK ("reports_history"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	ADD CONSTRAINT "reports_history_published_at" CHECK ("reports_history"."published_at" >= '0001-01-01T00:00:00Z' and "reports_history"."published_at" < '10000-01-01T00:00:00Z'),
	ADD CONSTRAINT "reports_history_until_release" CHECK ("reports_history"."until_release" > "reports_history"."since_release");
--> statement-breakpoint
ALTER TABLE "subsidiaries"
	ADD CONSTRAINT "subsidiaries_id" CHECK ("subsidiaries"."id" ~ '^[A-Za-z0-9._~-]{1,100}$'),
	ADD CONSTRAINT "subsidiaries_parent_asx_code" CHECK ("subsidiaries"."parent_asx_code" ~ '^[0-9A-Z]{3,6}$'),
	ADD CONSTRAINT "subsidiaries_ownership_percentage" CHECK ("subsidiaries"."ownership_percentage" between 0 and 100);
--> statement-breakpoint
ALTER TABLE "subsidiaries_history"
	ADD CONSTRAINT "subsidiaries_history_id" CHECK ("subsidiaries_history"."id" ~ '^[A-Za-z0-9._~-]{1,100}$'),
	ADD CONSTRAINT "subsidiaries_history_parent_asx_code" CHECK ("subsidiaries_history"."parent_asx_code" ~ '^[0-9A-Z]{3,6}$'),
	ADD CONSTRAINT "subsidiaries_history_ownership_percentage" CHECK ("subsidiaries_history"."ownership_percentage" between 0 and 100),
	ADD CONSTRAINT "subsidiaries_history_until_release" CHECK ("subsidiaries_history"."until_release" > "subsidiaries_history"."since_release");
--> statement-breakpoint
ALTER TABLE "tenements"
	ADD CONSTRAINT "tenements_id" CHECK ("tenements"."id" ~ '^[A-Za-z0-9._~-]{1,100}$'),
	ADD CONSTRAINT "tenements_state" CHECK ("tenements"."state" in ('WA', 'NSW', 'QLD', 'VIC', 'SA', 'TAS', 'NT')),
	ADD CONSTRAINT "tenements_grant_date" CHECK ("tenements"."grant_date" between '0001-01-01' and '9999-12-31'),
	ADD CONSTRAINT "tenements_expiry_date" CHECK ("tenements"."expiry_date" between '0001-01-01' and '9999-12-31'),
	ADD CONSTRAINT "tenements_area_km2" CHECK ("tenements"."area_km2" >= 0 and "tenements"."area_km2" < 'infinity');
--> statement-breakpoint
ALTER TABLE "tenements_history"
	ADD CONSTRAINT "tenements_history_id" CHECK ("tenements_history"."id" ~ '^[A-Za-z0-9._~-]{1,100}$'),
	ADD CONSTRAINT "tenements_history_state" CHECK ("tenements_history"."state" in ('WA', 'NSW', 'QLD', 'VIC', 'SA', 'TAS', 'NT')),
	ADD CONSTRAINT "tenements_history_grant_date" CHECK ("tenements_history"."grant_date" between '0001-01-01' and '9999-12-31'),
	ADD CONSTRAINT "tenements_history_expiry_date" CHECK ("tenements_history"."expiry_date" between '0001-01-01' and '9999-12-31'),
	ADD CONSTRAINT "tenements_history_area_km2" CHECK ("tenements_history"."area_km2" >= 0 and "tenements_history"."area_km2" < 'infinity'),
	ADD CONSTRAINT "tenements_history_until_release" CHECK ("tenements_history"."until_release" > "tenements_history"."since_release");
--> statement-breakpoint
ALTER TABLE "releases"
	ADD CONSTRAINT "releases_id" CHECK ("releases"."id" > 0),
	ADD CONSTRAINT "releases_published_at" CHECK ("releases"."published_at" >= '0001-01-01T00:00:00Z' and "releases"."published_at" < '10000-01-01T00:00:00Z'),
	ADD CONSTRAINT "releases_manifest" CHECK (jsonb_typeof("releases"."manifest") = 'object');
--> statement-breakpoint
ALTER TABLE "access_changes"
	ADD CONSTRAINT "access_changes_action" CHECK ("access_changes"."action" in ('created', 'changed', 'deleted')),
	ADD CONSTRAINT "access_changes_columns" CHECK (jsonb_typeof("access_changes"."columns") = 'object');
--> statement-breakpoint
ALTER TABLE "usage_hours"
	ADD CONSTRAINT "usage_hours_hour" CHECK (extract(epoch from "usage_hours"."hour")::bigint % 3600 = 0),
	ADD CONSTRAINT "usage_hours_requests" CHECK ("usage_hours"."requests" >= 0);
--> statement-breakpoint
ALTER TABLE "tokens"
	ADD CONSTRAINT "tokens_name" CHECK ("tokens"."name" ~ '[^[:space:]]'),
	ADD CONSTRAINT "tokens_sha256" CHECK ("tokens"."sha256" ~ '^[0-9a-f]{64}$'),
	ADD CONSTRAINT "tokens_prefix" CHECK ("tokens"."prefix" ~ '^mds_[0-9A-Za-z]{8}$');
--> statement-breakpoint
ALTER TABLE "accounts"
	ADD CONSTRAINT "accounts_email" CHECK ("accounts"."email" ~ '^[^[:space:]@]+@[^[:space:]@]+$' and "accounts"."email_folded" <> ''),
	ADD CONSTRAINT "accounts_plan" CHECK ("accounts"."plan" in ('standard', 'enterprise', 'admin')),
	ADD CONSTRAINT "accounts_request_limit" CHECK (("accounts"."plan" = 'enterprise') = ("accounts"."request_limit" is not null) and "accounts"."request_limit" between 1 and 2147483646);