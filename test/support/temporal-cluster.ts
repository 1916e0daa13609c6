import { chmodSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { written } from '#local/cluster/balancer.ts'
import { planCluster } from '#local/cluster/cluster-run.ts'
import { findClusterPrograms } from '#local/cluster/programs.ts'
import { ensureTemporalSchema } from '#local/cluster/temporal-schema.ts'
import { requireHosts, startTemporalNodes } from '#local/cluster/temporal.ts'
import { startGuardian } from '#local/processes/managed-process.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { dataFolderAt, makeDataFolder } from '#local/start/data-folder.ts'
import { programSource, startPostgres } from '#local/start/parts.ts'

/** Temporal alone, as a cluster of processes over a PostgreSQL of its own, for an installation that moves to it. */
export interface TemporalCluster {
  /** What TEMPORAL_ADDRESS has to say: the proxy before its frontends. */
  readonly address: string
  /** Stops it and its PostgreSQL. */
  close(): Promise<void>
}

/** Brings up the seven processes of `npm run cluster`, by the same code; minutes where they have to be built first. */
export async function startTemporalCluster(): Promise<TemporalCluster> {
  const path = mkdtempSync(join(tmpdir(), 'durable-trader-temporal-'))
  // PostgreSQL's own user must be able to pass when we are root.
  chmodSync(path, 0o755)
  const folder = dataFolderAt(path)
  makeDataFolder(folder)
  await requireHosts()
  const record = await RunRecord.claim(folder.record, path)
  startGuardian(record)
  const supervisor = new Supervisor({ record, announce: () => {} })
  const report = (): void => {}
  try {
    const { shared, secrets, ports } = await planCluster({ folder, record, supervisor, publicPorts: {} })
    const { server, sqlTool } = await findClusterPrograms(programSource(shared, report))
    await startPostgres(shared, report)
    const { temporalPassword: password } = secrets
    const books = { port: shared.settings.POSTGRES_PORT, password: shared.secrets.postgresPassword }
    await ensureTemporalSchema(books, password, sqlTool)
    const wanted = { server, password, namespace: 'default', ports }
    const { frontends } = await startTemporalNodes(shared, wanted, report)
    return { address: written(frontends), close: () => supervisor.stop() }
  } catch (error) {
    console.error(lastLogsIn(folder.logs))
    await supervisor.stop()
    throw error
  }
}

const lastLogsIn = (folder: string): string =>
  readdirSync(folder)
    .map(
      (file) => `----- ${file} at its end -----\n${readFileSync(join(folder, file), 'utf8').slice(-4_000)}`,
    )
    .join('\n')
