import { defineConfig } from "drizzle-kit"

export default defineConfig({
  dialect: "postgresql",
  schema: [
    "./src/db/schema.ts",
    "./src/db/source-tables.ts",
    "./src/db/account-tables.ts",
    "./src/db/sign-in-tables.ts",
  ],
  out: "./drizzle",
})
