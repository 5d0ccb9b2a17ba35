CREATE TABLE "access_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"account_id" bigint NOT NULL,
	"token_prefix" text COLLATE "C",
	"action" text NOT NULL,
	"columns" jsonb NOT NULL,
	"who" text NOT NULL,
	"origin" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"account_id" bigint NOT NULL,
	"hour" timestamp(0) with time zone NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "usage_hours_account_id_hour_pk" PRIMARY KEY("account_id","hour")
);
--> statement-breakpoint
ALTER TABLE "tokens" DROP CONSTRAINT "tokens_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "disabled_at" timestamp(0) with time zone;--> statement-breakpoint
ALTER TABLE "usage_hours" ADD CONSTRAINT "usage_hours_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_changes_by_account" ON "access_changes" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "usage_hours_by_hour" ON "usage_hours" USING btree ("hour");--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Written by hand from here on. Whatever changes an account or a token, this service or a person with psql, is kept in access_changes, and every serving process is told of it.
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
	-- What is new is known to no process yet.
	IF TG_OP <> 'INSERT' THEN PERFORM pg_notify('mds_access', account::text); END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION note_access_truncation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('mds_access', '');
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER accounts_noted AFTER INSERT OR DELETE OR UPDATE OF email, plan, request_limit, disabled_at ON accounts
	FOR EACH ROW EXECUTE FUNCTION note_access_change('email', 'plan', 'request_limit', 'disabled_at');
--> statement-breakpoint
CREATE TRIGGER tokens_noted AFTER INSERT OR DELETE OR UPDATE OF account_id, name, expires_at, revoked_at ON tokens
	FOR EACH ROW EXECUTE FUNCTION note_access_change('account_id', 'name', 'expires_at', 'revoked_at');
--> statement-breakpoint
CREATE TRIGGER accounts_truncated AFTER TRUNCATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION note_access_truncation();
--> statement-breakpoint
CREATE TRIGGER tokens_truncated AFTER TRUNCATE ON tokens FOR EACH STATEMENT EXECUTE FUNCTION note_access_truncation();
