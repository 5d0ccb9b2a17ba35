-- Written by hand. However a release is published, changed or deleted, every serving process is notified.
CREATE FUNCTION notify_release_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('mds_releases', '');
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER releases_notified AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON releases
	FOR EACH STATEMENT EXECUTE FUNCTION notify_release_change();
