import { runStatement } from '#local/servers/postgres.ts'
import type { Stack } from '#test/support/stack.ts'

/** Settings of a PostgreSQL that counts its statements. */
export const COUNTING = { shared_preload_libraries: 'pg_stat_statements' }

/** One text of a statement, values left out. */
export interface Statement {
  query: string
  calls: number
  /** Milliseconds in PostgreSQL, waits for locks included. */
  ms: number
}

export const countStatements = (stack: Stack): Promise<unknown> =>
  runStatement(stack.addresses.databaseAdmin, 'create extension pg_stat_statements')

/** Since the start of the server, without those of a benchmark's own questions. */
export async function statementsOf(stack: Stack): Promise<Statement[]> {
  const { rows } = await runStatement(
    stack.addresses.databaseAdmin,
    `select query, sum(calls)::float8 as calls, sum(total_exec_time + total_plan_time)::float8 as ms
     from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = current_database() and query not like '%pg_stat_%'
       and query not like '%from signals s%where not exists (select from signal_events e where e.signal_id%'
     group by query`,
  )
  return rows as Statement[]
}

/** Those that ran between two looks. */
export function since(before: readonly Statement[], after: readonly Statement[]): Statement[] {
  const earlier = new Map(before.map((row) => [row.query, row]))
  return after
    .map(({ query, calls, ms }) => ({
      query: query.replaceAll(/\s+/g, ' '),
      calls: calls - (earlier.get(query)?.calls ?? 0),
      ms: ms - (earlier.get(query)?.ms ?? 0),
    }))
    .filter(({ calls }) => calls > 0)
}
