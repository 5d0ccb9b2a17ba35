-- The same order in which tokens are issued: accounts, then tokens. So no lookup of a token waits while this waits for a change of an account to end.
LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TABLE "recent_requests" (
	"request_id" uuid PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"method" text NOT NULL,
	"target" text NOT NULL,
	"status" integer NOT NULL,
	"ms" real NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_days" (
	"account_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"day" date NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "usage_days_account_id_day_token_id_pk" PRIMARY KEY("account_id","day","token_id"),
	CONSTRAINT "usage_days_requests" CHECK ("usage_days"."requests" >= 0)
);
--> statement-breakpoint
CREATE TABLE "usage_token_hours" (
	"account_id" bigint NOT NULL,
	"token_id" bigint NOT NULL,
	"hour" timestamp(0) with time zone NOT NULL,
	"requests" bigint NOT NULL,
	CONSTRAINT "usage_token_hours_account_id_hour_token_id_pk" PRIMARY KEY("account_id","hour","token_id"),
	CONSTRAINT "usage_token_hours_hour" CHECK (extract(epoch from "usage_token_hours"."hour")::bigint % 3600 = 0),
	CONSTRAINT "usage_token_hours_requests" CHECK ("usage_token_hours"."requests" >= 0)
);
--> statement-breakpoint
CREATE TABLE "passwords" (
	"account_id" bigint PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"password_set_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "passwords_hash" CHECK ("passwords"."hash" like '$argon2id$%')
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"secret_sha256" text COLLATE "C" NOT NULL,
	"signed_in_at" timestamp(0) with time zone NOT NULL,
	"last_seen_at" timestamp(0) with time zone NOT NULL,
	"expires_at" timestamp(0) with time zone NOT NULL,
	"method" text NOT NULL,
	"address" text NOT NULL,
	"user_agent" text NOT NULL,
	CONSTRAINT "sessions_id" CHECK ("sessions"."id" ~ '^[0-9A-Za-z_-]{16,64}$'),
	CONSTRAINT "sessions_secret_sha256" CHECK ("sessions"."secret_sha256" ~ '^[0-9a-f]{64}$'),
	CONSTRAINT "sessions_method" CHECK ("sessions"."method" in ('password', 'link'))
);
--> statement-breakpoint
CREATE TABLE "sign_in_links" (
	"sha256" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_folded" text COLLATE "C" NOT NULL,
	"created_at" timestamp(0) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp(0) with time zone NOT NULL,
	"used_at" timestamp(0) with time zone,
	CONSTRAINT "sign_in_links_sha256" CHECK ("sign_in_links"."sha256" ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
ALTER TABLE "recent_requests" ADD CONSTRAINT "recent_requests_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "usage_days" ADD CONSTRAINT "usage_days_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "usage_token_hours" ADD CONSTRAINT "usage_token_hours_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passwords" ADD CONSTRAINT "passwords_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "recent_requests_by_account" ON "recent_requests" USING btree ("account_id","at","request_id");
--> statement-breakpoint
CREATE INDEX "recent_requests_by_time" ON "recent_requests" USING btree ("at");
--> statement-breakpoint
CREATE INDEX "usage_days_by_day" ON "usage_days" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "usage_token_hours_by_hour" ON "usage_token_hours" USING btree ("hour");
--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "sessions" USING btree ("account_id");
--> statement-breakpoint
CREATE INDEX "sessions_by_end" ON "sessions" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "sessions_by_last_use" ON "sessions" USING btree ("last_seen_at");
--> statement-breakpoint
CREATE INDEX "sign_in_links_by_email" ON "sign_in_links" USING btree ("email_folded");
--> statement-breakpoint
CREATE INDEX "sign_in_links_by_end" ON "sign_in_links" USING btree ("expires_at");
--> statement-breakpoint
-- What was counted by hour counts for its day too.
INSERT INTO usage_days (account_id, token_id, day, requests)
	SELECT account_id, 0, (hour AT TIME ZONE 'UTC')::date, sum(requests) FROM usage_hours GROUP BY 1, 3;
--> statement-breakpoint
-- The audit log records when a password is set, when a session begins and ends, and what a token is for. A hash never enters it.
CREATE TRIGGER passwords_noted AFTER INSERT OR DELETE OR UPDATE OF password_set_at ON passwords
	FOR EACH ROW EXECUTE FUNCTION note_access_change('password_set_at');
--> statement-breakpoint
CREATE TRIGGER sessions_noted AFTER INSERT OR DELETE ON sessions
	FOR EACH ROW EXECUTE FUNCTION note_access_change('signed_in_at', 'method');
--> statement-breakpoint
-- Tokens last, so that their lookups wait for the least. Whoever changes a token writes the audit log after it, so this has the same order.
ALTER TABLE "tokens" ADD COLUMN "for_spreadsheets" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "form_id" uuid;
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "replaced_at" timestamp(0) with time zone;
--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_by_form" ON "tokens" USING btree ("account_id","form_id");
--> statement-breakpoint
DROP TRIGGER tokens_noted ON tokens;
--> statement-breakpoint
CREATE TRIGGER tokens_noted AFTER INSERT OR DELETE OR UPDATE OF account_id, name, expires_at, revoked_at, for_spreadsheets ON tokens
	FOR EACH ROW EXECUTE FUNCTION note_access_change('account_id', 'name', 'expires_at', 'revoked_at', 'for_spreadsheets');
--> statement-breakpoint
CREATE INDEX "access_changes_of_sessions" ON "access_changes" USING btree ("at") WHERE "access_changes"."columns" ? 'signed_in_at';
