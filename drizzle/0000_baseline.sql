CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TABLE "access_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"account_id" bigint NOT NULL,
	"token_prefix" text COLLATE "C",
	"action" text NOT NULL,
	"columns" jsonb NOT NULL,
	"who" text NOT NULL,
	"origin" text NOT NULL,
	CONSTRAINT "access_changes_action" CHECK ("access_changes"."action" in ('created', 'changed', 'deleted')),
	CONSTRAINT "access_changes_columns" CHECK (jsonb_typeof("access_changes"."columns") = 'object')
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_folded" text COLLATE "C" NOT NULL,
	"plan" text NOT NULL,
	"request_limit" integer,
	"created_at" timestamp(0) with time zone DEFAULT now() NOT NULL,
	"disabled_at" timestamp(0) with time zone,
	CONSTRAINT "accounts_email" CHECK ("accounts"."email" ~ '^[^[:space:]@]+@[^[:space:]@]+$' and "accounts"."email_folded" <> ''),
	CONSTRAINT "accounts_plan" CHECK ("accounts"."plan" in ('standard', 'enterprise', 'admin')),
	CONSTRAINT "accounts_request_limit" CHECK (("accounts"."plan" = 'enterprise') = ("accounts"."request_limit" is not null) and "accounts"."request_limit" between 1 and 1000000)
);
--> statement-breakpoint
CREATE TABLE "recent_requests" (
	"request_id" uuid PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"method" text NOT NULL,
	"target" text NOT NULL,
	"status" integer NOT NULL,
	"ms" real NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"name" text NOT NULL,
	"sha256" text COLLATE "C" NOT NULL,
	"prefix" text COLLATE "C" NOT NULL,
	"created_at" timestamp(0) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp(0) with time zone,
	"expires_at" timestamp(0) with time zone,
	"revoked_at" timestamp(0) with time zone,
	CONSTRAINT "tokens_name" CHECK ("tokens"."name" ~ '[^[:space:]]'),
	CONSTRAINT "tokens_sha256" CHECK ("tokens"."sha256" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "tokens_prefix" CHECK ("tokens"."prefix" ~ '^mds_[0-9A-Za-z]{8}$')
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"account_id" bigint NOT NULL,
	"hour" timestamp(0) with time zone NOT NULL,
	"token_id" bigint NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "usage_hours_account_id_hour_token_id_pk" PRIMARY KEY("account_id","hour","token_id"),
	CONSTRAINT "usage_hours_hour" CHECK (extract(epoch from "usage_hours"."hour")::bigint % 3600 = 0),
	CONSTRAINT "usage_hours_requests" CHECK ("usage_hours"."requests" >= 0)
);
--> statement-breakpoint
CREATE TABLE "rules" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"number" integer NOT NULL,
	"version" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "companies_history" (
	"asx_code" text COLLATE "C" NOT NULL,
	"company_name" text NOT NULL,
	"company_name_folded" text COLLATE "C" NOT NULL,
	"name_key" text COLLATE "C" NOT NULL,
	"market_cap_aud" bigint,
	"gics_sector" text,
	"gics_sector_folded" text COLLATE "C",
	"gics_industry_group" text,
	"gics_industry_group_folded" text COLLATE "C",
	"total_tenements" integer DEFAULT 0 NOT NULL,
	"is_active" boolean NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	"until_release" integer NOT NULL,
	"listing_date" date,
	"successor" text COLLATE "C",
	CONSTRAINT "companies_history_asx_code_since_release_pk" PRIMARY KEY("asx_code","since_release"),
	CONSTRAINT "companies_history_until_release" CHECK ("companies_history"."until_release" > "companies_history"."since_release")
);
--> statement-breakpoint
CREATE TABLE "companies" (
	"asx_code" text COLLATE "C" PRIMARY KEY NOT NULL,
	"company_name" text NOT NULL,
	"company_name_folded" text COLLATE "C" NOT NULL,
	"name_key" text COLLATE "C" NOT NULL,
	"market_cap_aud" bigint,
	"gics_sector" text,
	"gics_sector_folded" text COLLATE "C",
	"gics_industry_group" text,
	"gics_industry_group_folded" text COLLATE "C",
	"total_tenements" integer DEFAULT 0 NOT NULL,
	"is_active" boolean NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	"listing_date" date,
	"successor" text COLLATE "C",
	CONSTRAINT "companies_asx_code" CHECK ("companies"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	CONSTRAINT "companies_market_cap_aud" CHECK ("companies"."market_cap_aud" between 0 and 9007199254740991),
	CONSTRAINT "companies_total_tenements" CHECK ("companies"."total_tenements" >= 0)
);
--> statement-breakpoint
CREATE TABLE "declared_tenements" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"tenement_id" text NOT NULL,
	"reference_key" text COLLATE "C" DEFAULT '' NOT NULL,
	"interest_percent" double precision,
	"as_at" date,
	"url" text,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	CONSTRAINT "declared_tenements_id" CHECK ("declared_tenements"."id" ~ '^[A-Za-z0-9._~-]+$' and length("declared_tenements"."id") <= 100),
	CONSTRAINT "declared_tenements_asx_code" CHECK ("declared_tenements"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	CONSTRAINT "declared_tenements_state" CHECK ("declared_tenements"."state" ~ '^[A-Z]{2,3}$'),
	CONSTRAINT "declared_tenements_interest_percent" CHECK ("declared_tenements"."interest_percent" > 0 and "declared_tenements"."interest_percent" <= 100),
	CONSTRAINT "declared_tenements_as_at" CHECK ("declared_tenements"."as_at" between '0001-01-01' and '9999-12-31')
);
--> statement-breakpoint
CREATE TABLE "declared_tenements_history" (
	"id" text COLLATE "C" NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"tenement_id" text NOT NULL,
	"reference_key" text COLLATE "C" DEFAULT '' NOT NULL,
	"interest_percent" double precision,
	"as_at" date,
	"url" text,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	"until_release" integer NOT NULL,
	CONSTRAINT "declared_tenements_history_id_since_release_pk" PRIMARY KEY("id","since_release"),
	CONSTRAINT "declared_tenements_history_until_release" CHECK ("declared_tenements_history"."until_release" > "declared_tenements_history"."since_release")
);
--> statement-breakpoint
CREATE TABLE "directory_days" (
	"day" date PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_names" (
	"asx_code" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"name_key" text COLLATE "C" NOT NULL,
	"is_certain" boolean NOT NULL,
	CONSTRAINT "former_names_asx_code_name_key_pk" PRIMARY KEY("asx_code","name_key"),
	CONSTRAINT "former_names_asx_code" CHECK ("former_names"."asx_code" ~ '^[0-9A-Z]{3,6}$')
);
--> statement-breakpoint
CREATE TABLE "link_decisions" (
	"holder_key" text COLLATE "C" NOT NULL,
	"holder" text NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"is_right" boolean NOT NULL,
	CONSTRAINT "link_decisions_holder_key_asx_code_pk" PRIMARY KEY("holder_key","asx_code"),
	CONSTRAINT "link_decisions_asx_code" CHECK ("link_decisions"."asx_code" ~ '^[0-9A-Z]{3,6}$')
);
--> statement-breakpoint
CREATE TABLE "link_keys" (
	"key" text COLLATE "C" NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"basis" text NOT NULL,
	"declaration" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "listings" (
	"asx_code" text COLLATE "C" NOT NULL,
	"listing_date" date,
	"name_key" text COLLATE "C" NOT NULL,
	"company_name" text NOT NULL,
	"first_day" date NOT NULL,
	"last_day" date NOT NULL,
	CONSTRAINT "listings_asx_code_listing_date_name_key_unique" UNIQUE NULLS NOT DISTINCT("asx_code","listing_date","name_key"),
	CONSTRAINT "listings_asx_code" CHECK ("listings"."asx_code" ~ '^[0-9A-Z]{3,6}$')
);
--> statement-breakpoint
CREATE TABLE "releases" (
	"id" integer PRIMARY KEY NOT NULL,
	"published_at" timestamp(0) with time zone NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"manifest" jsonb NOT NULL,
	"identity" uuid DEFAULT gen_random_uuid() NOT NULL,
	"is_pruned" boolean DEFAULT false NOT NULL,
	CONSTRAINT "releases_id" CHECK ("releases"."id" > 0),
	CONSTRAINT "releases_published_at" CHECK ("releases"."published_at" >= '0001-01-01T00:00:00Z' and "releases"."published_at" < '10000-01-01T00:00:00Z'),
	CONSTRAINT "releases_manifest" CHECK (jsonb_typeof("releases"."manifest") = 'object')
);
--> statement-breakpoint
CREATE TABLE "reports_history" (
	"hash" text COLLATE "C" NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"title_folded" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C",
	"types_folded" text ARRAY COLLATE "C" NOT NULL,
	"report_group" text COLLATE "C" DEFAULT 'other' NOT NULL,
	"published_at" timestamp(0) with time zone NOT NULL,
	"url" text,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	"until_release" integer NOT NULL,
	CONSTRAINT "reports_history_hash_since_release_pk" PRIMARY KEY("hash","since_release"),
	CONSTRAINT "reports_history_until_release" CHECK ("reports_history"."until_release" > "reports_history"."since_release")
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"title_folded" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C",
	"types_folded" text ARRAY COLLATE "C" NOT NULL,
	"report_group" text COLLATE "C" DEFAULT 'other' NOT NULL,
	"published_at" timestamp(0) with time zone NOT NULL,
	"url" text,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	CONSTRAINT "reports_hash" CHECK ("reports"."hash" ~ '^[A-Za-z0-9._~-]+$' and length("reports"."hash") <= 100),
	CONSTRAINT "reports_asx_code" CHECK ("reports"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	CONSTRAINT "reports_published_at" CHECK ("reports"."published_at" >= '0001-01-01T00:00:00Z' and "reports"."published_at" < '10000-01-01T00:00:00Z')
);
--> statement-breakpoint
CREATE TABLE "shape_parts" (
	"shape" text COLLATE "C" NOT NULL,
	"part" integer NOT NULL,
	"coordinates" text NOT NULL,
	"outline" "polygon" NOT NULL,
	"holes" "polygon"[] NOT NULL,
	CONSTRAINT "shape_parts_shape_part_pk" PRIMARY KEY("shape","part")
);
--> statement-breakpoint
CREATE TABLE "subsidiaries_history" (
	"id" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"name_folded" text COLLATE "C" NOT NULL,
	"name_key" text COLLATE "C" NOT NULL,
	"parent_asx_code" text COLLATE "C" NOT NULL,
	"country" text,
	"ownership_percentage" double precision,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	"until_release" integer NOT NULL,
	CONSTRAINT "subsidiaries_history_id_since_release_pk" PRIMARY KEY("id","since_release"),
	CONSTRAINT "subsidiaries_history_until_release" CHECK ("subsidiaries_history"."until_release" > "subsidiaries_history"."since_release")
);
--> statement-breakpoint
CREATE TABLE "subsidiaries" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"name_folded" text COLLATE "C" NOT NULL,
	"name_key" text COLLATE "C" NOT NULL,
	"parent_asx_code" text COLLATE "C" NOT NULL,
	"country" text,
	"ownership_percentage" double precision,
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	CONSTRAINT "subsidiaries_id" CHECK ("subsidiaries"."id" ~ '^[A-Za-z0-9._~-]+$' and length("subsidiaries"."id") <= 100),
	CONSTRAINT "subsidiaries_parent_asx_code" CHECK ("subsidiaries"."parent_asx_code" ~ '^[0-9A-Z]{3,6}$'),
	CONSTRAINT "subsidiaries_ownership_percentage" CHECK ("subsidiaries"."ownership_percentage" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "successor_decisions" (
	"asx_code" text COLLATE "C" NOT NULL,
	"listing_date" date NOT NULL,
	"successor" text COLLATE "C" NOT NULL,
	"successor_date" date NOT NULL,
	"is_right" boolean NOT NULL,
	CONSTRAINT "successor_decisions_asx_code_listing_date_successor_pk" PRIMARY KEY("asx_code","listing_date","successor"),
	CONSTRAINT "successor_decisions_asx_code" CHECK ("successor_decisions"."asx_code" ~ '^[0-9A-Z]{3,6}$'),
	CONSTRAINT "successor_decisions_successor" CHECK ("successor_decisions"."successor" ~ '^[0-9A-Z]{3,6}$')
);
--> statement-breakpoint
CREATE TABLE "suggested_links" (
	"position" integer PRIMARY KEY NOT NULL,
	"holder_key" text COLLATE "C" NOT NULL,
	"holder" text NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"suggestion" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenements_history" (
	"id" text COLLATE "C" NOT NULL,
	"tenement_id" text NOT NULL,
	"reference_key" text COLLATE "C" DEFAULT '' NOT NULL,
	"search_key" text COLLATE "C" DEFAULT '' NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"status" text,
	"status_folded" text COLLATE "C",
	"type" text,
	"type_folded" text COLLATE "C",
	"holder_name" text,
	"holder_name_folded" text COLLATE "C",
	"holder_keys" text ARRAY COLLATE "C" NOT NULL,
	"holder_spellings" text ARRAY COLLATE "C" DEFAULT '{}' NOT NULL,
	"asx_codes" text ARRAY COLLATE "C" DEFAULT '{}' NOT NULL,
	"has_company" boolean DEFAULT false NOT NULL,
	"grant_date" date,
	"expiry_date" date,
	"area_km2" double precision,
	"latitude" double precision,
	"longitude" double precision,
	"geometry" text COLLATE "C",
	"bounds" "box",
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	"until_release" integer NOT NULL,
	CONSTRAINT "tenements_history_id_since_release_pk" PRIMARY KEY("id","since_release"),
	CONSTRAINT "tenements_history_until_release" CHECK ("tenements_history"."until_release" > "tenements_history"."since_release")
);
--> statement-breakpoint
CREATE TABLE "tenements" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"tenement_id" text NOT NULL,
	"reference_key" text COLLATE "C" DEFAULT '' NOT NULL,
	"search_key" text COLLATE "C" DEFAULT '' NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"status" text,
	"status_folded" text COLLATE "C",
	"type" text,
	"type_folded" text COLLATE "C",
	"holder_name" text,
	"holder_name_folded" text COLLATE "C",
	"holder_keys" text ARRAY COLLATE "C" NOT NULL,
	"holder_spellings" text ARRAY COLLATE "C" DEFAULT '{}' NOT NULL,
	"asx_codes" text ARRAY COLLATE "C" DEFAULT '{}' NOT NULL,
	"has_company" boolean DEFAULT false NOT NULL,
	"grant_date" date,
	"expiry_date" date,
	"area_km2" double precision,
	"latitude" double precision,
	"longitude" double precision,
	"geometry" text COLLATE "C",
	"bounds" "box",
	"source" text COLLATE "C" NOT NULL,
	"since_release" integer NOT NULL,
	"file" integer,
	CONSTRAINT "tenements_id" CHECK ("tenements"."id" ~ '^[A-Za-z0-9._~-]+$' and length("tenements"."id") <= 100),
	CONSTRAINT "tenements_state" CHECK ("tenements"."state" ~ '^[A-Z]{2,3}$'),
	CONSTRAINT "tenements_grant_date" CHECK ("tenements"."grant_date" between '0001-01-01' and '9999-12-31'),
	CONSTRAINT "tenements_expiry_date" CHECK ("tenements"."expiry_date" between '0001-01-01' and '9999-12-31'),
	CONSTRAINT "tenements_area_km2" CHECK ("tenements"."area_km2" >= 0 and "tenements"."area_km2" < 'infinity')
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"signed_in_at" timestamp(0) with time zone NOT NULL,
	"last_seen_at" timestamp(0) with time zone NOT NULL,
	"address" text NOT NULL,
	"user_agent" text NOT NULL,
	CONSTRAINT "sessions_id" CHECK ("sessions"."id" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "sign_in_links" (
	"sha256" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_folded" text COLLATE "C" NOT NULL,
	"expires_at" timestamp(0) with time zone NOT NULL,
	CONSTRAINT "sign_in_links_sha256" CHECK ("sign_in_links"."sha256" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE TABLE "sources" (
	"name" text COLLATE "C" NOT NULL,
	"resource" text COLLATE "C" NOT NULL,
	"number" integer GENERATED ALWAYS AS IDENTITY (sequence name "sources_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"last_loaded_at" timestamp(0) with time zone,
	"last_outcome" text NOT NULL,
	"last_reason" text,
	"last_finding" text,
	"last_observed_at" timestamp(0) with time zone,
	"last_observed_is_known" boolean,
	"last_files" text[],
	"last_release" integer,
	"last_changed_at" timestamp(0) with time zone,
	"licence" text,
	"attribution" text,
	"crs" text,
	"address" text,
	"last_attempted_at" timestamp(0) with time zone,
	"last_fetched_at" timestamp(0) with time zone,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"totals" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "sources_name_resource_pk" PRIMARY KEY("name","resource"),
	CONSTRAINT "sources_last_reason" CHECK ("sources"."last_reason" is not null or "sources"."last_outcome" not in ('refused', 'failed')),
	CONSTRAINT "sources_address" CHECK ("sources"."address" ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'),
	CONSTRAINT "sources_counts" CHECK (jsonb_typeof("sources"."counts") = 'object')
);
--> statement-breakpoint
CREATE TABLE "missing_records" (
	"source" text COLLATE "C" NOT NULL,
	"resource" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"missing_since" timestamp(0) with time zone NOT NULL,
	"last_missing_at" timestamp(0) with time zone NOT NULL,
	"loads" integer NOT NULL,
	"last_files" text,
	CONSTRAINT "missing_records_source_resource_key_pk" PRIMARY KEY("source","resource","key"),
	CONSTRAINT "missing_records_last_missing_at" CHECK ("missing_records"."last_missing_at" >= "missing_records"."missing_since"),
	CONSTRAINT "missing_records_loads" CHECK ("missing_records"."loads" > 0)
);
--> statement-breakpoint
ALTER TABLE "recent_requests" ADD CONSTRAINT "recent_requests_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_hours" ADD CONSTRAINT "usage_hours_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_changes_by_account" ON "access_changes" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "access_changes_of_sessions" ON "access_changes" USING btree ("at") WHERE "access_changes"."columns" ? 'signed_in_at';--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_by_email" ON "accounts" USING btree ("email_folded");--> statement-breakpoint
CREATE INDEX "recent_requests_by_account" ON "recent_requests" USING btree ("account_id","at","request_id");--> statement-breakpoint
CREATE INDEX "recent_requests_by_time" ON "recent_requests" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_by_sha256" ON "tokens" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "tokens_by_prefix" ON "tokens" USING btree ("prefix");--> statement-breakpoint
CREATE INDEX "tokens_by_account" ON "tokens" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "usage_hours_by_hour" ON "usage_hours" USING btree ("hour");--> statement-breakpoint
CREATE INDEX "companies_history_until" ON "companies_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "companies_history_since" ON "companies_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "companies_by_name" ON "companies" USING btree ("company_name_folded","asx_code");--> statement-breakpoint
CREATE INDEX "companies_by_name_key" ON "companies" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "companies_since" ON "companies" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "declared_tenements_since" ON "declared_tenements" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "declared_tenements_history_until" ON "declared_tenements_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "declared_tenements_history_since" ON "declared_tenements_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "link_keys_by_key" ON "link_keys" USING btree ("key");--> statement-breakpoint
CREATE INDEX "listings_by_date" ON "listings" USING btree ("listing_date");--> statement-breakpoint
CREATE INDEX "releases_kept" ON "releases" USING btree ("id") WHERE not "releases"."is_pruned";--> statement-breakpoint
CREATE INDEX "reports_history_until" ON "reports_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "reports_history_since" ON "reports_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "reports_history_newest_first" ON "reports_history" USING btree ("published_at" DESC NULLS LAST,"hash");--> statement-breakpoint
CREATE INDEX "reports_newest_first" ON "reports" USING btree ("published_at" DESC NULLS LAST,"hash");--> statement-breakpoint
CREATE INDEX "reports_by_company" ON "reports" USING btree ("asx_code","published_at" DESC NULLS LAST,"hash");--> statement-breakpoint
CREATE INDEX "reports_by_type" ON "reports" USING gin ("types_folded");--> statement-breakpoint
CREATE INDEX "reports_by_type_and_group" ON "reports" USING btree ("type","report_group");--> statement-breakpoint
CREATE INDEX "reports_by_title" ON "reports" USING gin ("title_folded" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "reports_since" ON "reports" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "subsidiaries_history_until" ON "subsidiaries_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "subsidiaries_history_since" ON "subsidiaries_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "subsidiaries_by_parent" ON "subsidiaries" USING btree ("parent_asx_code","name_folded","id");--> statement-breakpoint
CREATE INDEX "subsidiaries_by_name_key" ON "subsidiaries" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "subsidiaries_since" ON "subsidiaries" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "tenements_history_until" ON "tenements_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "tenements_history_since" ON "tenements_history" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "tenements_by_state" ON "tenements" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "tenements_by_state_and_status" ON "tenements" USING btree ("state","status_folded","id");--> statement-breakpoint
CREATE INDEX "tenements_by_status" ON "tenements" USING btree ("status_folded","id");--> statement-breakpoint
CREATE INDEX "tenements_by_type" ON "tenements" USING btree ("type_folded","id");--> statement-breakpoint
CREATE INDEX "tenements_by_holder" ON "tenements" USING gin ("holder_name_folded" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "tenements_by_number" ON "tenements" USING gin ("search_key" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "tenements_by_reference" ON "tenements" USING btree ("reference_key","id");--> statement-breakpoint
CREATE INDEX "tenements_by_reference_desc" ON "tenements" USING btree ("reference_key" DESC NULLS LAST,"id");--> statement-breakpoint
CREATE INDEX "tenements_by_company" ON "tenements" USING gin ("asx_codes");--> statement-breakpoint
CREATE INDEX "tenements_by_holder_key" ON "tenements" USING gin ("holder_keys");--> statement-breakpoint
CREATE INDEX "tenements_by_bounds" ON "tenements" USING gist ("bounds");--> statement-breakpoint
CREATE INDEX "tenements_by_grant_date_asc" ON "tenements" USING btree (coalesce("grant_date", 'infinity'::date),"id");--> statement-breakpoint
CREATE INDEX "tenements_by_grant_date_desc" ON "tenements" USING btree (coalesce('2000-01-01'::date - "grant_date", 2147483647),"id");--> statement-breakpoint
CREATE INDEX "tenements_by_expiry_date_asc" ON "tenements" USING btree (coalesce("expiry_date", 'infinity'::date),"id");--> statement-breakpoint
CREATE INDEX "tenements_by_expiry_date_desc" ON "tenements" USING btree (coalesce('2000-01-01'::date - "expiry_date", 2147483647),"id");--> statement-breakpoint
CREATE INDEX "tenements_by_area_km2_asc" ON "tenements" USING btree (coalesce("area_km2", 'infinity'::float8),"id");--> statement-breakpoint
CREATE INDEX "tenements_by_area_km2_desc" ON "tenements" USING btree (coalesce(-"area_km2", 'infinity'::float8),"id");--> statement-breakpoint
CREATE INDEX "tenements_since" ON "tenements" USING btree ("since_release");--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_by_beginning" ON "sessions" USING btree ("signed_in_at");--> statement-breakpoint
CREATE INDEX "sessions_by_last_use" ON "sessions" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "sign_in_links_by_email" ON "sign_in_links" USING btree ("email_folded");--> statement-breakpoint
CREATE INDEX "sign_in_links_by_end" ON "sign_in_links" USING btree ("expires_at");
--> statement-breakpoint
ALTER TABLE "shape_parts" ALTER "coordinates" SET STORAGE EXTERNAL, ALTER "outline" SET STORAGE EXTERNAL, ALTER "holes" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Every change of an account, a token or a session is recorded in access_changes and notified to the serving processes, whether the service or a person with psql makes it.
CREATE FUNCTION note_access_change() RETURNS trigger LANGUAGE plpgsql SET timezone TO 'UTC' AS $$
DECLARE
	before jsonb := coalesce(to_jsonb(OLD), '{}');
	after jsonb := coalesce(to_jsonb(NEW), '{}');
	subject jsonb := CASE TG_OP WHEN 'INSERT' THEN after ELSE before END;
	account bigint := coalesce(subject ->> 'account_id', subject ->> 'id')::bigint;
BEGIN
	INSERT INTO access_changes (account_id, token_prefix, action, columns, who, origin)
	SELECT
		account,
		subject ->> 'prefix',
		CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'UPDATE' THEN 'changed' ELSE 'deleted' END,
		coalesce(jsonb_object_agg(name, jsonb_build_array(before -> name, after -> name)), '{}'),
		coalesce(nullif(current_setting('mds.who', true), ''), 'database role ' || session_user),
		coalesce(nullif(current_setting('mds.origin', true), ''), host(inet_client_addr()), 'local socket')
	FROM unnest(TG_ARGV) AS name
	WHERE coalesce(before -> name, 'null') <> coalesce(after -> name, 'null')
	HAVING TG_OP <> 'UPDATE' OR count(*) > 0;
	-- No process has cached a new row.
	IF TG_OP <> 'INSERT' THEN PERFORM pg_notify('mds_access', account::text); END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER accounts_noted AFTER INSERT OR DELETE OR UPDATE OF email, plan, request_limit, disabled_at ON accounts
	FOR EACH ROW EXECUTE FUNCTION note_access_change('email', 'plan', 'request_limit', 'disabled_at');
--> statement-breakpoint
CREATE TRIGGER tokens_noted AFTER INSERT OR DELETE OR UPDATE OF account_id, name, expires_at, revoked_at ON tokens
	FOR EACH ROW EXECUTE FUNCTION note_access_change('account_id', 'name', 'expires_at', 'revoked_at');
--> statement-breakpoint
CREATE TRIGGER sessions_noted AFTER INSERT OR DELETE ON sessions
	FOR EACH ROW EXECUTE FUNCTION note_access_change('signed_in_at');
--> statement-breakpoint
CREATE FUNCTION note_access_truncation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('mds_access', '');
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER accounts_truncated AFTER TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION note_access_truncation();
--> statement-breakpoint
CREATE TRIGGER tokens_truncated AFTER TRUNCATE ON tokens FOR EACH STATEMENT EXECUTE FUNCTION note_access_truncation();
--> statement-breakpoint
-- The serving processes are notified when a release is published, changed or deleted.
CREATE FUNCTION notify_release_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('mds_releases', '');
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER releases_notified AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON releases
	FOR EACH STATEMENT EXECUTE FUNCTION notify_release_change();
