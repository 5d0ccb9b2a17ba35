-- Written by hand: trigram indexes serve substring search. Trusted since PostgreSQL 13, so the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_folded" text COLLATE "C" NOT NULL,
	"plan" text NOT NULL,
	"request_limit" integer,
	"created_at" timestamp(0) with time zone DEFAULT now() NOT NULL
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
	"total_tenements" integer DEFAULT 0 NOT NULL,
	"is_active" boolean NOT NULL,
	"source" text NOT NULL,
	"since_release" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "releases" (
	"id" integer PRIMARY KEY NOT NULL,
	"published_at" timestamp(0) with time zone NOT NULL,
	"source" text NOT NULL,
	"manifest" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"title_folded" text COLLATE "C" NOT NULL,
	"type" text,
	"types_folded" text[] NOT NULL,
	"published_at" timestamp(0) with time zone NOT NULL,
	"url" text,
	"source" text NOT NULL,
	"since_release" integer NOT NULL
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
	"source" text NOT NULL,
	"since_release" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tenements" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"tenement_id" text NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"status" text,
	"status_folded" text COLLATE "C",
	"type" text,
	"type_folded" text COLLATE "C",
	"holder_name" text,
	"holder_name_folded" text COLLATE "C",
	"holder_keys" text[] NOT NULL,
	"asx_codes" text[] DEFAULT '{}' NOT NULL,
	"grant_date" date,
	"expiry_date" date,
	"area_km2" double precision,
	"source" text NOT NULL,
	"since_release" integer NOT NULL
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
	"revoked_at" timestamp(0) with time zone
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_by_email" ON "accounts" USING btree ("email_folded");--> statement-breakpoint
CREATE INDEX "companies_by_name" ON "companies" USING btree ("company_name_folded","asx_code");--> statement-breakpoint
CREATE INDEX "companies_by_name_key" ON "companies" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "reports_newest_first" ON "reports" USING btree ("published_at" DESC NULLS LAST,"hash");--> statement-breakpoint
CREATE INDEX "reports_by_company" ON "reports" USING btree ("asx_code","published_at" DESC NULLS LAST,"hash");--> statement-breakpoint
CREATE INDEX "reports_by_type" ON "reports" USING gin ("types_folded");--> statement-breakpoint
CREATE INDEX "reports_by_title" ON "reports" USING gin ("title_folded" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "subsidiaries_by_parent" ON "subsidiaries" USING btree ("parent_asx_code","name_folded","id");--> statement-breakpoint
CREATE INDEX "subsidiaries_by_name_key" ON "subsidiaries" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "tenements_by_state" ON "tenements" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "tenements_by_status" ON "tenements" USING btree ("status_folded","id");--> statement-breakpoint
CREATE INDEX "tenements_by_type" ON "tenements" USING btree ("type_folded","id");--> statement-breakpoint
CREATE INDEX "tenements_by_holder" ON "tenements" USING gin ("holder_name_folded" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "tenements_by_company" ON "tenements" USING gin ("asx_codes");--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_by_sha256" ON "tokens" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "tokens_by_prefix" ON "tokens" USING btree ("prefix");--> statement-breakpoint
CREATE INDEX "tokens_by_account" ON "tokens" USING btree ("account_id");