/**
 * What happens to a request, from top to bottom.
 */
import { Elysia } from "elysia"
import { type AnswerOptions, createAnswers } from "./answers/list-answer.ts"
import { ApiError } from "./http/api-error.ts"
import { type AccessOptions, access } from "./plugins/access.ts"
import { commonHeaders, preflight } from "./plugins/common-headers.ts"
import { errors } from "./plugins/errors.ts"
import { target } from "./plugins/request-target.ts"
import { companyRoutes } from "./routes/companies.ts"
import { type OperationOptions, operationRoutes } from "./routes/operations.ts"
import { releaseRoutes } from "./routes/releases.ts"
import { reportRoutes } from "./routes/reports.ts"
import { tenementRoutes } from "./routes/tenements.ts"
import { usageRoutes } from "./routes/usage.ts"

export type AppOptions = AccessOptions & AnswerOptions & OperationOptions

/** The service over its parts. Every request it is given must have an Exchange. */
export const createApp = (options: AppOptions) => {
  const answers = createAnswers(options)
  return new Elysia()
    .use(errors(options))
    .use(commonHeaders())
    .use(operationRoutes(options))
    .group("/api/v1", (api) =>
      api
        .use(preflight())
        .use(companyRoutes(answers, options))
        .use(tenementRoutes(answers, options))
        .use(reportRoutes(answers, options))
        .use(releaseRoutes(answers, options))
        .use(usageRoutes(options))
        .use(everythingElse(options)),
    )
}

/** Unknown paths and other methods: they too need a token first. */
const everythingElse = (options: AccessOptions) =>
  new Elysia({ name: "everything-else" })
    .use(access(options))
    .use(target())
    .all("/", () => notFound())
    .all("/*", () => notFound())

const notFound = (): never => {
  throw new ApiError("NOT_FOUND")
}
