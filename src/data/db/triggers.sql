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
