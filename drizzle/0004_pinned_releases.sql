-- Written by hand: what drizzle-kit generates for a new name would drop the rows.
ALTER TABLE "held_releases" RENAME TO "pinned_releases";
--> statement-breakpoint
-- From PostgreSQL 18 on, NOT NULL constraints have names too.
DO $$
DECLARE
	old_name name;
BEGIN
	FOR old_name IN SELECT conname FROM pg_constraint WHERE conrelid = 'pinned_releases'::regclass AND conname LIKE 'held\_releases\_%' LOOP
		EXECUTE format('ALTER TABLE pinned_releases RENAME CONSTRAINT %I TO %I', old_name, replace(old_name, 'held_releases', 'pinned_releases'));
	END LOOP;
END $$;
