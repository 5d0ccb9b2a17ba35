CREATE TABLE "deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"watch_id" bigint NOT NULL,
	"event_id" uuid NOT NULL,
	"type" text NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"release" integer NOT NULL,
	"attempt" integer NOT NULL,
	"is_ok" boolean NOT NULL,
	"status" integer,
	"reason" text,
	"ms" real NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unsubscribe_tokens" (
	"sha256" text COLLATE "C" PRIMARY KEY NOT NULL,
	"watch_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "watches" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"account_id" bigint NOT NULL,
	"name" text NOT NULL,
	"prefix" text COLLATE "C" GENERATED ALWAYS AS ('watch ' || id) STORED,
	"subject" jsonb NOT NULL,
	"channel" jsonb NOT NULL,
	"resource" text,
	"host" text COLLATE "C" NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"reason" text,
	"secret" text,
	"former_secret" text,
	"former_secret_until" timestamp(3) with time zone,
	"created_at" timestamp(0) with time zone NOT NULL,
	"covered_release" integer NOT NULL,
	"covered_identity" uuid,
	"covered_day" date,
	"event_id" uuid,
	"event_body" text,
	"event_since" integer,
	"attempt" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp(3) with time zone,
	"leased_until" timestamp(3) with time zone,
	"is_test_due" boolean DEFAULT false NOT NULL,
	"last_event_at" timestamp(0) with time zone,
	CONSTRAINT "watches_name" CHECK ("watches"."name" ~ '[^[:space:]]'),
	CONSTRAINT "watches_state" CHECK ("watches"."state" in ('active', 'paused', 'disabled')),
	CONSTRAINT "watches_reason" CHECK (("watches"."state" = 'disabled') = ("watches"."reason" is not null)),
	CONSTRAINT "watches_secret" CHECK (("watches"."channel" ->> 'kind' = 'webhook') = ("watches"."secret" is not null)),
	CONSTRAINT "watches_covered" CHECK (("watches"."covered_release" = 0) = ("watches"."covered_identity" is null)),
	CONSTRAINT "watches_event" CHECK (num_nulls("watches"."event_id", "watches"."event_body", "watches"."event_since") in (0, 3))
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_watch_id_watches_id_fk" FOREIGN KEY ("watch_id") REFERENCES "public"."watches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "unsubscribe_tokens" ADD CONSTRAINT "unsubscribe_tokens_watch_id_watches_id_fk" FOREIGN KEY ("watch_id") REFERENCES "public"."watches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watches" ADD CONSTRAINT "watches_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_by_watch" ON "deliveries" USING btree ("watch_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_by_time" ON "deliveries" USING btree ("at");--> statement-breakpoint
CREATE INDEX "unsubscribe_tokens_by_watch" ON "unsubscribe_tokens" USING btree ("watch_id");--> statement-breakpoint
CREATE INDEX "watches_by_account" ON "watches" USING btree ("account_id");--> statement-breakpoint
CREATE TRIGGER watches_noted AFTER INSERT OR DELETE OR UPDATE OF state ON watches
	FOR EACH ROW EXECUTE FUNCTION note_access_change('name', 'state');
