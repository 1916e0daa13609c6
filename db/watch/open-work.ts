import type { EntityManager } from '../engine/database.ts'
import { IS_OPEN } from '../signal/record.ts'

type WorkKind = 'signal' | 'flattening'

/** What a workflow has to do. */
export interface OpenWork {
  kind: WorkKind
  id: string
  /** Null for a flattening, which may be of several. */
  accountId: string | null
}

/** Nobody has noted that its workflow runs. */
export interface UnstartedWork extends OpenWork {
  /** No request starts it, and no sender was told of it. */
  isOurs: boolean
}

export interface WorkPlace {
  /** Start of the workflow, as exactly as stored. */
  startedAt: string
  id: string
}

/** Open work of every kind, with when its workflow was started; each has an index on that. */
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

/** SQL condition: there is work that nobody has noted to run. */
export const IS_UNSTARTED = `(${Object.values(KINDS)
  .map(({ from, startedAt }) => `exists (select from ${from} and ${startedAt} is null)`)
  .join(' or ')})`

/** Of no kind stands in the way of another: up to `limit` of each, the oldest first, without those of these ids. */
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

/** In the order of their start, from behind `after` on; null for the beginning. */
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

/** The supervisor begins all of it within seconds. */
const MOST_UNSTARTED = 100_000

/** All of it: a ledger of before the start of a workflow does not know that it runs. */
export async function* openInSlices(em: EntityManager): AsyncGenerator<OpenWork[]> {
  yield await unstartedWork(em, [], MOST_UNSTARTED)
  yield* startedInSlices(em, 'infinity')
}
