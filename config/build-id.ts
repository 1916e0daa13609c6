import { hashOfSources } from './source-hash.ts'

/** Sources that decide the outcome of a signal, in API and worker. */
const BUILD_SOURCES = [
  'activities',
  'api',
  'brokers',
  'config',
  'contract',
  'db',
  'domain',
  'tracing',
  'worker',
  'workflows',
  'package.json',
]

export const BUILD_ID = hashOfSources(BUILD_SOURCES)
