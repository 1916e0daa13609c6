import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { written } from '#test/cluster/balancer.ts'
import { planCluster, type ClusterRun } from '#test/cluster/cluster-run.ts'
import { findClusterPrograms } from '#test/cluster/programs.ts'
import { ensureTemporalSchema } from '#test/cluster/temporal-schema.ts'
import { requireHosts, startTemporalNodes } from '#test/cluster/temporal.ts'
import { startGuardian } from '#local/processes/managed-process.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { Supervisor } from '#local/processes/supervisor.ts'
import { postgresUrl, preparePostgres } from '#local/servers/postgres.ts'
import { ensureServiceDatabase } from '#local/servers/service-database.ts'
import { dataFolderAt, makeDataFolder } from '#local/start/data-folder.ts'
import { programSource } from '#local/start/parts.ts'

const report = (): void => {}

/**
 * PostgreSQL and over it the seven Temporal processes of `npm test -- cluster`, by the same code, for an installation that has its
 * Temporal elsewhere, and its ledger there too if it likes. What it holds stays in its folder: planned on it once more,
 * it is the same cluster.
 */
export class TemporalCluster {
  readonly #plan: ClusterRun
  readonly #record: RunRecord
  readonly #supervisor: Supervisor

  /** Ends what a run before has left in the folder; nothing is started. */
  static async plan(path: string): Promise<TemporalCluster> {
    const folder = dataFolderAt(path)
    makeDataFolder(folder)
    await requireHosts()
    const record = await RunRecord.claim(folder.record)
    startGuardian(record)
    const supervisor = new Supervisor({ record, announce: () => {} })
    const plan = await planCluster({ folder, record, supervisor, publicPorts: {} })
    return new TemporalCluster(plan, record, supervisor)
  }

  private constructor(plan: ClusterRun, record: RunRecord, supervisor: Supervisor) {
    this.#plan = plan
    this.#record = record
    this.#supervisor = supervisor
  }

  /** The data of PostgreSQL. */
  get postgresFolder(): string {
    return this.#plan.shared.folder.postgres
  }

  /** @param settings of PostgreSQL beside those of the cluster, as `name: value` */
  async startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const { folder, more } = this.#plan.shared
    const server = { ...this.#server, folder: folder.postgres, logFile: join(folder.logs, 'postgres.log') }
    await this.#supervisor.keep(
      await preparePostgres({ ...server, settings: { ...more?.postgres, ...settings } }),
    )
  }

  /** Makes a database for the service unless it is there, and answers its address. */
  serviceDatabase(): Promise<string> {
    return ensureServiceDatabase(this.#server, this.#plan.shared.secrets.databasePassword, 'durable_trader')
  }

  /** The address of a database as the superuser has it. */
  asSuperuser(database: string): string {
    return postgresUrl(this.#server, database)
  }

  /**
   * Brings the Temporal processes up, over a PostgreSQL that runs; minutes where they have to be built first. Answers what
   * TEMPORAL_ADDRESS has to say: the proxy before its frontends.
   */
  async startTemporal(): Promise<string> {
    const { shared, secrets, ports } = this.#plan
    const { server, sqlTool } = await findClusterPrograms(programSource(shared, report))
    const { temporalPassword: password } = secrets
    await ensureTemporalSchema(this.#server, password, sqlTool)
    const wanted = { server, password, namespace: 'default', ports }
    return written((await startTemporalNodes(shared, wanted, report)).frontends)
  }

  /** What each process wrote last. */
  logs(): string {
    const { logs } = this.#plan.shared.folder
    const lastOf = (file: string) => readFileSync(join(logs, file), 'utf8').slice(-4_000)
    return readdirSync(logs)
      .map((file) => `----- ${file} at its end -----\n${lastOf(file)}`)
      .join('\n')
  }

  /** Ends every process on the spot, as the loss of the machine does. */
  async crash(): Promise<void> {
    this.#record.killAll()
    await this.close()
  }

  /** Stops every process. */
  close(): Promise<void> {
    return this.#supervisor.stop()
  }

  get #server(): { port: number; password: string } {
    const { settings, secrets } = this.#plan.shared
    return { port: settings.POSTGRES_PORT, password: secrets.postgresPassword }
  }
}
