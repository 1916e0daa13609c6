import { runStatement } from '#local/servers/postgres.ts'
import type { Stack } from '#test/support/stack.ts'

export const COUNTING = { shared_preload_libraries: 'pg_stat_statements' }

export interface Statement {
  query: string
  calls: number
  /** Milliseconds in PostgreSQL, including waits for locks. */
  ms: number
}

export const countStatements = (stack: Stack): Promise<unknown> =>
  runStatement(stack.addresses.databaseAdmin, 'create extension pg_stat_statements')

/** Statements since the server's start, without the benchmark's own. */
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
