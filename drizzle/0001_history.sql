CREATE TABLE "companies_history" (
	"asx_code" text COLLATE "C" NOT NULL,
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
	"since_release" integer NOT NULL,
	"until_release" integer NOT NULL,
	CONSTRAINT "companies_history_asx_code_since_release_pk" PRIMARY KEY("asx_code","since_release")
);
--> statement-breakpoint
CREATE TABLE "held_releases" (
	"process" text PRIMARY KEY NOT NULL,
	"release" integer NOT NULL,
	"seen_at" timestamp(0) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reports_history" (
	"hash" text COLLATE "C" NOT NULL,
	"asx_code" text COLLATE "C" NOT NULL,
	"title" text NOT NULL,
	"title_folded" text COLLATE "C" NOT NULL,
	"type" text,
	"types_folded" text[] NOT NULL,
	"published_at" timestamp(0) with time zone NOT NULL,
	"url" text,
	"source" text NOT NULL,
	"since_release" integer NOT NULL,
	"until_release" integer NOT NULL,
	CONSTRAINT "reports_history_hash_since_release_pk" PRIMARY KEY("hash","since_release")
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
	"source" text NOT NULL,
	"since_release" integer NOT NULL,
	"until_release" integer NOT NULL,
	CONSTRAINT "subsidiaries_history_id_since_release_pk" PRIMARY KEY("id","since_release")
);
--> statement-breakpoint
CREATE TABLE "tenements_history" (
	"id" text COLLATE "C" NOT NULL,
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
	"since_release" integer NOT NULL,
	"until_release" integer NOT NULL,
	CONSTRAINT "tenements_history_id_since_release_pk" PRIMARY KEY("id","since_release")
);
--> statement-breakpoint
CREATE INDEX "companies_history_until" ON "companies_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "reports_history_until" ON "reports_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "reports_history_newest_first" ON "reports_history" USING btree ("published_at" DESC NULLS LAST,"hash");--> statement-breakpoint
CREATE INDEX "subsidiaries_history_until" ON "subsidiaries_history" USING btree ("until_release");--> statement-breakpoint
CREATE INDEX "tenements_history_until" ON "tenements_history" USING btree ("until_release");