# One image for every process of Durable Trader; the command says which:
#   node venue/main.ts | node api/main.ts | node local/commands/migrate.ts
#   node --import=./config/workflow-threads.ts worker/main.ts

# The name is read by people, the digest by Docker; test/local/compose.test.ts holds both together with package.json.
ARG NODE_IMAGE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# Prebuilt: workers that start, or start again, do not wait for a bundler.
RUN node worker/bundle.ts dist/workflows.js
# The web app, compressed beforehand; the API serves it.
RUN npm run build:web

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/slim-packages.sh deploy/
# In one step, so that what is taken out is in no layer.
RUN npm ci --omit=dev && sh deploy/slim-packages.sh node_modules

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    NODE_OPTIONS=--disable-warning=ExperimentalWarning \
    LOG_FORMAT=json \
    WORKFLOW_BUNDLE=/app/dist/workflows.js
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY domain domain
COPY tracing tracing
COPY config config
COPY db db
COPY brokers brokers
COPY workflows workflows
COPY activities activities
COPY worker worker
COPY venue venue
COPY contract contract
COPY api api
# Commands that are run by hand or once: migrate, keys, admin.
COPY local local
COPY --from=build /app/dist dist
COPY --from=build /app/web/dist web/dist
# The venue's ledger, or the API's mailbox; and the installation's keys. Everything else is stateless.
RUN mkdir /data /keys && chown node:node /data /keys && chmod 700 /keys
VOLUME /data /keys
USER node
CMD ["node", "api/main.ts"]
