import { ManagedProcess } from '#local/processes/managed-process.ts'
import { findFreePort } from '#local/start/ports.ts'
import { preparePostgres } from '#local/servers/postgres.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { temporalServer } from '#local/servers/temporal-server.ts'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { requireOk } from '#local/start/external-parts.ts'
import { findGoProgram, type GoProgram } from './go-program.ts'
import { TestDatabases, type TestDatabase } from './test-databases.ts'
import { endTestRun, testRun } from './test-run.ts'
import { tool } from './tools.ts'

/**
 * The servers of one mocha run: each is started when a test first asks for it, on a free port and a temporary
 * folder, and stopped by {@link stopServers}; should the run be killed, its guardian stops them.
 */
const shared = JSON.parse(process.env['SHARED_POSTGRES'] ?? 'null') as SharedPostgres | null
const TEMPLATE = shared?.template ?? 'template_durable_trader'
const password = shared?.password ?? randomBytes(12).toString('hex')
const servicePassword = shared?.servicePassword ?? randomBytes(12).toString('hex')

/** What another process needs to make its databases on the server of this one. */
interface SharedPostgres {
  port: number
  password: string
  servicePassword: string
  template: string
}

/** The variable that gives this process's PostgreSQL, with a migrated template of its own, to a process that it starts. */
export async function postgresForChild(name: string): Promise<{ SHARED_POSTGRES: string }> {
  const { port } = await postgres()
  const template = await (await testDatabases()).anotherTemplate(name)
  return { SHARED_POSTGRES: JSON.stringify({ port, password, servicePassword, template }) }
}

export type { TestDatabase }

/** An empty, migrated database that nobody else uses; {@link TestDatabases} may make it of one that is dropped. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return (await testDatabases()).take()
}

/** Address of a real Temporal server, kept in memory, with our search attributes and namespace `default`. */
export async function temporalAddress(): Promise<string> {
  return `127.0.0.1:${(await temporal()).port}`
}

/** The length at which {@link shortHistoryAddress}'s server asks a workflow to continue as new; others do at 4,096. */
export const SHORT_HISTORY = 60

/** Address of another such server, which wants histories to be short. */
export async function shortHistoryAddress(): Promise<string> {
  return `127.0.0.1:${(await shortHistoryTemporal()).port}`
}

/** Path of a program that checks files for operators. */
export async function goProgramPath(program: GoProgram): Promise<string> {
  const { record, folder } = await testRun()
  return findGoProgram(program, {
    record,
    logFolder: folder,
    report: (progress) => console.error(`  ${program.name}: ${progress}`),
  })
}

/** A Prometheus that has begun to scrape. */
export interface RunningPrometheus {
  address: string
  stop(): Promise<void>
}

/** Starts a Prometheus on a free port. */
export async function startPrometheus(config: object): Promise<RunningPrometheus> {
  const { record, folder: runFolder } = await testRun()
  const command = await tool('prometheus')
  const folder = mkdtempSync(join(runFolder, 'prometheus-'))
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config))
  let server: ManagedProcess | undefined
  const { port } = await onFreePort(async (free) => {
    const address = `127.0.0.1:${free}`
    server = await ManagedProcess.start(
      {
        name: 'Prometheus',
        command,
        args: [
          `--config.file=${join(folder, 'prometheus.yml')}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
          `--web.listen-address=${address}`,
        ],
        env: process.env,
        logFile: join(folder, 'prometheus.log'),
        ready: () => requireOk(`http://${address}/-/ready`),
        readyTimeoutMs: 30_000,
        graceMs: 10_000,
      },
      record,
    )
    await server.untilReady()
  })
  return { address: `http://127.0.0.1:${port}`, stop: () => server!.stop() }
}

const closings: (() => Promise<void>)[] = []

/** Has something closed before the servers stop that all test files of the run share, as a root hook of one would not. */
export function closeAtEnd(close: () => Promise<void>): void {
  closings.push(close)
}

/** Stops whatever was started and removes its data. */
export async function stopServers(): Promise<void> {
  for (const close of closings.splice(0)) await close()
  await endTestRun()
}

const postgres = once(async () => {
  if (shared) return { port: shared.port }
  const { record, folder } = await testRun()
  return onFreePort(async (port) => {
    const spec = await preparePostgres({
      folder: join(folder, 'postgres'),
      port,
      password,
      logFile: join(folder, 'postgres.log'),
      settings: {
        // Test data need not survive a power cut.
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        autovacuum: 'off',
        // Tests make thousands of connections, and need no protection of their passwords.
        scram_iterations: '1',
      },
    })
    return startUnattended(spec, record)
  })
})

const testDatabases = once(async () => {
  const { port } = await postgres()
  const { migrate } = await import('#db/engine/migrate.ts')
  await migrate(await ensureServiceDatabase({ port, password }, servicePassword, TEMPLATE))
  const databases = new TestDatabases({ port, password }, servicePassword, TEMPLATE)
  closeAtEnd(() => databases.close())
  return databases
})

const temporal = once(() => startTemporal('temporal'))
const shortHistoryTemporal = once(() =>
  startTemporal('temporal-short-history', `limit.historyCount.suggestContinueAsNew=${SHORT_HISTORY}`),
)

async function startTemporal(name: string, ...dynamicConfig: string[]): Promise<{ port: number }> {
  const { record, folder } = await testRun()
  const binary = await tool('temporal')
  return onFreePort((port) => {
    const spec = temporalServer({
      binary,
      port,
      ui: undefined,
      namespace: 'default',
      databaseFile: undefined,
      logFile: join(folder, `${name}.log`),
    })
    const args = dynamicConfig.flatMap((value) => ['--dynamic-config-value', value])
    return startUnattended({ ...spec, args: [...spec.args, ...args] }, record)
  })
}

async function startUnattended(...[spec, record]: Parameters<typeof ManagedProcess.start>): Promise<void> {
  const process_ = await ManagedProcess.start(spec, record)
  await process_.untilReady()
  process_.unref()
}

/** Between finding a free port and listening on it another program may take it: then try the next. */
async function onFreePort(start: (port: number) => Promise<void>): Promise<{ port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort()
    try {
      await start(port)
      return { port }
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
