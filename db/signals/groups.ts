import { NOT_STORED, type GroupRefusal } from '#domain/group.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { given, ofSymbols, within, type Filter } from '../engine/filter.ts'
import { newestFirst, sliceOf, type ListOrder, type Page, type Slice } from '../engine/page.ts'
import type { Query } from '../engine/query.ts'
import { findRow, findRows } from '../engine/reading.ts'
import { queryRows, queryTogether } from '../engine/row-security.ts'
import { Signal, SignalGroup } from '../entities/index.ts'
import { supersedingQuery, type Superseded } from './superseding.ts'
import { storingQuery, type NewSignal, type Storable, type Storing } from './signals.ts'

interface GroupSender {
  userId: string
  tokenId: string | null
}

export interface GroupName extends GroupSender {
  id: string
  identity: string | null
  identitySeconds: number | null
  createdAt: Date
}

export type NewGroup = GroupName &
  Pick<SignalGroup, 'symbol' | 'summary' | 'accounts' | 'refusals' | 'supersedes' | 'meantAt'>

export interface GroupSignal extends Omit<Storable, 'limit'> {
  signal: NewSignal
  received: TimelineEntry
}

/** existing: its identity or id is taken. refused: no signal may be stored. */
export type GroupStoring =
  { outcome: 'stored' | 'refused'; signals: Storing[]; superseded: Superseded[] } | { outcome: 'existing' }

/** SQL condition, set by the first statement: this transaction stored the group. */
const OF_NEW_GROUP = `current_setting('app.new_group', true) = ?`

/**
 * One round trip. An account that takes no signal holds up no other; where none does, the identity stays free
 * for a corrected message. Locks in the order of the accounts' ids, so that no two groups deadlock. `limit`
 * as for {@link insertIfStorable}.
 */
export async function storeGroup(
  em: EntityManager,
  group: NewGroup,
  signals: readonly GroupSignal[],
  limit: number,
): Promise<GroupStoring> {
  const inOrder = signals.toSorted((a, b) => (a.signal.accountId < b.signal.accountId ? -1 : 1))
  const onlyIf = { sql: OF_NEW_GROUP, parameters: [group.id] }
  const { tokenId, supersedes } = group
  const endings =
    tokenId === null || supersedes.length === 0
      ? []
      : inOrder.map(({ signal: { accountId, symbol } }) => supersedingQuery({ tokenId, accountId, symbol }))
  const queries: Query<unknown>[] = [
    ...(group.identitySeconds === null ? [] : [identityLock(group)]),
    insertion(group),
    ...inOrder.map(({ signal, received, isDemo, maxWaiting }) =>
      storingQuery(
        em,
        { ...signal, groupId: group.id },
        received,
        { isJudged: true, isDemo, maxWaiting },
        onlyIf,
      ),
    ),
    completion(group, signals),
    ...endings,
  ]
  const all = await queryTogether(em, queries, { plan: 'once', limit })
  const answers = all.slice(0, all.length - endings.length)
  const superseded = all.slice(answers.length).flat() as Superseded[]
  const storings = answers.slice(-signals.length - 1, -1) as Storing[]
  const isStored = answers.at(-signals.length - 2) as boolean
  if (!isStored) return { outcome: 'existing' }
  const outcome = (answers.at(-1) as number) > 0 ? 'stored' : 'refused'
  return { outcome, signals: signals.map((signal) => storings[inOrder.indexOf(signal)]!), superseded }
}

/** No index covers a window: the second sees the first once that is committed. */
const identityLock = (group: NewGroup): Query<unknown> => ({
  sql: `select pg_advisory_xact_lock(hashtextextended('group ' || ?::text || ' ' || ?::text, 0))`,
  parameters: [giverOf(group), group.identity],
  read: () => null,
})

