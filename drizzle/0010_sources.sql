CREATE TABLE "sources" (
	"name" text COLLATE "C" NOT NULL,
	"resource" text COLLATE "C" NOT NULL,
	"last_loaded_at" timestamp(0) with time zone NOT NULL,
	"last_outcome" text NOT NULL,
	"last_reason" text,
	"last_observed_at" timestamp(0) with time zone,
	"last_files" text[],
	"last_release" integer,
	"last_changed_at" timestamp(0) with time zone,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "sources_name_resource_pk" PRIMARY KEY("name","resource"),
	CONSTRAINT "sources_last_outcome" CHECK ("sources"."last_outcome" in ('published', 'unchanged', 'refused')),
	CONSTRAINT "sources_last_reason" CHECK (("sources"."last_reason" is not null) = ("sources"."last_outcome" = 'refused')),
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
	CONSTRAINT "missing_records_source_resource_key_pk" PRIMARY KEY("source","resource","key"),
	CONSTRAINT "missing_records_last_missing_at" CHECK ("missing_records"."last_missing_at" >= "missing_records"."missing_since"),
	CONSTRAINT "missing_records_loads" CHECK ("missing_records"."loads" > 0)
);--> statement-breakpoint
-- Written by hand from here on: the sources whose releases are there. When their files were true is not known: the time of the load would refuse the same files under the time at which they were written.
INSERT INTO "sources" ("name", "resource", "last_loaded_at", "last_outcome", "last_release", "last_changed_at")
SELECT DISTINCT ON (r.source, loaded.resource) r.source, loaded.resource, r.published_at, 'published', r.id, r.published_at
FROM releases r CROSS JOIN LATERAL jsonb_object_keys(
	CASE WHEN jsonb_typeof(r.manifest->'resources') = 'object' THEN r.manifest->'resources' ELSE '{}' END) AS loaded (resource)
ORDER BY r.source, loaded.resource, r.id DESC;
