CREATE TABLE "load_totals" (
	"source" text COLLATE "C" NOT NULL,
	"resource" text COLLATE "C" NOT NULL,
	"outcome" text NOT NULL,
	"loads" bigint NOT NULL,
	"seconds" double precision NOT NULL,
	CONSTRAINT "load_totals_source_resource_outcome_pk" PRIMARY KEY("source","resource","outcome"),
	CONSTRAINT "load_totals_outcome" CHECK ("load_totals"."outcome" in ('published', 'unchanged', 'refused', 'failed')),
	CONSTRAINT "load_totals_loads" CHECK ("load_totals"."loads" > 0),
	CONSTRAINT "load_totals_seconds" CHECK ("load_totals"."seconds" >= 0 and "load_totals"."seconds" < 'infinity')
);
--> statement-breakpoint
-- Roles may do with it what they may do with the table of the outcomes, which is read and written with it.
DO $$
DECLARE
	granting text;
BEGIN
	FOR granting IN
		SELECT format('GRANT %s ON load_totals TO %s%s', privilege_type,
			CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
			CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
		FROM pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner)))
		WHERE oid = 'sources'::regclass
			AND grantee <> (SELECT oid FROM pg_roles WHERE rolname = current_user)
	LOOP
		EXECUTE granting;
	END LOOP;
END
$$;