function insertion(group: NewGroup): Query<boolean> {
  const { identity, identitySeconds, createdAt } = group
  const isWindowed = identitySeconds !== null
  return {
    sql: `with made as (
        insert into signal_groups (id, user_id, token_id, identity, identity_seconds, symbol, summary, accounts, refusals, supersedes,
          meant_at, created_at)
        select ?, ?, ?, ?, ?::integer, ?, ?, ?::integer, ?::jsonb, ?::jsonb, ?::timestamptz, ?::timestamptz
        ${isWindowed ? `where not exists (select from signal_groups where ${IN_WINDOW})` : ''}
        -- By its identity; or by its id, when the same message is carried out again.
        on conflict do nothing
        returning id
      )
      select set_config('app.new_group', coalesce((select id::text from made), ''), true) <> '' as stored`,
    parameters: [
      group.id,
      group.userId,
      group.tokenId,
      identity,
      identitySeconds,
      group.symbol,
      group.summary,
      group.accounts,
      toStorableJson(group.refusals),
      toStorableJson(group.supersedes),
      group.meantAt,
      createdAt,
      ...(isWindowed ? [giverOf(group), identity, ...windowOf(createdAt, identitySeconds)] : []),
    ],
    read: ([row]: readonly { stored: boolean }[]) => row!.stored,
  }
}

/** Notes unstored accounts as refusals, and removes a group without signals. Answers how many were stored. */
function completion({ id }: NewGroup, signals: readonly GroupSignal[]): Query<number> {
  const refusals = signals.map(({ signal }) => ({
    accountId: signal.accountId,
    ...NOT_STORED,
    signalId: null,
  }))
  return {
    sql: `with kept as (select account_id from signals where group_id = ? and ${OF_NEW_GROUP}),
      refused as (
        update signal_groups set refusals = refusals || (
          select jsonb_agg(refusal) from jsonb_array_elements(?::jsonb) refusal
          where (refusal ->> 'accountId')::uuid not in (select account_id from kept))
        where id = ? and ${OF_NEW_GROUP} and (select count(*) from kept) between 1 and ?::integer
      ), gone as (
        delete from signal_groups where id = ? and ${OF_NEW_GROUP} and not exists (select from kept)
      )
      select count(*)::int as stored from kept`,
    parameters: [id, id, toStorableJson(refusals), id, id, signals.length - 1, id, id],
    read: ([row]: readonly { stored: number }[]) => row!.stored,
  }
}

const giverOf = ({ tokenId, userId }: GroupSender): string => tokenId ?? userId

const IN_WINDOW = `coalesce(token_id, user_id) = ?::uuid and identity = ? and identity_seconds is not null
  and created_at > ?::timestamptz and created_at < ?::timestamptz`
const windowOf = (at: Date, seconds: number): [Date, Date] => [
  new Date(at.getTime() - seconds * 1_000),
  new Date(at.getTime() + seconds * 1_000),
]

export async function findEarlierGroup(
  em: EntityManager,
  { id, userId, tokenId, identity, identitySeconds, createdAt }: GroupName,
): Promise<SignalGroup | null> {
  const giver = giverOf({ userId, tokenId })
  const named =
    identitySeconds === null
      ? {
          sql: 'coalesce(token_id, user_id) = ?::uuid and identity = ? and identity_seconds is null',
          parameters: [giver, identity],
        }
      : { sql: IN_WINDOW, parameters: [giver, identity, ...windowOf(createdAt, identitySeconds)] }
  const rows = await queryRows<{ id: string }>(
    em,
    `select id from signal_groups where id = ?::uuid
     ${identity === null ? '' : `union all select id from signal_groups where ${named.sql}`} limit 1`,
    [id, ...(identity === null ? [] : named.parameters)],
    { plan: 'once' },
  )
  return rows[0] ? findGroup(em, userId, rows[0].id) : null
}

export const findGroup = (em: EntityManager, userId: string, id: string): Promise<SignalGroup | null> =>
  findRow(em, SignalGroup, { id, userId })

export interface GroupFilter extends Filter<{ tokenId: string; symbol: string; from: string; to: string }> {
  accounts: 'several' | 'all'
}

