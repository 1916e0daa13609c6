import { hashOfSources } from './source-hash.ts'

/** Everything that decides what becomes of a signal, in the API as in a worker. */
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

/** The build that this process runs: another one with any change of the code. */
export const BUILD_ID = hashOfSources(BUILD_SOURCES)
