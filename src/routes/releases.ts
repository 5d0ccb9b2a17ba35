import { Elysia } from "elysia"
import type { Answers } from "../answers/list-answer.ts"
import type { ListEndpoint } from "../answers/list-plan.ts"
import { type AccessOptions, access } from "../plugins/access.ts"
import { target } from "../plugins/request-target.ts"
import { releases } from "../resources/releases.ts"

const list: ListEndpoint = { resource: releases, filters: [] }

export const releaseRoutes = (answers: Answers, options: AccessOptions) =>
  new Elysia({ name: "releases", prefix: "/releases" })
    .use(access(options))
    .use(target())
    .get("/", ({ request, target }) => answers.list(list, { request, target }))
