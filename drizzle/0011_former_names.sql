CREATE TABLE "former_names" (
	"asx_code" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"name_key" text COLLATE "C" NOT NULL,
	"until_release" integer NOT NULL,
	"is_certain" boolean NOT NULL,
	CONSTRAINT "former_names_asx_code_name_key_pk" PRIMARY KEY("asx_code","name_key"),
	CONSTRAINT "former_names_asx_code" CHECK ("former_names"."asx_code" ~ '^[0-9A-Z]{3,6}$')
);
--> statement-breakpoint
-- Written by hand from here on: the names that the history still has, as loads keep them (former-names.ts). The next load that changes companies, subsidiaries or tenements links by them.
WITH changes AS (
	SELECT h.*, h.is_active AND NOT EXISTS (
		SELECT FROM releases r WHERE r.source = h.source AND r.id < h.until_release
		HAVING max(r.published_at) < (SELECT published_at FROM releases WHERE id = h.until_release) - interval '2 years'
	) AS is_certain
	FROM companies_history h JOIN (
		SELECT asx_code, name_key, since_release FROM companies
		UNION ALL SELECT asx_code, name_key, since_release FROM companies_history
	) next ON next.asx_code = h.asx_code AND next.since_release = h.until_release AND next.name_key <> h.name_key
	WHERE h.name_key <> ''
)
INSERT INTO former_names (asx_code, name, name_key, until_release, is_certain)
SELECT DISTINCT ON (asx_code, name_key) asx_code, company_name, name_key, until_release, is_certain AND NOT EXISTS (
	SELECT FROM changes later WHERE later.asx_code = changes.asx_code AND later.until_release > changes.until_release AND NOT later.is_certain
) FROM changes ORDER BY asx_code, name_key, until_release DESC;
