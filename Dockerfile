# The service in a container. With DATABASE_URL it uses that PostgreSQL; without, its own, in /data.
FROM oven/bun:1.4.5-debian AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN bun install --frozen-lockfile --production

FROM oven/bun:1.4.5-debian
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json tsconfig.json ./
COPY drizzle drizzle
COPY src src
RUN mkdir /data && chown bun:bun /data
USER bun
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --start-period=30s --interval=10s --timeout=5s \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`)).ok ? 0 : 1)"]
ENTRYPOINT ["bun", "src/main.ts"]
CMD ["serve"]
