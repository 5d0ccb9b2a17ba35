-- Written by hand: as generated, it would number the sources that are there in no particular order.
ALTER TABLE "sources" ADD COLUMN "number" integer;--> statement-breakpoint
WITH ordered AS (
	SELECT s.name, s.resource, row_number() OVER (ORDER BY coalesce(
		(SELECT min(r.id) FROM releases r WHERE r.source = s.name AND r.manifest -> 'resources' ? s.resource), s.last_release
	), s.last_loaded_at, s.name, s.resource) AS number FROM sources s
)
UPDATE sources s SET number = ordered.number FROM ordered WHERE ordered.name = s.name AND ordered.resource = s.resource;--> statement-breakpoint
ALTER TABLE "sources" ALTER COLUMN "number" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "sources" ALTER COLUMN "number" ADD GENERATED ALWAYS AS IDENTITY (sequence name "sources_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1);--> statement-breakpoint
SELECT setval('sources_number_seq', max(number)) FROM sources HAVING count(*) > 0;
