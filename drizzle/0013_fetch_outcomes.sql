CREATE TABLE "fetch_attempts" (
	"source" text COLLATE "C" NOT NULL,
	"resource" text COLLATE "C" NOT NULL,
	"attempted_at" timestamp(0) with time zone NOT NULL,
	CONSTRAINT "fetch_attempts_source_resource_pk" PRIMARY KEY("source","resource")
);
--> statement-breakpoint
ALTER TABLE "sources" DROP CONSTRAINT "sources_last_outcome";--> statement-breakpoint
ALTER TABLE "sources" DROP CONSTRAINT "sources_last_reason";--> statement-breakpoint
ALTER TABLE "sources" ALTER COLUMN "last_loaded_at" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "last_basis" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "last_fetched_files" text[];--> statement-breakpoint
ALTER TABLE "sources" ADD CONSTRAINT "sources_last_outcome" CHECK ("sources"."last_outcome" in ('published', 'unchanged', 'refused', 'failed'));--> statement-breakpoint
ALTER TABLE "sources" ADD CONSTRAINT "sources_last_reason" CHECK (("sources"."last_reason" is not null) = ("sources"."last_outcome" in ('refused', 'failed')));