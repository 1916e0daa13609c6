import type { EntityManager } from '../engine/database.ts'
import { IS_OPEN } from '../signal/record.ts'

type WorkKind = 'signal' | 'flattening'

export interface OpenWork {
  kind: WorkKind
  id: string
  /** Null for a flattening of several. */
  accountId: string | null
}

/** Work whose workflow is not known to run. */
export interface UnstartedWork extends OpenWork {
  /** Started by no request, known to no sender. */
  isOurs: boolean
}

export interface WorkPlace {
  /** Start of the workflow, exactly as stored. */
  startedAt: string
  id: string
}

/** Each kind has an index on its workflow's start. */
const KINDS: Record<
  WorkKind,
  { from: string; id: string; accountId: string; startedAt: string; isOurs: string; since: string }
> = {
  signal: {
    from: `signals where ${IS_OPEN}`,
    id: 'id',
    accountId: 'account_id',
    startedAt: 'workflow_started_at',
    isOurs: 'continues is not null',
    since: 'accepted_at',
  },
  flattening: {
    from: `flattenings where status = 'working'`,
    id: 'id',
    accountId: 'null::uuid',
    startedAt: 'workflow_started_at',
    isOurs: 'false',
    since: 'created_at',
  },
}

/** SQL condition: some work has no known workflow. */
export const IS_UNSTARTED = `(${Object.values(KINDS)
  .map(({ from, startedAt }) => `exists (select from ${from} and ${startedAt} is null)`)
  .join(' or ')})`

/** Up to `limit` of each kind, so that none blocks another; oldest first. */
export async function unstartedWork(
  em: EntityManager,
  excluding: readonly string[],
  limit: number,
): Promise<UnstartedWork[]> {
  const but = excluding.length > 0 ? [excluding] : []
  const kinds = Object.entries(KINDS).map(
    ([kind, { from, id, accountId, startedAt, isOurs, since }]) =>
      `(select '${kind}' as kind, ${id} as id, ${accountId} as "accountId", ${isOurs} as "isOurs" from ${from}
         and ${startedAt} is null ${but.length > 0 ? `and ${id} not in (?)` : ''} order by ${since} limit ?)`,
  )
  return em.execute<UnstartedWork[]>(
    kinds.join(' union all '),
    kinds.flatMap(() => [...but, limit]),
  )
}

/** A late repetition changes nothing. */
export async function markStarted(
  em: EntityManager,
  { kind, id }: Pick<OpenWork, 'kind' | 'id'>,
): Promise<void> {
  const table = { signal: 'signals', flattening: 'flattenings' }[kind]
  await em.execute(
    `update ${table} set workflow_started_at = now() where id = ? and workflow_started_at is null`,
    [id],
  )
}

export async function countStarted(em: EntityManager, startedBefore: string): Promise<number> {
  const counts = Object.values(KINDS).map(
    ({ from, startedAt }) => `(select count(*) from ${from} and ${startedAt} < ?)`,
  )
  const [row] = await em.execute<{ count: number }[]>(
    `select (${counts.join(' + ')})::int as count`,
    counts.map(() => startedBefore),
  )
  return row!.count
}

/** Started work by start, after `after`; null: from the first. */
export async function listStarted(
  em: EntityManager,
  startedBefore: string,
  limit: number,
  after: WorkPlace | null = null,
): Promise<(OpenWork & { place: WorkPlace })[]> {
  const bounds = [startedBefore, ...(after ? [after.startedAt, after.id] : []), limit]
  const kinds = Object.entries(KINDS).map(
    ([kind, { from, id, accountId, startedAt }]) =>
      `(select '${kind}' as kind, ${id} as id, ${accountId} as "accountId", ${startedAt}::text as "startedAt",
         ${startedAt} as since from ${from} and ${startedAt} < ?
         ${after ? `and (${startedAt}, ${id}) > (?::timestamptz, ?::uuid)` : ''} order by ${startedAt}, ${id} limit ?)`,
  )
  const rows = await em.execute<(OpenWork & WorkPlace)[]>(
    `${kinds.join(' union all ')} order by since, id limit ?`,
    [...kinds.flatMap(() => bounds), limit],
  )
  return rows.map(({ kind, id, accountId, startedAt }) => ({ kind, id, accountId, place: { startedAt, id } }))
}

export async function* startedInSlices(
  em: EntityManager,
  startedBefore: string,
  size = 1_000,
): AsyncGenerator<OpenWork[]> {
  let slice: Awaited<ReturnType<typeof listStarted>> = []
  do {
    slice = await listStarted(em, startedBefore, size, slice.at(-1)?.place)
    yield slice
  } while (slice.length === size)
}

const MOST_UNSTARTED = 100_000

/** Also unstarted work: a restored ledger may not know that its workflow runs. */
export async function* openInSlices(em: EntityManager): AsyncGenerator<OpenWork[]> {
  yield await unstartedWork(em, [], MOST_UNSTARTED)
  yield* startedInSlices(em, 'infinity')
}