export const GROUP_ORDER: ListOrder = newestFirst('created_at')

export interface ListedGroup {
  group: SignalGroup
  statuses: Partial<Record<SignalStatus, number>>
}

export async function listGroups(
  em: EntityManager,
  userId: string,
  { accounts, symbol, from, to, ...filter }: GroupFilter,
  page: Page,
): Promise<Slice<ListedGroup>> {
  const where = {
    ...given(filter),
    ...ofSymbols(symbol),
    userId,
    ...(accounts === 'several' && { accounts: { $gt: 1 } }),
    ...within('createdAt', from, to),
  }
  const slice = await sliceOf(em, SignalGroup, where, GROUP_ORDER, page)
  return { ...slice, items: await withStatuses(em, userId, slice.items) }
}

export const findGroups = async (
  em: EntityManager,
  userId: string,
  ids: readonly string[],
): Promise<ListedGroup[]> =>
  withStatuses(em, userId, await findRows(em, SignalGroup, { id: { $in: [...ids] }, userId }))

async function withStatuses(
  em: EntityManager,
  userId: string,
  groups: readonly SignalGroup[],
): Promise<ListedGroup[]> {
  const ids = groups.map(({ id }) => id)
  const statuses = await statusesOf(em, userId, ids)
  return groups.map((group) => ({ group, statuses: statuses.get(group.id) ?? {} }))
}

async function statusesOf(
  em: EntityManager,
  userId: string,
  groupIds: readonly string[],
): Promise<Map<string, ListedGroup['statuses']>> {
  if (groupIds.length === 0) return new Map()
  const rows = await queryRows<{ group_id: string; status: SignalStatus; signals: number }>(
    em,
    `select group_id, status, count(*)::int as signals from signals
     where group_id in (?) and user_id = ? group by group_id, status`,
    [[...groupIds], userId],
  )
  const found = new Map<string, ListedGroup['statuses']>()
  for (const { group_id: id, status, signals } of rows) found.set(id, { ...found.get(id), [status]: signals })
  return found
}

/** Oldest first, with those that continue a target on its other side. */
export const signalsOfGroup = (em: EntityManager, userId: string, groupId: string): Promise<Signal[]> =>
  findRows(em, Signal, { groupId, userId }, { acceptedAt: 'asc', id: 'asc' })

export async function noteRefusals(
  em: EntityManager,
  groupId: string,
  refusals: readonly GroupRefusal[],
): Promise<void> {
  await queryRows(em, 'update signal_groups set refusals = ?::jsonb where id = ? returning id', [
    toStorableJson(refusals),
    groupId,
  ])
}

/** Prevents removal of a group that answers a repetition; false when it was removed. */
export async function keepGroupTold(em: EntityManager, groupId: string): Promise<boolean> {
  const kept = await queryRows(em, 'update signal_groups set told_at = now() where id = ? returning id', [
    groupId,
  ])
  return kept.length > 0
}

/** For a group whose storing was answered as failed; not with a workflow, repetition or earlier attempt. */
export async function removeUnstartedGroup(
  em: EntityManager,
  groupId: string,
  signalIds: readonly string[],
): Promise<void> {
  await em.transactional(async (inner) => {
    const groups = await inner.execute<object[]>(
      'select id from signal_groups where id = ? and told_at is null for update',
      [groupId],
    )
    if (groups.length === 0) return
    const signals = await inner.execute<{ id: string; stays: boolean }[]>(
      `select id, workflow_started_at is not null or told_at is not null as stays from signals where group_id = ?
       order by account_id for update`,
      [groupId],
    )
    if (signals.some(({ id, stays }) => stays || !signalIds.includes(id))) return
    // Waiting signals hear of a change, but not of a deletion.
    await inner.execute(`update signals set status = 'error' where group_id = ?`, [groupId])
    await inner.execute('delete from signals where group_id = ?', [groupId])
    await inner.execute('delete from signal_groups where id = ?', [groupId])
  })
}
