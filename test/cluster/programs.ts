import { findGoProgram, type GoProgram } from '#test/support/go-program.ts'
import type { ProgramSource } from '#local/servers/program-source.ts'
import { SERVER_VERSION } from '#local/servers/temporal-binary.ts'

/** Temporal's server as clusters run it, in the version that the development server holds. */
const SERVER: GoProgram = {
  name: 'temporal-server',
  package: 'go.temporal.io/server/cmd/server',
  version: SERVER_VERSION,
  reportsVersion: true,
}
/** Makes and updates the tables of that server. */
const SQL_TOOL: GoProgram = {
  name: 'temporal-sql-tool',
  package: 'go.temporal.io/server/cmd/tools/sql',
  version: SERVER_VERSION,
  reportsVersion: true,
}
/** Paths of the programs that a Temporal cluster consists of. */
export type ClusterPrograms = { server: string; sqlTool: string }

/**
 * Finds the programs in the cache, or has Go build them one after the other, which takes some minutes.
 *
 * @throws {StartupError} when there is no way to get one here
 */
export async function findClusterPrograms(source: ProgramSource): Promise<ClusterPrograms> {
  const find = (program: GoProgram) =>
    findGoProgram(program, { ...source, report: (progress) => source.report(`${program.name}: ${progress}`) })
  // The second is made of the modules of the first, and each build takes all processors.
  return { server: await find(SERVER), sqlTool: await find(SQL_TOOL) }
}
